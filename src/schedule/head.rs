//! The head of a schedule: the run whose start or end schedules the next one.

use jiff::{SignedDuration, Timestamp};

use super::{Disabled, Grant, Head, NewSchedule, Overlap, Position, Schedule, Skip};
use crate::run::lifecycle;
use crate::run::{NewRun, Run, RunError, Status};

/// What comes after a head that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Successor {
    /// The run to insert as the new head.
    pub new_head: Option<NewRun>,
    /// The slots that went by without a run.
    pub skips: Vec<Skip>,
}

impl Schedule {
    /// The schedule that a request makes, and the run of its first slot. `None` if it is to begin at once and has no slot to come.
    pub fn create(request: &NewSchedule, now: Timestamp) -> Option<(Self, Option<NewRun>)> {
        let mut schedule = Self::new(request, now);
        if !request.enabled {
            return Some((schedule, None));
        }
        let first = schedule.begin(now)?;
        let run = schedule.set_head(Some(first), now);
        Some((schedule, run))
    }

    /// Makes the run of `slot` the head; answers with it. Without a slot, the schedule is completed.
    pub(super) fn set_head(&mut self, slot: Option<Timestamp>, now: Timestamp) -> Option<NewRun> {
        self.head = None;
        let Some(slot) = slot else {
            self.disable(Disabled::completed(), now);
            return None;
        };
        let run = self.run_of_slot(slot, now);
        self.head = Some(Head { run: run.id, slot });
        Some(run)
    }

    fn disable(&mut self, reason: Disabled, now: Timestamp) {
        self.disabled = Some(reason);
        self.updated_at = now;
    }

    /// Notes that the run of a slot was started, or ended before it could be.
    pub fn note_slot(&mut self, slot: Timestamp) {
        self.last_slot = self.last_slot.max(Some(slot));
    }

    /// Whether the start of the head is enough to schedule the next slot; otherwise its end is waited for.
    pub fn follows_a_start(&self) -> bool {
        self.spec.overlap != Overlap::Forbid
    }

    /// Schedules the next slot after its head, which had this slot and is done. Not if the schedule is disabled, or is by what the
    /// run says of its grant.
    pub fn schedule_next_slot(&mut self, slot: Timestamp, run: &Run, now: Timestamp) -> Successor {
        self.head = None;
        if self.disabled.is_some() {
            return Successor::default();
        }
        if let Some(reason) = self.refused_by_grant(run) {
            self.disable(reason, now);
            return Successor::default();
        }
        self.succeed(Position { slot, began: run.started_at }, now)
    }

    /// Gives an enabled schedule whose head is gone another one.
    pub fn repair(&mut self, now: Timestamp) -> Successor {
        let Some(head) = self.head else {
            let first = self.begin(now);
            return Successor { new_head: self.set_head(first, now), skips: Vec::new() };
        };
        // The slot had its run if that was ever claimed.
        let had_its_run = self.last_slot.is_some_and(|last| last >= head.slot);
        let just_before = head.slot.checked_sub(SignedDuration::from_micros(1)).unwrap_or(head.slot);
        self.succeed(Position { slot: if had_its_run { head.slot } else { just_before }, began: None }, now)
    }

    fn succeed(&mut self, position: Position, now: Timestamp) -> Successor {
        let advance = self.advance(position, now);
        Successor { new_head: self.set_head(advance.next, now), skips: advance.skips }
    }
}

/// Whether nothing more comes of a run for its schedule. A run that has started and is paused may stay so for ever; its schedule
/// does not wait for it.
pub fn is_done(run: &Run) -> bool {
    run.status().is_terminal() || lifecycle::started(run) && run.status() == Status::Paused
}

/// Why a run that was just claimed must not start, if its grant says so.
pub fn start_refusal(run: &Run, grant: Option<&Grant>, now: Timestamp) -> Option<RunError> {
    match grant {
        _ if run.scheduled.is_none() => None,
        Some(grant) => grant.refusal(&run.task, now),
        None => Some(RunError::new("grant_revoked", "its grant no longer exists")),
    }
}
