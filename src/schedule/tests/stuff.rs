//! What the tests of schedules are made of: zones, expressions and instants, and how to draw them at random.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::run::{GrantId, Json, Priority, QueueName, ScheduleId, TaskName, WorkspaceName};

/// Zones whose clocks change in every way there is.
const ZONES: [&str; 24] = [
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/Lisbon",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Santiago",
    "America/Havana",
    "America/Mexico_City",
    "America/St_Johns",
    "America/Caracas",
    "Africa/Casablanca",
    "Africa/Monrovia",
    "Asia/Beirut",
    "Asia/Amman",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Pacific/Chatham",
    "Pacific/Apia",
    "Pacific/Kwajalein",
];

/// So many cases, unless `PROPTEST_CASES` asks for more.
pub(super) fn cases(cases: u32) -> ProptestConfig {
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| ProptestConfig::default().cases);
    ProptestConfig { cases: asked_for.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

pub(super) fn zone(name: &str) -> Zone {
    Zone::parse(name).expect("a zone")
}

pub(super) fn every_policy() -> Vec<Dst> {
    let folds = [Fold::First, Fold::Second, Fold::Both];
    [Gap::After, Gap::Skip].into_iter().flat_map(|gap| folds.map(|overlap| Dst { gap, overlap })).collect()
}

/// The slots after one instant up to another, one after the other.
pub(super) fn all_between(timing: &Timing, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let next = |at: &Timestamp| timing.next_after(*at).filter(|slot| *slot <= until);
    std::iter::successors(next(&after), next).collect()
}

pub(super) fn any_timing() -> impl Strategy<Value = Timing> {
    prop_oneof![
        4 => (any_cron(), any_zone(), any_dst()).prop_map(|(cron, zone, dst)| Timing::Cron { cron, zone, dst }),
        2 => (60_u32..200_000, any_instant()).prop_map(|(seconds, from)| Timing::Every {
            seconds: NonZeroU32::new(seconds).expect("more than none"),
            from,
        }),
        1 => any_instant().prop_map(|at| Timing::Once { at }),
    ]
}

pub(super) fn any_zone() -> impl Strategy<Value = Zone> {
    select(&ZONES[..]).prop_map(zone)
}

pub(super) fn any_dst() -> impl Strategy<Value = Dst> {
    select(every_policy())
}

/// From 1965 to 2040, to the microsecond.
pub(super) fn any_instant() -> impl Strategy<Value = Timestamp> {
    let whole = (-157_766_400_i64..2_208_988_800).prop_map(|second| Timestamp::from_second(second).expect("in time"));
    let part = prop_oneof![3 => Just(0_i64), 1 => 0_i64..1_000_000];
    (whole, part).prop_map(|(whole, micros)| whole + SignedDuration::from_micros(micros))
}

/// More often than not within a day and a half of a change of the zone's clock.
pub(super) fn instant_near_change(zone: &Zone) -> impl Strategy<Value = Timestamp> + use<> {
    let rules = zone.rules().clone();
    (any_instant(), any::<bool>(), -36 * 60..6 * 60_i64).prop_map(move |(at, near, minutes)| {
        let change = rules.following(at).next().map(|change| change.timestamp());
        match change.filter(|change| near && change.as_second() < 2_208_988_800) {
            Some(change) => change + SignedDuration::from_mins(minutes),
            None => at,
        }
    })
}

/// Any expression, mostly such as come round within days.
pub(super) fn any_cron() -> impl Strategy<Value = Cron> {
    let month = prop_oneof![8 => Just("*".to_owned()), 1 => list(1, 12), 1 => select(&["JAN", "mar-Oct", "*/2"][..]).prop_map(String::from)];
    (list(0, 59), any_hours(), any_days(), month, any_weekdays())
        .prop_map(|(minute, hour, day, month, weekday)| format!("{minute} {hour} {day} {month} {weekday}"))
        .prop_filter_map("never fires", |text| match Cron::parse(&text) {
            Ok(cron) => Some(cron),
            Err(InvalidCron::Never) => None,
            Err(error) => panic!("{text}: {error}"),
        })
}

fn any_hours() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => select(&["0", "1", "2", "3", "23", "0-4", "22-23", "1-3"][..]).prop_map(String::from),
        2 => list(0, 23),
    ]
}

fn any_days() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("*".to_owned()),
        1 => list(1, 31),
        1 => select(&["L", "LW", "15W", "1W,L", "31W", "?", "29"][..]).prop_map(String::from),
    ]
}

fn any_weekdays() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("*".to_owned()),
        1 => list(0, 7),
        1 => select(&["SUN", "mon-fri", "SAT-SUN", "7L", "MON#1,tue#5", "0#L", "?"][..]).prop_map(String::from),
    ]
}

fn list(first: u8, last: u8) -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("*".to_owned()),
        3 => proptest::collection::vec(item(first, last), 1..4).prop_map(|items| items.join(",")),
    ]
}

fn item(first: u8, last: u8) -> impl Strategy<Value = String> {
    let range = (first..=last, first..=last).prop_map(|(one, other)| (one.min(other), one.max(other)));
    prop_oneof![
        4 => (first..=last).prop_map(|value| value.to_string()),
        1 => (1..=last).prop_map(|step| format!("*/{step}")),
        1 => range.clone().prop_map(|(from, to)| format!("{from}-{to}")),
        1 => (range, 1..=last).prop_map(|((from, to), step)| format!("{from}-{to}/{step}")),
    ]
}

/// An enabled schedule whose runs may not overlap, made at the beginning of 1970; it has no head yet.
pub(super) fn a_schedule(timing: Timing) -> Schedule {
    let spec = ScheduleSpec {
        name: ScheduleName::parse("a schedule").expect("a name"),
        timing,
        overlap: Overlap::Forbid,
        catch_up_limit: 0,
        start_within_seconds: None,
        jitter_seconds: 0,
        task: TaskName::parse("work").expect("a name"),
        payload: Json::parse("{}").expect("JSON"),
        queue: QueueName::default(),
        lane: None,
        priority: Priority::default(),
        max_attempts: NonZeroU16::MIN,
        timeout_seconds: None,
        retry: None,
        metadata: None,
    };
    let (id, workspace, grant) = (ScheduleId::new(), WorkspaceName::default(), GrantId::new());
    Schedule::new(&NewSchedule { id, workspace, spec, grant, enabled: true }, Timestamp::UNIX_EPOCH)
}

/// Every ten minutes from the beginning of 1970.
pub(super) fn every_ten_minutes() -> Timing {
    Timing::Every { seconds: NonZeroU32::new(600).expect("more than none"), from: Timestamp::UNIX_EPOCH }
}

pub(super) fn minute(minute: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)
}
