//! Schedules, the grants they run under, and what runs used up.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::model::Model;
use crate::clock::later;
use crate::run::lifecycle::{self, Command};
use crate::run::{GrantId, NewRun, Run, RunError, RunId, ScheduleId, Status, TaskName, WorkspaceName};
use crate::schedule::{self, Grant, Head, NewGrant, NewSchedule, Overlap, Schedule, ScheduleName, Standing};
use crate::store::{
    CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, NewEvent, RevokeGrantOutcome, ScheduleEdit, Usage,
    UsageFilter, UsageSum,
};

/// What one attempt used up of one unit.
pub(super) struct Charged {
    pub(super) workspace: WorkspaceName,
    pub(super) task: TaskName,
    pub(super) grant: Option<GrantId>,
    pub(super) amount: u64,
    pub(super) at: Timestamp,
}

impl Model {
    /// Schedules the next slot of every schedule whose head has started or ended, as its overlap asks.
    pub(super) fn advance_schedules(&mut self, now: Timestamp) {
        for id in self.schedules.keys().copied().collect::<Vec<_>>() {
            while let Some((mut schedule, run)) = self.head_that_is_done(id) {
                let slot = schedule.head.map_or(now, |head| head.slot);
                schedule.note_slot(slot);
                let next = schedule.schedule_next_slot(slot, &run, now);
                self.skips.extend(next.skips);
                self.schedules.insert(id, schedule);
                self.insert_head(next.new_head, now);
            }
        }
        self.recompute_ready(now);
    }

    fn head_that_is_done(&self, id: ScheduleId) -> Option<(Schedule, Run)> {
        let schedule = self.schedules.get(&id)?;
        let run = self.runs.get(&schedule.head?.run)?;
        let started = lifecycle::started(run) && schedule.follows_a_start();
        (schedule::is_done(run) || started).then(|| (schedule.clone(), run.clone()))
    }

    fn insert_head(&mut self, head: Option<NewRun>, now: Timestamp) {
        let Some(mut request) = head else { return };
        let taken = |key| self.live().any(|run| run.workspace == request.workspace && run.key.as_ref() == Some(key));
        if request.key.as_ref().is_some_and(|(key, _)| taken(key)) {
            request.key = None;
        }
        self.last_seq += 1;
        self.put(lifecycle::submit(&request, self.last_seq, false, now));
    }

    /// Why a run that was just claimed must not start.
    pub(super) fn refusal(&self, run: &Run, now: Timestamp) -> Option<RunError> {
        let scheduled = run.scheduled?;
        schedule::start_refusal(run, self.grants.get(&scheduled.grant), now)
    }

    pub(super) fn note_start(&mut self, run: &Run) {
        let Some((scheduled, slot)) = run.scheduled.and_then(|scheduled| Some((scheduled, scheduled.slot?))) else {
            return;
        };
        if let Some(schedule) = self.schedules.get_mut(&scheduled.schedule) {
            schedule.note_slot(slot);
        }
    }

    /// Cancels what is under way of schedules that ask for it, since these runs of theirs are due.
    pub(super) fn replace_rivals(&mut self, due: &[RunId], now: Timestamp) {
        let schedule_of = |run: &Run| run.scheduled.filter(|scheduled| scheduled.slot.is_some()).map(|s| s.schedule);
        let asked = due.iter().filter_map(|run| self.runs.get(run)).filter_map(schedule_of);
        let replacing: Vec<ScheduleId> = asked
            .filter(|id| self.schedules.get(id).is_some_and(|schedule| schedule.spec.overlap == Overlap::Replace))
            .collect();
        let of_those = |run: &Run| run.scheduled.is_some_and(|scheduled| replacing.contains(&scheduled.schedule));
        let under_way = |run: &&Run| matches!(run.status(), Status::Running | Status::Retrying) && of_those(run);
        for run in self.live().filter(under_way).cloned().collect::<Vec<_>>() {
            if let Ok((step, _)) = lifecycle::command(run, Command::Cancel, false, now) {
                self.apply(step, now);
            }
        }
    }

    pub(super) fn create_grant(&mut self, request: &NewGrant, now: Timestamp) -> CreateGrantOutcome {
        if !self.workspaces.contains(&request.workspace) {
            return CreateGrantOutcome::UnknownWorkspace;
        }
        if self.grants.contains_key(&request.id) {
            return CreateGrantOutcome::DuplicateId;
        }
        let grant = Grant::new(request, now);
        self.grants.insert(grant.id, grant.clone());
        CreateGrantOutcome::Created(grant)
    }

    pub(super) fn find_grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Option<&Grant> {
        self.grants.get(&grant).filter(|grant| grant.workspace == *workspace)
    }

    pub(super) fn revoke_grant(
        &mut self,
        workspace: &WorkspaceName,
        grant: GrantId,
        now: Timestamp,
    ) -> RevokeGrantOutcome {
        match self.grants.get_mut(&grant).filter(|grant| grant.workspace == *workspace) {
            None => RevokeGrantOutcome::NotFound,
            Some(grant) if grant.revoked_at.is_some() => RevokeGrantOutcome::AlreadyRevoked(grant.clone()),
            Some(grant) => {
                grant.revoked_at = Some(now);
                RevokeGrantOutcome::Revoked(grant.clone())
            }
        }
    }

    pub(super) fn create_schedule(
        &mut self,
        request: &NewSchedule,
        new_grant: Option<&NewGrant>,
        now: Timestamp,
    ) -> CreateScheduleOutcome {
        if !self.workspaces.contains(&request.workspace) {
            return CreateScheduleOutcome::UnknownWorkspace;
        }
        if self.schedules.contains_key(&request.id) {
            return CreateScheduleOutcome::DuplicateId;
        }
        if let Some(other) = self.schedule_named(&request.workspace, &request.spec.name) {
            return CreateScheduleOutcome::NameTaken(other.id, other.spec.name.clone());
        }
        let Some((schedule, head)) = Schedule::create(request, now) else { return CreateScheduleOutcome::NoSlots };
        let grant = match new_grant {
            Some(new) => Some(Grant::new(new, now)),
            None => self.find_grant(&request.workspace, request.grant).cloned(),
        };
        let Some(grant) = grant else { return CreateScheduleOutcome::UnknownGrant };
        match grant.standing(&request.spec.task, now) {
            Standing::Good => {}
            standing => return CreateScheduleOutcome::GrantRefused(standing),
        }
        if new_grant.is_some_and(|new| self.grants.contains_key(&new.id)) {
            return CreateScheduleOutcome::DuplicateGrant;
        }
        self.grants.insert(grant.id, grant);
        self.insert_head(head, now);
        self.schedules.insert(schedule.id, schedule.clone());
        CreateScheduleOutcome::Created(schedule)
    }

    pub(super) fn edit_schedule(
        &mut self,
        workspace: &WorkspaceName,
        id: ScheduleId,
        edit: &ScheduleEdit,
        new_grant: Option<&NewGrant>,
        now: Timestamp,
    ) -> EditScheduleOutcome {
        let Some(seen) = self.find_schedule(workspace, id).cloned() else { return EditScheduleOutcome::NotFound };
        if seen.version != edit.version {
            return EditScheduleOutcome::Outdated;
        }
        if let Some(other) = self.schedule_named(workspace, &edit.spec.name).filter(|other| other.id != id) {
            return EditScheduleOutcome::NameTaken(other.id, other.spec.name.clone());
        }
        let grant = match new_grant {
            Some(new) => Some(Grant::new(new, now)),
            None => self.find_grant(workspace, edit.grant).cloned(),
        };
        let Some(grant) = grant else { return EditScheduleOutcome::UnknownGrant };
        match grant.standing(&edit.spec.task, now) {
            standing if edit.enabled && standing != Standing::Good => {
                return EditScheduleOutcome::GrantRefused(standing);
            }
            _ => {}
        }
        if edit.asks_for_nothing(&seen) {
            return EditScheduleOutcome::Unchanged(seen);
        }
        let head = seen.head.and_then(|head| self.runs.get(&head.run)).filter(|run| !run.status().is_terminal());
        let Some(edited) = seen.edited(edit, head, now) else { return EditScheduleOutcome::NoSlots };
        if new_grant.is_some_and(|new| self.grants.contains_key(&new.id)) {
            return EditScheduleOutcome::DuplicateGrant;
        }
        self.grants.insert(grant.id, grant);
        self.skips.extend(edited.skips);
        if let Some(run) = edited.withdrawn {
            self.withdraw(&run, now);
        }
        self.insert_head(edited.new_head, now);
        self.schedules.insert(id, edited.schedule.clone());
        EditScheduleOutcome::Edited(edited.schedule)
    }

    pub(super) fn delete_schedule(&mut self, workspace: &WorkspaceName, id: ScheduleId, now: Timestamp) -> bool {
        let Some(schedule) = self.find_schedule(workspace, id).cloned() else { return false };
        self.schedules.remove(&id);
        if let Some(run) = self.waiting_head(&schedule) {
            self.withdraw(&run, now);
        }
        self.skips.retain(|skip| skip.schedule != id);
        true
    }

    pub(super) fn find_schedule(&self, workspace: &WorkspaceName, id: ScheduleId) -> Option<&Schedule> {
        self.schedules.get(&id).filter(|schedule| schedule.workspace == *workspace)
    }

    pub(super) fn schedule_named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Option<&Schedule> {
        self.schedules.values().find(|schedule| schedule.workspace == *workspace && schedule.spec.name == *name)
    }

    fn waiting_head(&self, schedule: &Schedule) -> Option<Run> {
        let run = self.runs.get(&schedule.head?.run)?;
        (!lifecycle::started(run) && !run.status().is_terminal()).then(|| run.clone())
    }

    /// Those who waited for it hear that it was cancelled; then it is as if it had never been.
    fn withdraw(&mut self, run: &Run, now: Timestamp) {
        if let Ok((step, _)) = lifecycle::command(run.clone(), Command::Cancel, false, now) {
            self.apply(step, now);
        }
        self.runs.remove(&run.id);
        self.attempts.remove(&run.id);
        self.events.remove(&run.id);
        self.holds.remove(&run.id);
    }

    pub(super) fn sweep_schedules(&mut self, limit: usize, now: Timestamp) -> Vec<ScheduleId> {
        let gone = |head: Option<Head>| head.is_none_or(|head| !self.live().any(|run| run.id == head.run));
        let broken = self.schedules.values().filter(|schedule| schedule.disabled.is_none() && gone(schedule.head));
        let broken: Vec<Schedule> = broken.take(limit).cloned().collect();
        for mut schedule in broken.clone() {
            let next = schedule.repair(now);
            self.skips.extend(next.skips);
            self.insert_head(next.new_head, now);
            self.schedules.insert(schedule.id, schedule);
        }
        broken.into_iter().map(|schedule| schedule.id).collect()
    }

    pub(super) fn charge(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) {
        for (unit, amount) in events.iter().flat_map(NewEvent::usage) {
            let charged = self.usage.entry((run.id, run.attempt, unit)).or_insert_with(|| Charged {
                workspace: run.workspace.clone(),
                task: run.task.clone(),
                grant: run.scheduled.map(|scheduled| scheduled.grant),
                amount: 0,
                at: now,
            });
            charged.amount = charged.amount.saturating_add(amount).min(9_000_000_000_000_000_000);
        }
    }

    pub(super) fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Vec<UsageSum> {
        let mut sums: BTreeMap<_, u64> = BTreeMap::new();
        for ((_, _, unit), charged) in &self.usage {
            let account = charged.grant.and_then(|id| self.grants.get(&id)).map(|grant| grant.billing_account.clone());
            let wanted = charged.workspace == *workspace
                && filter.from.is_none_or(|from| charged.at >= from)
                && filter.until.is_none_or(|until| charged.at < until)
                && filter.account.as_ref().is_none_or(|wanted| account.as_ref() == Some(wanted))
                && filter.task.as_ref().is_none_or(|task| charged.task == *task)
                && filter.unit.as_ref().is_none_or(|wanted| unit == wanted);
            if wanted {
                let day = charged.at.to_zoned(jiff::tz::TimeZone::UTC).date();
                let sum = sums.entry((day, account, charged.task.clone(), unit.clone())).or_default();
                *sum = sum.saturating_add(charged.amount).min(9_000_000_000_000_000_000);
            }
        }
        let sum = |((day, account, task, unit), amount)| UsageSum { account, task, unit, day, amount };
        sums.into_iter().map(sum).collect()
    }

    pub(super) fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Vec<Usage> {
        let wanted = |run: &RunId, charged: &Charged| runs.contains(run) && charged.workspace == *workspace;
        let found = self.usage.iter().filter(|((run, ..), charged)| wanted(run, charged));
        let usage = |((run, attempt, unit), charged): (&(RunId, u32, String), &Charged)| Usage {
            run: *run,
            attempt: *attempt,
            unit: unit.clone(),
            amount: charged.amount,
        };
        found.map(usage).collect()
    }

    pub(super) fn prune_records(
        &mut self,
        kept: SignedDuration,
        usage_kept: SignedDuration,
        now: Timestamp,
    ) -> (usize, usize) {
        let old = |at: Timestamp, kept: SignedDuration| later(at, kept) <= now;
        let before = (self.skips.len(), self.usage.len());
        self.skips.retain(|skip| !old(skip.at, kept));
        self.usage.retain(|_, charged| !old(charged.at, usage_kept));
        (before.0 - self.skips.len(), before.1 - self.usage.len())
    }
}
