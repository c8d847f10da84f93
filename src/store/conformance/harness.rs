//! A store, the clock it goes by, and the verbs as a sentence says them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::builders::{ARun, AWorker, a_run, a_worker};
use crate::clock::ManualClock;
use crate::run::lifecycle::{Command, CommandOutcome, Outcome, Release, Retry};
use crate::run::{Jitter, Json, NewRun, RunError, RunId, Status, WorkspaceName};
use crate::store::{
    Admission, Append, AppendOutcome, Claim, ClaimRequest, Claimed, EventKind, Finish, FinishOutcome, Lease, NewEvent,
    Promoted, ReleaseLease, Renewal, Store, SubmitOutcome,
};

/// How long every lease lasts.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// How long after a lease ended another host may take over.
pub(super) const TAKEOVER: SignedDuration = SignedDuration::from_secs(60);
/// Where a bench's clock should start: any time will do, but all stores should begin at the same one.
pub const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// An empty store with the workspace `default`, and the clock it goes by. Each sentence gets one of its own.
pub struct Bench {
    /// The store to judge.
    pub store: Arc<dyn Store>,
    /// Its clock.
    pub clock: ManualClock,
    /// What must live as long as the store does: a directory, a lock on a database.
    pub keep: Box<dyn std::any::Any + Send + Sync>,
}

pub(super) fn seconds(secs: i64) -> SignedDuration {
    SignedDuration::from_secs(secs)
}

pub(super) fn json(text: &str) -> Json {
    Json::parse(text).expect("valid JSON")
}

/// Who is meant where a sentence does not say.
pub(super) fn home() -> WorkspaceName {
    WorkspaceName::default()
}

/// A failure of the work, with backoff.
pub(super) fn boom() -> Outcome {
    Outcome::Failed { error: RunError::new("boom", "it broke"), retry: Retry::Backoff }
}

/// A failure after which no other attempt makes sense.
pub(super) fn boom_for_good() -> Outcome {
    Outcome::Failed { error: RunError::new("boom", "it broke"), retry: Retry::Never }
}

pub(super) fn done() -> Outcome {
    Outcome::Succeeded { output: None }
}

/// Room for so many live runs.
pub(super) fn room_for(queue_size: u64) -> Admission {
    Admission { queue_size: Some(queue_size) }
}

impl Bench {
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Lets so many seconds pass.
    pub(super) fn wait(&self, secs: i64) {
        self.clock.advance(seconds(secs));
    }

    /// So many seconds from now.
    pub(super) fn ahead(&self, secs: i64) -> Timestamp {
        self.now() + seconds(secs)
    }

    pub(super) async fn workspace(&self, name: &str) -> WorkspaceName {
        let workspace = super::builders::workspace(name);
        self.store.create_workspace(&workspace).await.expect("create_workspace answers");
        workspace
    }

    /// Submits a run that must be created.
    pub(super) async fn submit(&self, run: ARun) -> RunId {
        let id = run.0.id;
        assert_eq!(self.try_submit(run).await, SubmitOutcome::Created);
        id
    }

    pub(super) async fn try_submit(&self, run: ARun) -> SubmitOutcome {
        self.submit_all([run]).await[0]
    }

    pub(super) async fn submit_all(&self, runs: impl IntoIterator<Item = ARun>) -> Vec<SubmitOutcome> {
        self.submit_into(Admission::default(), runs).await
    }

    pub(super) async fn submit_into(
        &self,
        admission: Admission,
        runs: impl IntoIterator<Item = ARun>,
    ) -> Vec<SubmitOutcome> {
        let requests: Vec<NewRun> = runs.into_iter().map(NewRun::from).collect();
        let outcomes = self.store.submit(&requests, admission).await.expect("submit answers");
        assert_eq!(outcomes.len(), requests.len(), "every request has its answer");
        outcomes
    }

    /// A run that a worker has just claimed.
    pub(super) async fn running(&self) -> Claimed {
        self.started(a_run()).await
    }

    /// Submits a run and has a worker claim it, which must be the only one ready.
    pub(super) async fn started(&self, run: ARun) -> Claimed {
        let id = self.submit(run).await;
        let claimed = self.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, id, "the run just submitted is claimed");
        claimed
    }

    pub(super) async fn claim_as(&self, request: &ClaimRequest) -> Claim {
        self.store.claim(request).await.expect("claim answers")
    }

    pub(super) async fn claim(&self, worker: &AWorker, capacity: usize) -> Vec<Claimed> {
        self.claim_as(&worker.asks_for(capacity)).await.runs
    }

    pub(super) async fn claim_ids(&self, worker: &AWorker, capacity: usize) -> Vec<RunId> {
        self.claim(worker, capacity).await.iter().map(|claimed| claimed.run.id).collect()
    }

    pub(super) async fn claim_one(&self, worker: &AWorker) -> Claimed {
        self.claim(worker, 1).await.pop().expect("there is a run to claim")
    }

    /// Nothing can be claimed by anybody.
    pub(super) async fn nothing_to_claim(&self) {
        assert_eq!(self.claim_ids(&a_worker(), 100).await, []);
    }

    pub(super) async fn renew(&self, lease: Lease) -> Renewal {
        self.store.renew(&[lease.into()], LEASE).await.expect("renew answers")[0]
    }

    pub(super) async fn finish(&self, lease: Lease, outcome: Outcome) -> FinishOutcome {
        self.finish_with(lease, outcome, Jitter(0)).await
    }

    pub(super) async fn finish_with(&self, lease: Lease, outcome: Outcome, jitter: Jitter) -> FinishOutcome {
        self.store.finish(&[Finish { jitter, ..Finish::of(lease, outcome) }]).await.expect("finish answers")[0]
    }

    pub(super) async fn succeed(&self, claimed: &Claimed) {
        let accepted = FinishOutcome::Accepted(Status::Succeeded);
        assert_eq!(self.finish(claimed.lease(), done()).await, accepted);
    }

    /// Fails the attempt; more may follow.
    pub(super) async fn fail(&self, claimed: &Claimed) -> FinishOutcome {
        self.finish(claimed.lease(), boom()).await
    }

    /// Fails the run.
    pub(super) async fn fail_for_good(&self, claimed: &Claimed) {
        let accepted = FinishOutcome::Accepted(Status::Failed);
        assert_eq!(self.finish(claimed.lease(), boom_for_good()).await, accepted);
    }

    pub(super) async fn release(&self, lease: Lease, how: Release) -> FinishOutcome {
        self.store.release(&[ReleaseLease { lease, how }]).await.expect("release answers")[0]
    }

    /// Appends log lines.
    pub(super) async fn log(&self, lease: Lease, lines: &[&str]) -> AppendOutcome {
        let event = |line: &&str| NewEvent { kind: EventKind::Log, data: json(&format!("{line:?}")) };
        let append = Append { lease, events: lines.iter().map(event).collect() };
        self.store.append(&[append]).await.expect("append answers")[0]
    }

    pub(super) async fn command(&self, run: RunId, command: Command) -> CommandOutcome {
        self.command_of(&home(), run, command).await
    }

    pub(super) async fn command_of(&self, workspace: &WorkspaceName, run: RunId, command: Command) -> CommandOutcome {
        self.store.command(workspace, &[run], command, Admission::default()).await.expect("command answers")[0]
    }

    pub(super) async fn cancel(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Cancel).await
    }

    pub(super) async fn pause(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Pause).await
    }

    pub(super) async fn resume(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Resume).await
    }

    pub(super) async fn enqueue(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Enqueue).await
    }

    pub(super) async fn dismiss(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Dismiss).await
    }

    pub(super) async fn reap(&self) -> Vec<RunId> {
        self.store.reap(100).await.expect("reap answers")
    }

    pub(super) async fn promote(&self) -> usize {
        self.promote_up_to(100).await.runs
    }

    pub(super) async fn promote_up_to(&self, limit: usize) -> Promoted {
        self.store.promote(limit).await.expect("promote answers")
    }

    /// How long the promote pass says it may sleep.
    pub(super) async fn next_due(&self) -> Option<SignedDuration> {
        self.promote_up_to(100).await.next_due
    }

    /// Ends overdue attempts without any grace.
    pub(super) async fn expire(&self) -> Vec<RunId> {
        self.store.expire(seconds(0), Jitter(0), 100).await.expect("expire answers")
    }

    /// Lets every lease run out, and reaps.
    pub(super) async fn lose_workers(&self) {
        self.clock.advance(LEASE);
        self.reap().await;
    }

    /// Lets the longest wait between attempts pass, and promotes.
    pub(super) async fn wait_for_retry(&self) {
        self.wait(60);
        self.promote().await;
    }

    /// Claims whatever can be claimed.
    pub(super) async fn claim_all(&self) -> Vec<Claimed> {
        self.claim(&a_worker(), 100).await
    }

    pub(super) async fn succeeded(&self, run: ARun) -> RunId {
        let claimed = self.started(run).await;
        self.succeed(&claimed).await;
        claimed.run.id
    }

    pub(super) async fn failed(&self, run: ARun) -> RunId {
        let claimed = self.started(run).await;
        self.fail_for_good(&claimed).await;
        claimed.run.id
    }

    /// A run whose only attempt took longer than its seven seconds.
    pub(super) async fn timed_out(&self, run: ARun) -> RunId {
        let claimed = self.started(run.max_attempts(1).timeout(7)).await;
        let outcome = self.finish(claimed.lease(), Outcome::TimedOut { limit_seconds: None }).await;
        assert_eq!(outcome, FinishOutcome::Accepted(Status::TimedOut));
        claimed.run.id
    }

    pub(super) async fn cancelled(&self, run: ARun) -> RunId {
        let id = self.submit(run).await;
        assert_eq!(self.cancel(id).await, CommandOutcome::Cancelled);
        id
    }

    pub(super) async fn paused(&self, run: ARun) -> RunId {
        let id = self.submit(run).await;
        assert_eq!(self.pause(id).await, CommandOutcome::Paused);
        id
    }

    /// A run whose first attempt failed and whose second is a second away.
    pub(super) async fn retrying(&self, run: ARun) -> RunId {
        let claimed = self.started(run).await;
        assert_eq!(self.fail(&claimed).await, FinishOutcome::Accepted(Status::Retrying));
        claimed.run.id
    }
}
