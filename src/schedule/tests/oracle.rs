//! The plainest way to find slots: look at the clock on the wall every half minute.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

use super::*;

/// A zone may be off by half a minute, as Monrovia's was until 1972.
const STEP: SignedDuration = SignedDuration::from_secs(30);

/// Longer than any clock was ever put back at once.
const MARGIN: SignedDuration = SignedDuration::from_hours(25);

/// The slots after one instant up to another.
pub(super) fn slots_between(
    cron: &Cron,
    zone: &Zone,
    dst: Dst,
    after: Timestamp,
    until: Timestamp,
) -> BTreeSet<Timestamp> {
    let clock = Clock::watch(zone, after - MARGIN, until + MARGIN);
    let hour = cron.as_str().split(' ').nth(1).expect("an hour");
    let due = |time: DateTime| match (hour.starts_with('*'), clock.shown.get(&time)) {
        (true, shown) => shown.cloned().unwrap_or_default(),
        (false, None) if dst.gap == Gap::Skip => vec![],
        (false, None) => clock.gaps.iter().filter(|gap| gap.from <= time && time < gap.to).map(|gap| gap.end).collect(),
        (false, Some(shown)) => match dst.overlap {
            Fold::First => shown[..1].to_vec(),
            Fold::Second => shown[shown.len() - 1..].to_vec(),
            Fold::Both => shown.clone(),
        },
    };
    clock.minutes().filter(|time| cron.matches(*time)).flat_map(due).filter(|at| after < *at && *at <= until).collect()
}

/// The instants at which the clock shows the same as at this one, which is among them.
pub(super) fn shown_at(zone: &Zone, at: Timestamp) -> Vec<Timestamp> {
    let shown = zone.rules().to_datetime(at);
    let hours = -25 * 4..=25 * 4_i64;
    let offsets: BTreeSet<_> = hours
        .map(|quarter| zone.rules().to_offset(at + SignedDuration::from_mins(quarter * 15)))
        .map(|offset| offset.seconds())
        .collect();
    let offsets = offsets.into_iter().map(|seconds| jiff::tz::Offset::from_seconds(seconds).expect("an offset"));
    let candidates: BTreeSet<_> = offsets.filter_map(|offset| offset.to_timestamp(shown).ok()).collect();
    candidates.into_iter().filter(|at| zone.rules().to_datetime(*at) == shown).collect()
}

struct Clock {
    shown: BTreeMap<DateTime, Vec<Timestamp>>,
    gaps: Vec<Skipped>,
}

/// Times on the wall that the clock skipped, and the first instant after that.
struct Skipped {
    from: DateTime,
    to: DateTime,
    end: Timestamp,
}

impl Clock {
    fn watch(zone: &Zone, from: Timestamp, until: Timestamp) -> Self {
        let (mut shown, mut gaps) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        let first = Timestamp::from_second(from.as_second().div_euclid(30) * 30).expect("in time");
        let mut before: Option<DateTime> = None;
        for at in std::iter::successors(Some(first), |at| Some(*at + STEP)).take_while(|at| *at <= until) {
            let now = zone.rules().to_datetime(at);
            if let Some(expected) = before.map(|before| before + STEP)
                && expected < now
            {
                gaps.push(Skipped { from: expected, to: now, end: at });
            }
            shown.entry(now).or_default().push(at);
            before = Some(now);
        }
        Self { shown, gaps }
    }

    /// Every minute from the first time shown to the last.
    fn minutes(&self) -> impl Iterator<Item = DateTime> {
        let first = *self.shown.keys().next().expect("not for nothing");
        let last = *self.shown.keys().next_back().expect("not for nothing");
        let whole = first.with().second(0).build().expect("a minute");
        std::iter::successors(Some(whole), |time| Some(*time + SignedDuration::from_mins(1)))
            .take_while(move |time| *time <= last)
    }
}
