//! The reference model: what every verb means, in the plainest code that is right.
//!
//! One lock, ordered maps, and no bookkeeping to go stale: after each verb `Model::settle` looks at everything
//! and decides anew what is ready. The databases keep readiness up to date step by step instead; the model tests
//! compare the two.

mod access;
mod chains;
mod claim;
mod model;
mod read;
mod readiness;
mod schedules;
mod submit;
mod workers;

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use self::model::Model;
use super::ready::Signals;
use super::{
    Admission, Append, AppendOutcome, AuditEntry, AuditFilter, AuditRecord, Claim, ClaimRequest, ClaimScope, Count,
    CreateTokenOutcome, DueSignal, Duty, Event, Finish, FinishOutcome, Lane, LanePolicy, LanePolicyOutcome, Listed,
    Page, Position, Promoted, Pruned, Queue, QueueChange, QueueSettings, ReadySignal, ReleaseLease, Renew, Renewal,
    RerunOutcome, Result, Retention, RevokeOutcome, RunFilter, Store, Submission, WaitingTask, Worker, WorkerInfo,
};
use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::clock::Clock;
use crate::run::lifecycle::{self, Command, CommandOutcome};
use crate::run::{Attempt, Jitter, LaneName, NewRun, QueueName, Run, RunId, WorkerId, WorkspaceName};

/// A store that forgets everything when it is dropped.
pub struct MemoryStore {
    model: Mutex<Model>,
    clock: Clock,
    signals: Signals,
}

impl MemoryStore {
    /// An empty store with the workspace `default`.
    pub fn new(clock: Clock) -> Self {
        Self { model: Mutex::new(Model::new()), clock, signals: Signals::default() }
    }

    /// The model and the time, for the length of one verb.
    fn open(&self) -> (MutexGuard<'_, Model>, Timestamp) {
        (self.model.lock().unwrap_or_else(PoisonError::into_inner), self.clock.host_now())
    }

    /// Carries out a verb, schedules next slots, and signals if a claim could now get something that it could not get before.
    fn change<T>(&self, verb: impl FnOnce(&mut Model, Timestamp) -> T) -> T {
        let (mut model, now) = self.open();
        let before = model.claimable();
        let answer = verb(&mut model, now);
        model.advance_schedules(now);
        if !model.claimable().is_subset(&before) {
            self.signals.notify_ready();
        }
        if let Some(wait) = model.next_due(now) {
            self.signals.notify_due(wait);
        }
        answer
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn ready_signal(&self) -> ReadySignal {
        self.signals.ready_signal()
    }

    fn due_signal(&self) -> DueSignal {
        self.signals.due_signal()
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        Ok(self.change(|model, now| Submission {
            outcomes: runs.iter().map(|run| model.submit(run, admission, now)).collect(),
            at: Some(now),
        }))
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        match request.scope {
            ClaimScope::Everything => Ok(self.change(|model, now| model.claim(request, now))),
            ClaimScope::KnownStreams | ClaimScope::FreedLanes => Ok(Claim::default()),
        }
    }

    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
        Ok(self.change(|model, now| leases.iter().map(|lease| model.renew(lease, ttl, now)).collect()))
    }

    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
        Ok(self.change(|model, now| model.finish(finishes, now)))
    }

    async fn finish_and_claim(&self, finishes: &[Finish], next: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        Ok(self.change(|model, now| {
            let outcomes = model.finish(finishes, now);
            model.advance_schedules(now);
            let claim = if next.scope == ClaimScope::FreedLanes { Claim::default() } else { model.claim(next, now) };
            (outcomes, claim)
        }))
    }

    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        Ok(self.change(|model, now| {
            let release = |ReleaseLease { lease, how }: &ReleaseLease| {
                model.end_attempt(*lease, now, |run| lifecycle::release(run, lease.epoch, *how, now))
            };
            releases.iter().map(release).collect()
        }))
    }

    async fn append(&self, appends: &[Append]) -> Result<Vec<AppendOutcome>> {
        let (mut model, now) = self.open();
        Ok(appends.iter().map(|append| model.append(append, now)).collect())
    }

    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>> {
        Ok(self.change(|model, now| {
            runs.iter().map(|run| model.command(workspace, *run, command, admission, now)).collect()
        }))
    }

    async fn rerun(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        id: RunId,
        admission: Admission,
    ) -> Result<RerunOutcome> {
        Ok(self.change(|model, now| {
            let Some(old) = model.find(workspace, run) else { return RerunOutcome::NotFound };
            let request = lifecycle::rerun(old, id);
            RerunOutcome::Submitted(model.submit(&request, admission, now))
        }))
    }

    async fn reap(&self, limit: usize) -> Result<Vec<RunId>> {
        Ok(self.change(|model, now| model.change_each(limit, now, |run| lifecycle::orphan(run, now))))
    }

    async fn promote(&self, limit: usize) -> Result<Promoted> {
        Ok(self.change(|model, now| model.promote(limit, now)))
    }

    async fn expire(&self, grace: SignedDuration, jitter: Jitter, limit: usize) -> Result<Vec<RunId>> {
        Ok(self.change(|model, now| model.change_each(limit, now, |run| lifecycle::overdue(run, grace, jitter, now))))
    }

    async fn prune(&self, retention: &Retention, limit: usize) -> Result<Pruned> {
        let (mut model, now) = self.open();
        Ok(model.prune(retention, limit, now))
    }

    async fn set_lane_policy(
        &self,
        workspace: &WorkspaceName,
        lane: &LaneName,
        policy: LanePolicy,
    ) -> Result<LanePolicyOutcome> {
        Ok(self.change(|model, now| model.set_lane_policy(workspace, lane, policy, now)))
    }

    async fn release_lane(&self, workspace: &WorkspaceName, lane: &LaneName) -> Result<usize> {
        Ok(self.change(|model, now| model.release_lane(workspace, lane, now)))
    }

    async fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>> {
        let (model, _) = self.open();
        Ok(model.lanes(workspace, only, page))
    }

    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        Ok(self.change(|model, _| {
            if !model.workspaces.contains(workspace) {
                return None;
            }
            let settings = model.queues.entry((workspace.clone(), queue.clone())).or_default();
            *settings = change.applied_to(*settings);
            Some(*settings)
        }))
    }

    async fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
        let (model, _) = self.open();
        Ok(model.queues(workspace))
    }

    async fn heartbeat(&self, worker: &WorkerInfo) -> Result<Duty> {
        let (mut model, now) = self.open();
        Ok(model.heartbeat(worker, now))
    }

    async fn drain(&self, worker: WorkerId) -> Result<Option<Worker>> {
        let (mut model, now) = self.open();
        let asked = model.drain(worker, now);
        if asked.is_some() {
            self.signals.notify_ready();
        }
        Ok(asked)
    }

    async fn leave(&self, worker: WorkerId) -> Result<bool> {
        let (mut model, now) = self.open();
        Ok(model.leave(worker, now))
    }

    async fn workers(&self) -> Result<Vec<Worker>> {
        let (model, now) = self.open();
        Ok(model.workers(now))
    }

    async fn create_workspace(&self, workspace: &WorkspaceName) -> Result<bool> {
        let (mut model, _) = self.open();
        Ok(model.workspaces.insert(workspace.clone()))
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceName>> {
        let (model, _) = self.open();
        Ok(model.workspaces.iter().cloned().collect())
    }

    async fn create_token(&self, token: &NewToken) -> Result<CreateTokenOutcome> {
        let (mut model, now) = self.open();
        Ok(model.create_token(token, now))
    }

    async fn authenticate(&self, hash: &TokenHash) -> Result<Option<Token>> {
        let (model, now) = self.open();
        Ok(model.authenticate(hash, now))
    }

    async fn tokens(&self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>> {
        let (model, _) = self.open();
        Ok(model.tokens(workspace))
    }

    async fn revoke_token(&self, token: TokenId) -> Result<RevokeOutcome> {
        let (mut model, now) = self.open();
        Ok(model.revoke_token(token, now))
    }

    async fn record_audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let (mut model, now) = self.open();
        model.record_audit(entries, now);
        Ok(())
    }

    async fn audit(
        &self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Listed<AuditRecord, i64>> {
        let (model, _) = self.open();
        Ok(model.audit(workspace, filter, page))
    }

    async fn run(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        let (model, _) = self.open();
        Ok(model.find(workspace, run).cloned())
    }

    async fn runs(
        &self,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        page: &Page<RunId>,
    ) -> Result<Listed<Run, RunId>> {
        let (model, _) = self.open();
        Ok(model.list(workspace, filter, page))
    }

    async fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<Attempt>>> {
        let (model, _) = self.open();
        Ok(model.attempts(workspace, run))
    }

    async fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>> {
        let (model, _) = self.open();
        Ok(model.runs_ending(workspace, end, limit))
    }

    async fn waits(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<RunId>>> {
        let (model, _) = self.open();
        Ok(model.find(workspace, run).map(|run| model.waits_of(run.id).into_iter().collect()))
    }

    async fn events(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Option<Vec<Event>>> {
        let (model, _) = self.open();
        Ok(model.events(workspace, run, after, limit))
    }

    async fn position(&self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position> {
        let (model, _) = self.open();
        Ok(model.position(run, workers, most))
    }

    async fn waiting_tasks(&self, most: usize) -> Result<Vec<WaitingTask>> {
        let (model, _) = self.open();
        Ok(model.waiting_tasks(most))
    }

    async fn counts(&self) -> Result<Vec<Count>> {
        let (model, _) = self.open();
        Ok(model.counts())
    }
}
