//! A store, the clock it goes by, and the verbs as a sentence says them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::builders::{ARun, AWorker, a_run, a_worker};
use crate::clock::ManualClock;
use crate::run::lifecycle::{Command, CommandOutcome, Outcome, Release, Retry};
use crate::run::{Jitter, Json, NewRun, RunError, RunId, WorkspaceName};
use crate::store::{
    Admission, Append, AppendOutcome, Claim, ClaimRequest, Claimed, EventKind, Finish, FinishOutcome, Lease, NewEvent,
    ReleaseLease, Renewal, Store, SubmitOutcome,
};

/// How long every lease lasts.
pub const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// How long after a lease ended another host may take over.
pub const TAKEOVER: SignedDuration = SignedDuration::from_secs(60);
/// Where a bench's clock should start: any time will do, but all stores should begin at the same one.
pub const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// An empty store with the workspace `default`, and the clock it goes by. Each sentence gets one of its own.
pub struct Bench {
    /// The store to judge.
    pub store: Arc<dyn Store>,
    /// Its clock.
    pub clock: ManualClock,
}

pub fn seconds(secs: i64) -> SignedDuration {
    SignedDuration::from_secs(secs)
}

pub fn json(text: &str) -> Json {
    Json::parse(text).expect("valid JSON")
}

/// Who is meant where a sentence does not say.
pub fn home() -> WorkspaceName {
    WorkspaceName::default()
}

/// A failure of the work, with backoff.
pub fn boom() -> Outcome {
    Outcome::Failed { error: RunError::new("boom", "it broke"), retry: Retry::Backoff }
}

/// A failure after which no other attempt makes sense.
pub fn boom_for_good() -> Outcome {
    Outcome::Failed { error: RunError::new("boom", "it broke"), retry: Retry::Never }
}

pub fn done() -> Outcome {
    Outcome::Succeeded { output: None }
}

/// Room for so many live runs.
pub fn room_for(queue_size: u64) -> Admission {
    Admission { queue_size: Some(queue_size) }
}

impl Bench {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Lets so many seconds pass.
    pub fn wait(&self, secs: i64) {
        self.clock.advance(seconds(secs));
    }

    /// So many seconds from now.
    pub fn ahead(&self, secs: i64) -> Timestamp {
        self.now() + seconds(secs)
    }

    pub async fn workspace(&self, name: &str) -> WorkspaceName {
        let workspace = super::builders::workspace(name);
        self.store.create_workspace(&workspace).await.expect("create_workspace answers");
        workspace
    }

    /// Submits a run that must be created.
    pub async fn submit(&self, run: ARun) -> RunId {
        let id = run.0.id;
        assert_eq!(self.try_submit(run).await, SubmitOutcome::Created);
        id
    }

    pub async fn try_submit(&self, run: ARun) -> SubmitOutcome {
        self.submit_all([run]).await[0]
    }

    pub async fn submit_all(&self, runs: impl IntoIterator<Item = ARun>) -> Vec<SubmitOutcome> {
        self.submit_into(Admission::default(), runs).await
    }

    pub async fn submit_into(
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
    pub async fn running(&self) -> Claimed {
        self.started(a_run()).await
    }

    /// Submits a run and has a worker claim it, which must be the only one ready.
    pub async fn started(&self, run: ARun) -> Claimed {
        let id = self.submit(run).await;
        let claimed = self.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, id, "the run just submitted is claimed");
        claimed
    }

    pub async fn claim_as(&self, request: &ClaimRequest) -> Claim {
        self.store.claim(request).await.expect("claim answers")
    }

    pub async fn claim(&self, worker: &AWorker, capacity: usize) -> Vec<Claimed> {
        self.claim_as(&worker.asks_for(capacity)).await.runs
    }

    pub async fn claim_ids(&self, worker: &AWorker, capacity: usize) -> Vec<RunId> {
        self.claim(worker, capacity).await.iter().map(|claimed| claimed.run.id).collect()
    }

    pub async fn claim_one(&self, worker: &AWorker) -> Claimed {
        self.claim(worker, 1).await.pop().expect("there is a run to claim")
    }

    /// Nothing can be claimed by anybody.
    pub async fn nothing_to_claim(&self) {
        assert_eq!(self.claim_ids(&a_worker(), 100).await, []);
    }

    pub async fn renew(&self, lease: Lease) -> Renewal {
        self.store.renew(&[lease], LEASE).await.expect("renew answers")[0]
    }

    pub async fn finish(&self, lease: Lease, outcome: Outcome) -> FinishOutcome {
        self.finish_with(lease, outcome, Jitter(0)).await
    }

    pub async fn finish_with(&self, lease: Lease, outcome: Outcome, jitter: Jitter) -> FinishOutcome {
        self.store.finish(&[Finish { lease, outcome, jitter }]).await.expect("finish answers")[0]
    }

    pub async fn succeed(&self, claimed: &Claimed) {
        let accepted = FinishOutcome::Accepted(crate::run::Status::Succeeded);
        assert_eq!(self.finish(claimed.lease(), done()).await, accepted);
    }

    /// Fails the attempt; more may follow.
    pub async fn fail(&self, claimed: &Claimed) -> FinishOutcome {
        self.finish(claimed.lease(), boom()).await
    }

    /// Fails the run.
    pub async fn fail_for_good(&self, claimed: &Claimed) {
        let accepted = FinishOutcome::Accepted(crate::run::Status::Failed);
        assert_eq!(self.finish(claimed.lease(), boom_for_good()).await, accepted);
    }

    pub async fn release(&self, lease: Lease, how: Release) -> FinishOutcome {
        self.store.release(&[ReleaseLease { lease, how }]).await.expect("release answers")[0]
    }

    /// Appends log lines.
    pub async fn log(&self, lease: Lease, lines: &[&str]) -> AppendOutcome {
        let event = |line: &&str| NewEvent { kind: EventKind::Log, data: json(&format!("{line:?}")) };
        let append = Append { lease, events: lines.iter().map(event).collect() };
        self.store.append(&[append]).await.expect("append answers")[0]
    }

    pub async fn command(&self, run: RunId, command: Command) -> CommandOutcome {
        self.command_of(&home(), run, command).await
    }

    pub async fn command_of(&self, workspace: &WorkspaceName, run: RunId, command: Command) -> CommandOutcome {
        self.store.command(workspace, &[run], command, Admission::default()).await.expect("command answers")[0]
    }

    pub async fn cancel(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Cancel).await
    }

    pub async fn pause(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Pause).await
    }

    pub async fn resume(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Resume).await
    }

    pub async fn enqueue(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Enqueue).await
    }

    pub async fn dismiss(&self, run: RunId) -> CommandOutcome {
        self.command(run, Command::Dismiss).await
    }

    pub async fn reap(&self) -> Vec<RunId> {
        self.store.reap(100).await.expect("reap answers")
    }

    pub async fn promote(&self) -> usize {
        self.store.promote(100).await.expect("promote answers")
    }

    /// Ends overdue attempts without any grace.
    pub async fn expire(&self) -> Vec<RunId> {
        self.store.expire(seconds(0), Jitter(0), 100).await.expect("expire answers")
    }

    /// Lets every lease run out, and reaps.
    pub async fn lose_workers(&self) {
        self.clock.advance(LEASE);
        self.reap().await;
    }

    /// Lets the longest wait between attempts pass, and promotes.
    pub async fn wait_for_retry(&self) {
        self.wait(60);
        self.promote().await;
    }
}
