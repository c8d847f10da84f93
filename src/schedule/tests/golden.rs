//! The table of slots that `scripts/golden-slots` made without this code.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::stuff::{all_between, every_policy, zone};
use super::*;

const TABLE: &str = include_str!("golden.txt");

/// A line of the table with what is below it.
struct Entry {
    timing: Timing,
    from: Timestamp,
    until: Timestamp,
    slots: Vec<Timestamp>,
}

#[test]
fn every_slot_is_as_in_the_table() {
    let mut wrong = Vec::new();
    let entries = entries();
    assert!(entries.len() > 1_000, "only {} entries", entries.len());
    for entry in &entries {
        let just_before = entry.from - SignedDuration::from_nanos(1);
        let just_until = entry.until - SignedDuration::from_nanos(1);
        let found = all_between(&entry.timing, just_before, just_until);
        if found != entry.slots {
            wrong.push(format!("{:?}\n  found    {found:?}\n  expected {:?}", entry.timing, entry.slots));
        }
        let latest = entry.timing.latest(usize::MAX, just_before, just_until);
        assert_eq!(latest, entry.slots, "the latest of {:?}", entry.timing);
    }
    assert!(wrong.is_empty(), "{} of {} entries:\n{}", wrong.len(), entries.len(), wrong.join("\n"));
}

#[test]
fn what_the_table_says_never_fires_is_refused() {
    let never: Vec<&str> = TABLE.lines().filter_map(|line| line.strip_prefix("never | ")).collect();
    assert!(never.len() > 5);
    for text in never {
        assert_eq!(Cron::parse(text), Err(InvalidCron::Never), "{text}");
    }
}

#[test]
fn every_policy_is_in_the_table() {
    for dst in every_policy() {
        let has = |entry: &Entry| matches!(entry.timing, Timing::Cron { dst: its, .. } if its == dst);
        assert!(entries().iter().any(has), "{dst:?}");
    }
}

fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    // As many at the end belong to the line that was read last.
    let mut open = 0;
    for line in TABLE.lines().filter(|line| !line.starts_with('#') && !line.starts_with("never")) {
        match line.strip_prefix("  ") {
            Some(day) => {
                let slots = slots_of_day(day);
                let begin = entries.len() - open;
                entries[begin..].iter_mut().for_each(|entry| entry.slots.extend(&slots));
            }
            None => {
                let read = entries_of(line);
                open = read.len();
                entries.extend(read);
            }
        }
    }
    entries
}

/// `zone | expression | from | until | policies`: an entry for each policy.
fn entries_of(line: &str) -> Vec<Entry> {
    let parts: Vec<&str> = line.split(" | ").collect();
    let [zone_name, text, from, until, policies] = parts[..] else { panic!("five parts: {line}") };
    let entry = |policy: &str| Entry {
        timing: Timing::Cron {
            cron: Cron::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")),
            zone: zone(zone_name),
            dst: policy_named(policy),
        },
        from: midnight(from),
        until: midnight(until),
        slots: Vec::new(),
    };
    policies.split(' ').map(entry).collect()
}

fn policy_named(policy: &str) -> Dst {
    let (gap, overlap) = policy.split_once('/').expect("two policies");
    let quoted = |word| format!("\"{word}\"");
    Dst {
        gap: serde_json::from_str(&quoted(gap)).expect("a gap"),
        overlap: serde_json::from_str(&quoted(overlap)).expect("an overlap"),
    }
}

/// `2025-03-30 01:00 01:20:30`
fn slots_of_day(line: &str) -> Vec<Timestamp> {
    let (day, times) = line.split_once(' ').expect("a day and its times");
    times.split(' ').map(|time| format!("{day}T{time}Z").parse().expect("a time")).collect()
}

fn midnight(day: &str) -> Timestamp {
    let day: Date = day.parse().expect("a day");
    day.to_zoned(jiff::tz::TimeZone::UTC).expect("in time").timestamp()
}
