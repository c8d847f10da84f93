//! The state, and the verbs that change one run at a time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::chains::Charged;
use crate::access::{Token, TokenHash, TokenId};
use crate::clock::{earlier, later};
use crate::run::lifecycle::{self, Command, CommandOutcome, LeaseLost, Step};
use crate::run::{
    Attempt, GrantId, IdempotencyKey, LaneName, QueueName, Run, RunId, ScheduleId, Status, WorkerId, WorkspaceName,
};
use crate::schedule::{Grant, Schedule, Skip};
use crate::store::{
    Admission, Append, AppendOutcome, AuditRecord, Event, Finish, FinishOutcome, LanePolicy, LanePolicyOutcome, Lease,
    Pruned, QueueSettings, Renew, Renewal, Retention, Worker,
};

pub(super) type LaneKey = (WorkspaceName, LaneName);

/// Everything there is.
#[derive(Default)]
pub(super) struct Model {
    pub(super) runs: BTreeMap<RunId, Run>,
    pub(super) last_seq: i64,
    /// What each run waits for and has not ended yet.
    pub(super) waits: BTreeMap<RunId, BTreeSet<RunId>>,
    pub(super) attempts: BTreeMap<RunId, Vec<Attempt>>,
    pub(super) events: BTreeMap<RunId, Vec<Event>>,
    pub(super) idempotency: BTreeMap<(WorkspaceName, IdempotencyKey), Remembered>,
    pub(super) lane_policies: BTreeMap<LaneKey, LanePolicy>,
    /// The paused and failed runs that hold their lanes.
    pub(super) holds: BTreeSet<RunId>,
    pub(super) queues: BTreeMap<(WorkspaceName, QueueName), QueueSettings>,
    pub(super) workers: BTreeMap<WorkerId, Worker>,
    pub(super) workspaces: BTreeSet<WorkspaceName>,
    pub(super) tokens: BTreeMap<TokenId, (TokenHash, Token)>,
    pub(super) audit: Vec<AuditRecord>,
    pub(super) last_audit: i64,
    pub(super) grants: BTreeMap<GrantId, Grant>,
    pub(super) schedules: BTreeMap<ScheduleId, Schedule>,
    pub(super) skips: Vec<Skip>,
    pub(super) usage: BTreeMap<(RunId, u32, String), Charged>,
}

/// A request that was made under an idempotency key.
pub(super) struct Remembered {
    pub(super) run: RunId,
    pub(super) fingerprint: Vec<u8>,
    pub(super) expires_at: Timestamp,
}

impl Model {
    pub(super) fn new() -> Self {
        Self { workspaces: BTreeSet::from([WorkspaceName::default()]), ..Self::default() }
    }

    pub(super) fn find(&self, workspace: &WorkspaceName, run: RunId) -> Option<&Run> {
        self.runs.get(&run).filter(|run| run.workspace == *workspace)
    }

    pub(super) fn live(&self) -> impl Iterator<Item = &Run> {
        self.runs.values().filter(|run| !run.status().is_terminal())
    }

    pub(super) fn is_full(&self, admission: Admission) -> bool {
        admission.queue_size.is_some_and(|size| self.live().count() as u64 >= size)
    }

    /// Stores what a transition made of a run, with all that follows from it.
    pub(super) fn apply(&mut self, step: Step, now: Timestamp) {
        self.attempts.entry(step.run.id).or_default().extend(step.ended);
        self.put(step.run);
        self.recompute_ready(now);
    }

    /// Stores a run. Whoever comes to a stop in a lane that holds, holds it; whoever moves on lets go;
    /// whoever is over waits for nothing.
    pub(super) fn put(&mut self, run: Run) {
        let before = self.runs.get(&run.id);
        if before.is_none_or(|before| before.status() != run.status() || before.lane != run.lane) {
            if run.status().holds_lane() && self.policy_of(&run) == LanePolicy::Hold {
                self.holds.insert(run.id);
            } else {
                self.holds.remove(&run.id);
            }
        }
        if run.status().is_terminal() {
            self.waits.remove(&run.id);
        }
        self.runs.insert(run.id, run);
    }

    fn policy_of(&self, run: &Run) -> LanePolicy {
        let Some(lane) = &run.lane else { return LanePolicy::Continue };
        self.lane_policies.get(&(run.workspace.clone(), lane.clone())).copied().unwrap_or_default()
    }

    pub(super) fn waits_of(&self, run: RunId) -> BTreeSet<RunId> {
        self.waits.get(&run).cloned().unwrap_or_default()
    }

    pub(super) fn renew(&mut self, Renew { lease, began }: &Renew, ttl: SignedDuration, now: Timestamp) -> Renewal {
        let Some(run) = self.runs.get(&lease.run).cloned() else { return Renewal::LeaseLost };
        match lifecycle::renew(run, lease.epoch, later(now, ttl), began.map(|ago| earlier(now, ago)), now) {
            Ok((step, stop)) => {
                self.apply(step, now);
                Renewal::Renewed { stop }
            }
            Err(LeaseLost) => Renewal::LeaseLost,
        }
    }

    pub(super) fn finish(&mut self, finishes: &[Finish], now: Timestamp) -> Vec<FinishOutcome> {
        let finish = |Finish { lease, outcome, jitter, ran }: Finish| {
            let began = earlier(now, ran);
            self.end_attempt(lease, now, |run| lifecycle::finish(run, lease.epoch, outcome, jitter, began, now))
        };
        finishes.iter().cloned().map(finish).collect()
    }

    pub(super) fn end_attempt(
        &mut self,
        lease: Lease,
        now: Timestamp,
        transition: impl FnOnce(Run) -> Result<Step, LeaseLost>,
    ) -> FinishOutcome {
        let Some(run) = self.runs.get(&lease.run).cloned() else { return FinishOutcome::LeaseLost };
        match transition(run) {
            Ok(step) => {
                let status = step.run.status();
                self.apply(step, now);
                FinishOutcome::Accepted(status)
            }
            Err(LeaseLost) => FinishOutcome::LeaseLost,
        }
    }

    pub(super) fn append(&mut self, append: &Append, now: Timestamp) -> AppendOutcome {
        let Some(run) = self.runs.get(&append.lease.run).cloned() else { return AppendOutcome::LeaseLost };
        if !lifecycle::holds(&run, append.lease.epoch, now) {
            return AppendOutcome::LeaseLost;
        }
        // Whoever has something to say has begun.
        let run = lifecycle::begin(run, now);
        self.put(run.clone());
        self.charge(&run, &append.events, now);
        let (attempt, events) = (run.attempt, self.events.entry(run.id).or_default());
        for event in &append.events {
            let seq = events.len() as i64 + 1;
            events.push(Event { seq, at: now, attempt, kind: event.kind, data: event.data.clone() });
        }
        AppendOutcome::Appended { last: events.len() as i64 }
    }

    pub(super) fn command(
        &mut self,
        workspace: &WorkspaceName,
        run: RunId,
        command: Command,
        admission: Admission,
        now: Timestamp,
    ) -> CommandOutcome {
        let Some(run) = self.find(workspace, run).cloned() else { return CommandOutcome::NotFound };
        let was_over = run.status().is_terminal();
        let waits = !self.waits_of(run.id).is_empty();
        match lifecycle::command(run, command, waits, now) {
            Ok((step, CommandOutcome::Dismissed)) => self.dismiss(step.run.id, now),
            Ok((_, CommandOutcome::Resumed)) if was_over && self.is_full(admission) => CommandOutcome::QueueFull,
            Ok((step, outcome)) => {
                self.apply(step, now);
                outcome
            }
            Err(refused) => refused,
        }
    }

    fn dismiss(&mut self, run: RunId, now: Timestamp) -> CommandOutcome {
        if !self.holds.remove(&run) {
            return CommandOutcome::NotHolding;
        }
        self.recompute_ready(now);
        CommandOutcome::Dismissed
    }

    /// Applies a transition to each run it concerns, in order of submission.
    pub(super) fn change_each(
        &mut self,
        limit: usize,
        now: Timestamp,
        transition: impl Fn(Run) -> Option<Step>,
    ) -> Vec<RunId> {
        let mut runs: Vec<Run> = self.live().cloned().collect();
        runs.sort_by_key(|run| run.seq);
        let steps: Vec<Step> = runs.into_iter().filter_map(transition).take(limit).collect();
        steps
            .into_iter()
            .map(|step| {
                let id = step.run.id;
                self.apply(step, now);
                id
            })
            .collect()
    }

    pub(super) fn set_lane_policy(
        &mut self,
        workspace: &WorkspaceName,
        lane: &LaneName,
        policy: LanePolicy,
        now: Timestamp,
    ) -> LanePolicyOutcome {
        if !self.workspaces.contains(workspace) {
            return LanePolicyOutcome::UnknownWorkspace;
        }
        let before = self.lane_policies.insert((workspace.clone(), lane.clone()), policy).unwrap_or_default();
        if policy == LanePolicy::Continue {
            self.release_lane(workspace, lane, now);
        }
        if before == policy { LanePolicyOutcome::Unchanged } else { LanePolicyOutcome::Changed }
    }

    pub(super) fn release_lane(&mut self, workspace: &WorkspaceName, lane: &LaneName, now: Timestamp) -> usize {
        let held_by = self.holders(workspace, lane);
        for run in &held_by {
            self.holds.remove(run);
        }
        self.recompute_ready(now);
        held_by.len()
    }

    pub(super) fn holders(&self, workspace: &WorkspaceName, lane: &LaneName) -> Vec<RunId> {
        let in_lane = |run: &&RunId| self.find(workspace, **run).is_some_and(|run| run.lane.as_ref() == Some(lane));
        self.holds.iter().filter(in_lane).copied().collect()
    }

    pub(super) fn prune(&mut self, retention: &Retention, limit: usize, now: Timestamp) -> Pruned {
        let old = |at: Timestamp, kept: SignedDuration| later(at, kept) <= now;
        let runs: Vec<RunId> = self
            .runs
            .values()
            .filter(|run| run.finished_at().is_some_and(|at| old(at, retention.finished)))
            .filter(|run| !self.holds.contains(&run.id))
            .map(|run| run.id)
            .take(limit)
            .collect();
        for run in &runs {
            self.runs.remove(run);
            self.attempts.remove(run);
            self.events.remove(run);
        }
        let mut pruned = Pruned { runs: runs.len(), ..Pruned::default() };
        let before = (self.idempotency.len(), self.workers.len(), self.audit.len());
        self.idempotency.retain(|_, remembered| remembered.expires_at > now);
        self.workers.retain(|_, worker| !old(worker.seen_at, retention.workers));
        self.audit.retain(|record| !old(record.at, retention.audit));
        pruned.idempotency_keys = before.0 - self.idempotency.len();
        pruned.workers = before.1 - self.workers.len();
        pruned.audit = before.2 - self.audit.len();
        (pruned.skips, pruned.usage) = self.prune_records(retention.finished, retention.usage, now);
        pruned
    }
}

impl Status {
    /// Whether a run in it has its lane to itself.
    pub(super) fn occupies_lane(self) -> bool {
        matches!(self, Status::Running | Status::Retrying)
    }
}
