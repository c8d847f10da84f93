//! Where runs are stored. [`Store`] is the interface: domain verbs that take batches, the same on every database.
//!
//! `memory` is the reference model: short, slow, obviously right. `sqlite` and `postgres` are the real ones: `script` implements
//! the trait for both, over the statements of each. `conformance` holds the sentences that all three must make true.

#[cfg(feature = "conformance")]
pub mod checker;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
pub mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
mod ready;
mod schedules;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod script;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod types;
#[cfg(feature = "conformance")]
mod wrapper;

pub use error::StoreError;
pub use ready::{DueSignal, ReadySignal};
pub use schedules::Schedules;
pub use types::*;
#[cfg(feature = "conformance")]
pub use wrapper::{StoreWrapper, Wrapped};

use async_trait::async_trait;
use jiff::SignedDuration;

use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{Attempt, Jitter, LaneName, NewRun, QueueName, Run, RunId, WorkerId, WorkspaceName};

/// How many of the newest ids are searched for one that ends so.
pub const SEARCHED_ENDS: usize = 10_000;

/// What a store answers.
pub type Result<T> = std::result::Result<T, StoreError>;

/// The queue's memory. Each verb is one transaction; each item of a batch is judged as if it had come alone, in the
/// order given, and is answered by its own outcome. An `Err` means that nothing of the whole batch was done, unless it is
/// [`StoreError::Ambiguous`]: then that is not known.
#[async_trait]
pub trait Store: Schedules {
    /// A signal that something may have become ready for a claim, or that a worker was asked to drain, from now on: a hint,
    /// given when a verb of this store answers and, where the database can, when one of another process did.
    fn ready_signal(&self) -> ReadySignal;

    /// A signal that a verb of this store has put a run off, and until when: a hint when to promote.
    fn due_signal(&self) -> DueSignal;

    /// Stores new runs. Answered only after the commit.
    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission>;

    /// As [`Store::submission`], for whoever does not care when that was.
    async fn submit(&self, runs: &[NewRun], admission: Admission) -> Result<Vec<SubmitOutcome>> {
        Ok(self.submission(runs, admission).await?.outcomes)
    }

    /// Hands out up to `capacity` runs under leases: orphaned ones first, then ready ones, workspaces in turn. Unless the request
    /// reaches for [`ClaimScope::Everything`], it may hand out nothing.
    async fn claim(&self, request: &ClaimRequest) -> Result<Claim>;

    /// Extends leases and tells what was asked of their runs meanwhile. Waits for no locked run.
    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>>;

    /// Ends attempts.
    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>>;

    /// As [`Store::finish`], and hands out in the same transaction what a claim right after would get, or the first of it. It may
    /// hand out nothing, so it is no substitute for [`Store::claim`].
    async fn finish_and_claim(&self, finishes: &[Finish], _: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        Ok((self.finish(finishes).await?, Claim::default()))
    }

    /// Gives attempts back at shutdown.
    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>>;

    /// Adds events and log chunks to running attempts.
    async fn append(&self, appends: &[Append]) -> Result<Vec<AppendOutcome>>;

    /// Cancels, pauses, resumes, enqueues or dismisses runs of a workspace.
    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>>;

    /// Submits an old run's work again, as the new run `id`.
    async fn rerun(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        id: RunId,
        admission: Admission,
    ) -> Result<RerunOutcome>;

    /// Clears leases that ran out; answers with the runs that are now up for adoption, in no order. If there are more
    /// than `limit`, those submitted first are taken. One that somebody is just changing may be left to the next call,
    /// here and in the passes below.
    async fn reap(&self, limit: usize) -> Result<Vec<RunId>>;

    /// Frees runs whose time has come, those due first before others; answers how many, and when the next one is due.
    async fn promote(&self, limit: usize) -> Result<Promoted>;

    /// Ends attempts that are past their time limit by more than `grace`, whoever holds them; of more than `limit` those
    /// of the runs submitted first. The answer is in no order.
    async fn expire(&self, grace: SignedDuration, jitter: Jitter, limit: usize) -> Result<Vec<RunId>>;

    /// Forgets what retention no longer asks to keep: at most `limit` runs, and no promise which of them first. The limit
    /// is meant for the size of a transaction; how many keys, workers and audit records go with them is the store's own
    /// affair.
    async fn prune(&self, retention: &Retention, limit: usize) -> Result<Pruned>;

    /// Says what a lane does when one of its runs fails.
    async fn set_lane_policy(
        &self,
        workspace: &WorkspaceName,
        lane: &LaneName,
        policy: LanePolicy,
    ) -> Result<LanePolicyOutcome>;

    /// Lets a held lane go on, whoever holds it; answers how many runs held it.
    async fn release_lane(&self, workspace: &WorkspaceName, lane: &LaneName) -> Result<usize>;

    /// The lanes that have live runs, holds or a policy, by name: all of them, or one.
    async fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>>;

    /// Pauses or resumes a queue and sets its concurrency limit, for claims that begin after this; `None` if there is
    /// no such workspace.
    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>>;

    /// The queues that have live runs or settings, by name. Counts the live runs of the workspace, as `counts` does.
    async fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>>;

    /// Records a worker, or that it is still there; answers whether it was asked to drain.
    async fn heartbeat(&self, worker: &WorkerInfo) -> Result<Duty>;

    /// Asks a worker to stop claiming and leave, and gives the ready signal so that it learns of it soon. One that has left
    /// stays as it is. Answers with the worker; `None` if it is unknown.
    async fn drain(&self, worker: WorkerId) -> Result<Option<Worker>>;

    /// Records that a worker has ended; `false` if it is unknown or had left. Beats it again, it is a new start.
    async fn leave(&self, worker: WorkerId) -> Result<bool>;

    /// The workers that have not left and are not forgotten, oldest first.
    async fn workers(&self) -> Result<Vec<Worker>>;

    /// Makes a workspace; `false` if it was there.
    async fn create_workspace(&self, workspace: &WorkspaceName) -> Result<bool>;

    /// Every workspace, by name.
    async fn workspaces(&self) -> Result<Vec<WorkspaceName>>;

    /// Makes a token. The id is the caller's choice, so that after a lost answer the caller can ask whether it exists.
    async fn create_token(&self, token: &NewToken) -> Result<CreateTokenOutcome>;

    /// The token with this secret, if it is neither expired nor revoked.
    async fn authenticate(&self, hash: &TokenHash) -> Result<Option<Token>>;

    /// The tokens of one workspace, or all there are, newest first. One that is good in every workspace belongs to none.
    async fn tokens(&self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>>;

    /// Revokes a token for good; who authenticates after the answer is refused.
    async fn revoke_token(&self, token: TokenId) -> Result<RevokeOutcome>;

    /// Writes down who did what, in this order.
    async fn record_audit(&self, entries: &[AuditEntry]) -> Result<()>;

    /// The audit log of one workspace, or of all, newest first.
    async fn audit(
        &self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Listed<AuditRecord, i64>>;

    /// One run, live or finished.
    async fn run(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>>;

    /// Runs, live and finished, newest id first.
    async fn runs(
        &self,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        page: &Page<RunId>,
    ) -> Result<Listed<Run, RunId>>;

    /// At most `limit` runs whose id ends in these lower-case hexadecimal digits. Only the newest
    /// [`SEARCHED_ENDS`] live runs and as many finished ones are searched: the end of an id has no index.
    async fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>>;

    /// A run's attempts, oldest first; `None` if there is no such run.
    async fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<Attempt>>>;

    /// The unfinished runs that a run waits for; `None` if there is no such run.
    async fn waits(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<RunId>>>;

    /// Where a waiting run stands in its queue. Counts up to `most` runs ahead of it, reads what is running, and no other
    /// waiting run.
    async fn position(&self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position>;

    /// For which tasks the oldest waiting runs wait, up to `most` of them, in order.
    async fn waiting_tasks(&self, most: usize) -> Result<Vec<WaitingTask>>;

    /// A run's events after a sequence number; `None` if there is no such run.
    async fn events(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Option<Vec<Event>>>;

    /// How many live runs stand where, for metrics. Reads every live run, so whoever is asked often remembers the answer
    /// for some seconds.
    async fn counts(&self) -> Result<Vec<Count>>;
}
