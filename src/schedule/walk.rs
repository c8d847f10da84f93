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

/// Longer than one looks ahead.
const LIFETIME: SignedDuration = SignedDuration::from_hours(100 * 366 * 24);

/// More than two clocks, or one clock at two times, are ever apart.
const MOST_OFF: SignedDuration = SignedDuration::from_hours(48);

/// What a search within a stretch has led to.
enum Found {
    Slot(Timestamp),
    /// The next match is after the end of the stretch, and there is none before this instant.
    NothingBefore(Timestamp),
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
        // Clocks are changed and slots are due on whole seconds.
        let mut from = second_after(after)?;
        // There are slots that every change of the clock skips; nobody waits for one longer than this.
        let give_up = after.saturating_add(LIFETIME).ok()?;
        while from <= give_up {
            let stretch = self.stretch_at(from);
            if let Some(slot) = self.made_up_for(&stretch, from) {
                return Some(slot);
            }
            from = match self.within(&stretch, from)? {
                Found::Slot(slot) => return Some(slot),
                Found::NothingBefore(later) => later,
            };
        }
        None
    }

    fn stretch_at(&self, at: Timestamp) -> Stretch {
        let rules = self.zone.rules();
        let offset = rules.to_offset(at);
        let second_before = |at: Timestamp| at.checked_sub(SignedDuration::from_secs(1)).unwrap_or(at);
        // `preceding` looks strictly before, and a stretch that begins at this very instant is ours.
        let just_after = second_after(at).unwrap_or(at);
        let start = rules.preceding(just_after).next().map(|change| change.timestamp());
        let end = rules.following(at).next().map(|change| change.timestamp());
        Stretch {
            offset,
            start: start.map(|start| (start, rules.to_offset(second_before(start)))),
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
    fn within(&self, stretch: &Stretch, from: Timestamp) -> Option<Found> {
        let mut time = stretch.offset.to_datetime(from);
        let mut first_match = None;
        loop {
            time = self.cron.next_from(time)?;
            let slot = stretch.offset.to_timestamp(time).ok()?;
            // Even one that is passed over here, as it may be due when the clock shows it again.
            let first_match = *first_match.get_or_insert(slot);
            if let Some((end, _)) = stretch.end.filter(|(end, _)| slot >= *end) {
                // By whatever the clock is changed until then, it shows no match earlier than this: unless it is soon
                // set back to before where the search began.
                let soon = end.duration_since(from) < MOST_OFF;
                return Some(Found::NothingBefore(if soon {
                    end
                } else {
                    end.max(first_match.checked_sub(MOST_OFF).ok()?)
                }));
            }
            match self.passed_over(stretch, time) {
                Some(until) => time = until,
                None => return Some(Found::Slot(slot)),
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

/// The first whole second after an instant.
fn second_after(at: Timestamp) -> Option<Timestamp> {
    // Rounded towards the past, which before 1970 is not towards zero.
    let whole = at.as_nanosecond().div_euclid(1_000_000_000);
    Timestamp::from_second(i64::try_from(whole).ok()? + 1).ok()
}
