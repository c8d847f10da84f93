//! What an edit makes of a schedule, its head and its slots.

use jiff::Timestamp;

use super::{Disabled, Head, Overlap, Schedule, ScheduleSpec, Skip, SkipReason};
use crate::run::lifecycle;
use crate::run::{GrantId, NewRun, Run};

/// An edit of a schedule, made on what somebody saw of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleEdit {
    /// The version that was seen: another one means that somebody else was faster.
    pub version: i64,
    /// What is to be done from now on.
    pub spec: ScheduleSpec,
    /// Under which permission.
    pub grant: GrantId,
    /// Whether it is at work.
    pub enabled: bool,
}

impl ScheduleEdit {
    /// Whether everything is so already.
    pub(crate) fn asks_for_nothing(&self, seen: &Schedule) -> bool {
        (&self.spec, self.grant, self.enabled) == (&seen.spec, seen.grant, seen.disabled.is_none())
    }

    /// Why the schedule is not at work afterwards. With other times, it is not over any more: somebody may resume it.
    pub(crate) fn disabled(&self, seen: &Schedule) -> Option<Disabled> {
        if self.enabled {
            return None;
        }
        let same_times = self.spec.timing == seen.spec.timing;
        Some(seen.disabled.clone().filter(|_| same_times).unwrap_or_else(Disabled::paused))
    }
}

/// What an edit comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedSchedule {
    /// The schedule from now on.
    pub schedule: Schedule,
    /// The run that waited at its head, if it is withdrawn.
    pub withdrawn: Option<Run>,
    /// The run to insert as its new head.
    pub new_head: Option<NewRun>,
    /// The slots that get no run because of the edit.
    pub skips: Vec<Skip>,
}

/// What becomes of the head.
#[derive(Debug, PartialEq, Eq)]
enum NextHead {
    /// It stays, and the next one follows it.
    Same,
    /// There is none.
    Nothing,
    /// The run of this slot, as the schedule is now; without a slot there is none to come.
    Slot(Option<Timestamp>),
}

impl Schedule {
    /// The schedule after an edit that asks for something. `head` is the live run at its head. `None` if it is to be enabled and
    /// has no slot to come.
    pub fn edited(&self, edit: &ScheduleEdit, head: Option<&Run>, now: Timestamp) -> Option<EditedSchedule> {
        let mut schedule = Schedule {
            spec: edit.spec.clone(),
            grant: edit.grant,
            disabled: edit.disabled(self),
            version: self.version + 1,
            updated_at: now,
            ..self.clone()
        };
        let starts_over = self.starts_over_as(&schedule);
        if starts_over {
            schedule.since = now;
        }
        let waiting = head.filter(|run| !lifecycle::started(run));
        let next = self.head_after_edit(&schedule, waiting.is_some(), now);
        if edit.enabled && next == NextHead::Slot(None) {
            return None;
        }
        let leaves_head = waiting.is_none() && next != NextHead::Same;
        let mut skips = Vec::new();
        if self.disabled.is_none() && (starts_over || leaves_head) {
            skips = self.gone_by(head.and_then(|run| run.started_at), now);
        }
        let mut new_head = None;
        match next {
            NextHead::Same => return Some(EditedSchedule { schedule, withdrawn: None, new_head: None, skips }),
            NextHead::Nothing => schedule.head = None,
            NextHead::Slot(slot) => new_head = schedule.set_head(slot, now),
        }
        if let Some(slot) = waiting.and_then(|run| lost_slot(run, schedule.head, now)) {
            skips.push(Skip::of_slot(self.id, slot, SkipReason::Withdrawn, now));
        }
        Some(EditedSchedule { schedule, withdrawn: waiting.cloned(), new_head, skips })
    }

    /// `waits` tells whether the run at the head has not started.
    fn head_after_edit(&self, edited: &Schedule, waits: bool, now: Timestamp) -> NextHead {
        let under_way = self.head.is_some() && !waits;
        match (edited.disabled.is_none(), self.head) {
            (_, Some(_)) if under_way && edited.spec.overlap == Overlap::Forbid => NextHead::Same,
            (true, Some(_)) if self.brings_the_same_runs(edited) => NextHead::Same,
            (false, _) => NextHead::Nothing,
            // Same times: the slot that waits, or is late, keeps its place.
            (true, Some(head)) if waits && self.spec.timing == edited.spec.timing => NextHead::Slot(Some(head.slot)),
            (true, _) => NextHead::Slot(edited.begin(now)),
        }
    }
}

/// The slot of a run that is withdrawn, if it was due and gets no other run.
fn lost_slot(run: &Run, head: Option<Head>, now: Timestamp) -> Option<Timestamp> {
    let slot = run.scheduled?.slot?;
    (slot <= now && head.is_none_or(|head| head.slot != slot)).then_some(slot)
}
