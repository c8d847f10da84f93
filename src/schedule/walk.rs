//! Finds the instants of a cron expression, from one change of the clock to the next.
//!
//! Between two changes the clock on the wall runs evenly, so that the expression is matched against it as if there were
//! no zones. What a change skips or repeats is decided at its edges.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::{Cron, Dst, Fold, Gap, Zone};

pub(super) struct Walk<'a> {
    cron: &'a Cron,
    zone: &'a Zone,
    gap: Gap,
    fold: Fold,
}

/// A stretch of time in which the clock on the wall runs evenly.
struct Stretch {
    offset: Offset,
    /// Its first instant, and what the clock was off by until then.
    start: Option<(Timestamp, Offset)>,
    /// The first instant after it, and what the clock is off by from then on.
    end: Option<(Timestamp, Offset)>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(cron: &'a Cron, zone: &'a Zone, dst: Dst) -> Self {
        let (gap, fold) = match cron.follows_real_time() {
            true => (Gap::Skip, Fold::Both),
            false => (dst.gap, dst.overlap),
        };
        Self { cron, zone, gap, fold }
    }

    pub(super) fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        let mut from = after.checked_add(SignedDuration::from_nanos(1)).ok()?;
        loop {
            let stretch = self.stretch_at(from);
            if let Some(slot) = self.made_up_for(&stretch, from).or_else(|| self.within(&stretch, from)) {
                return Some(slot);
            }
            from = stretch.end?.0;
        }
    }

    fn stretch_at(&self, at: Timestamp) -> Stretch {
        let rules = self.zone.rules();
        let offset = rules.to_offset(at);
        let instant_before = |at: Timestamp| at.checked_sub(SignedDuration::from_nanos(1)).unwrap_or(at);
        // `preceding` looks strictly before, and a stretch that begins at this very instant is ours.
        let just_after = at.checked_add(SignedDuration::from_nanos(1)).unwrap_or(at);
        let start = rules.preceding(just_after).next().map(|change| change.timestamp());
        let end = rules.following(at).next().map(|change| change.timestamp());
        Stretch {
            offset,
            start: start.map(|start| (start, rules.to_offset(instant_before(start)))),
            end: end.map(|end| (end, rules.to_offset(end))),
        }
    }

    /// The start of the stretch, if `from` is it and a time that the clock skipped there would have matched.
    fn made_up_for(&self, stretch: &Stretch, from: Timestamp) -> Option<Timestamp> {
        let (start, before) = stretch.start.filter(|(start, _)| *start == from && self.gap == Gap::After)?;
        let (skipped, resumed) = (before.to_datetime(start), stretch.offset.to_datetime(start));
        self.cron.next_from(skipped).filter(|time| *time < resumed).map(|_| start)
    }

    /// The first match within the stretch, from `from` on.
    fn within(&self, stretch: &Stretch, from: Timestamp) -> Option<Timestamp> {
        let mut time = stretch.offset.to_datetime(from);
        loop {
            time = self.cron.next_from(time)?;
            let slot = stretch.offset.to_timestamp(time).ok()?;
            if stretch.end.is_some_and(|(end, _)| slot >= end) {
                return None;
            }
            match self.passed_over(stretch, time) {
                Some(until) => time = until,
                None => return Some(slot),
            }
        }
    }

    /// The end of the times that the clock shows twice, if this is one of them and due the other time.
    fn passed_over(&self, stretch: &Stretch, time: DateTime) -> Option<DateTime> {
        let shown_again = stretch.start.map(|(start, before)| before.to_datetime(start)).filter(|end| time < *end);
        let to_be_shown_again = stretch.end.and_then(|(end, after)| {
            let (again, until) = (after.to_datetime(end), stretch.offset.to_datetime(end));
            (again <= time && time < until).then_some(until)
        });
        match self.fold {
            Fold::First => shown_again,
            Fold::Second => to_be_shown_again,
            Fold::Both => None,
        }
    }
}
