//! The chain of a schedule's runs: which slot follows, and which ones went by.

use jiff::{SignedDuration, Timestamp};

use super::{Disabled, REFUSALS, Schedule, ScheduleSpec, Skip, SkipReason};
use crate::run::Run;

/// No record counts further than this.
const COUNTED: u32 = 1_000;

/// Where a chain has got to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The slot that had its run.
    pub slot: Timestamp,
    /// When that run started, if it did.
    pub began: Option<Timestamp>,
}

/// How a chain goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The slot whose run is to wait now; `None` if there are no more.
    pub next: Option<Timestamp>,
    /// What went by without a run.
    pub skips: Vec<Skip>,
}

impl Schedule {
    /// What follows a slot that had its run.
    pub fn advance(&self, position: Position, now: Timestamp) -> Advance {
        let position = Position { slot: position.slot.max(self.since), ..position };
        let next = self.next_to_run(position.slot, now);
        let end = next.unwrap_or(Timestamp::MAX);
        let mut skips = Vec::new();
        let mut at = position.slot;
        while let Some(first) = self.spec.timing.next_after(at).filter(|slot| *slot < end && *slot <= now) {
            let reason = self.why_skipped(first, position);
            // One record for those in a row that share a reason.
            let until = match (reason, position.began) {
                (SkipReason::Missed, Some(began)) if began < end => began,
                _ => end,
            };
            let skip = self.skipped(first, until.min(end), reason, now);
            at = skip.last;
            skips.push(skip);
        }
        Advance { next, skips }
    }

    /// What went by behind its head, whose run began then, if the schedule is not to make up for anything any more.
    pub fn gone_by(&self, began: Option<Timestamp>, now: Timestamp) -> Vec<Skip> {
        let Some(head) = self.head else { return Vec::new() };
        let spec = ScheduleSpec { catch_up_limit: 0, ..self.spec.clone() };
        Schedule { spec, ..self.clone() }.advance(Position { slot: head.slot, began }, now).skips
    }

    /// Whether `edited` has other slots to come: it was given other times, paused or resumed.
    pub fn starts_over_as(&self, edited: &Schedule) -> bool {
        self.spec.timing != edited.spec.timing || self.disabled.is_none() != edited.disabled.is_none()
    }

    /// Why a run that ended says that nothing more may start under the schedule's grant, if it does. One that ran under
    /// another grant says nothing of this one.
    pub fn refused_by_grant(&self, run: &Run) -> Option<Disabled> {
        let error = run.error.as_ref().filter(|error| REFUSALS.contains(&error.code.as_str()))?;
        run.scheduled.filter(|scheduled| scheduled.grant == self.grant)?;
        Some(Disabled { code: error.code.clone(), message: error.message.clone() })
    }

    /// What a schedule begins with, or begins again with, at `now`.
    pub fn begin(&self, now: Timestamp) -> Option<Timestamp> {
        self.spec.timing.next_after(self.last_slot.map_or(now, |last| last.max(now)))
    }

    /// The oldest of the missed slots that are to be made up for, or the first one that is still to come.
    fn next_to_run(&self, after: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let first = self.spec.timing.next_after(after)?;
        if first > now || self.spec.catch_up_limit == 0 {
            return self.spec.timing.next_after(after.max(now));
        }
        let missed = self.spec.timing.latest(self.spec.catch_up_limit.into(), after, now);
        let in_time = missed.into_iter().find(|slot| !self.is_too_late(*slot, now));
        in_time.or_else(|| self.spec.timing.next_after(after.max(now)))
    }

    fn why_skipped(&self, slot: Timestamp, position: Position) -> SkipReason {
        match position.began {
            Some(began) if slot >= began => SkipReason::Overlap,
            _ => SkipReason::Missed,
        }
    }

    /// The slots from `first` on that are before `end` and have gone by.
    fn skipped(&self, first: Timestamp, end: Timestamp, reason: SkipReason, now: Timestamp) -> Skip {
        let mut skip = Skip::of_slot(self.id, first, reason, now);
        while skip.count < COUNTED {
            match self.spec.timing.next_after(skip.last).filter(|slot| *slot < end && *slot <= now) {
                Some(slot) => (skip.last, skip.count) = (slot, skip.count + 1),
                None => return skip,
            }
        }
        let before_end = end.checked_sub(SignedDuration::from_nanos(1)).unwrap_or(end).min(now);
        skip.last = self.spec.timing.latest(1, skip.last, before_end).pop_back().unwrap_or(skip.last);
        skip
    }
}
