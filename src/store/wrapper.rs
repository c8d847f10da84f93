//! Wrappers around a store, for tests: whatever a wrapper does not do otherwise is handed on as it is.

use async_trait::async_trait;
use jiff::SignedDuration;

use super::*;
use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::run::WorkspaceName;
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{Attempt, GrantId, Jitter, LaneName, NewRun, QueueName, Run, RunId, ScheduleId, TaskName, WorkerId};
use crate::schedule::{Grant, NewGrant, NewSchedule, Schedule, ScheduleName, Skip, SkipId};

/// Makes a store of a wrapper.
#[derive(Debug)]
pub struct Wrapped<W>(pub W);

/// Lists the verbs of [`Store`] and of [`Schedules`], in two parts: a wrapper has each of them, and hands it on unless it has its
/// own.
macro_rules! wrapped {
    ({ $($verb:ident($($name:ident: $type:ty),*) -> $answer:ty;)+ } { $($other:ident($($arg:ident: $of:ty),*) -> $result:ty;)+ }) => {
        /// A store around another one.
        #[async_trait]
        #[expect(missing_docs, reason = "the verbs are those of the store")]
        pub trait StoreWrapper: Send + Sync + 'static {
            /// The store inside.
            fn inner(&self) -> &dyn Store;
            $(async fn $verb(&self, $($name: $type),*) -> Result<$answer> {
                self.inner().$verb($($name),*).await
            })+
            $(async fn $other(&self, $($arg: $of),*) -> Result<$result> {
                self.inner().$other($($arg),*).await
            })+
        }

        #[async_trait]
        impl<W: StoreWrapper> Store for Wrapped<W> {
            fn ready_signal(&self) -> ReadySignal {
                self.0.inner().ready_signal()
            }

            fn due_signal(&self) -> DueSignal {
                self.0.inner().due_signal()
            }

            $(async fn $verb(&self, $($name: $type),*) -> Result<$answer> {
                StoreWrapper::$verb(&self.0, $($name),*).await
            })+
        }

        #[async_trait]
        impl<W: StoreWrapper> Schedules for Wrapped<W> {
            $(async fn $other(&self, $($arg: $of),*) -> Result<$result> {
                StoreWrapper::$other(&self.0, $($arg),*).await
            })+
        }
    };
}

wrapped! {{
    submission(runs: &[NewRun], admission: Admission) -> Submission;
    claim(request: &ClaimRequest) -> Claim;
    renew(leases: &[Renew], ttl: SignedDuration) -> Vec<Renewal>;
    finish(finishes: &[Finish]) -> Vec<FinishOutcome>;
    finish_and_claim(finishes: &[Finish], next: &ClaimRequest) -> (Vec<FinishOutcome>, Claim);
    release(releases: &[ReleaseLease]) -> Vec<FinishOutcome>;
    append(appends: &[Append]) -> Vec<AppendOutcome>;
    command(workspace: &WorkspaceName, runs: &[RunId], command: Command, admission: Admission) -> Vec<CommandOutcome>;
    rerun(workspace: &WorkspaceName, run: RunId, id: RunId, admission: Admission) -> RerunOutcome;
    reap(limit: usize) -> Vec<RunId>;
    promote(limit: usize) -> Promoted;
    expire(grace: SignedDuration, jitter: Jitter, limit: usize) -> Vec<RunId>;
    prune(retention: &Retention, limit: usize) -> Pruned;
    set_lane_policy(workspace: &WorkspaceName, lane: &LaneName, policy: LanePolicy) -> LanePolicyOutcome;
    release_lane(workspace: &WorkspaceName, lane: &LaneName) -> usize;
    lanes(workspace: &WorkspaceName, only: Option<&LaneName>, page: &Page<LaneName>) -> Listed<Lane, LaneName>;
    set_queue(workspace: &WorkspaceName, queue: &QueueName, change: QueueChange) -> Option<QueueSettings>;
    queues(workspace: &WorkspaceName) -> Vec<Queue>;
    heartbeat(worker: &WorkerInfo) -> Duty;
    drain(worker: WorkerId) -> Option<Worker>;
    leave(worker: WorkerId) -> bool;
    workers() -> Vec<Worker>;
    create_workspace(workspace: &WorkspaceName) -> bool;
    workspaces() -> Vec<WorkspaceName>;
    create_token(token: &NewToken) -> CreateTokenOutcome;
    authenticate(hash: &TokenHash) -> Option<Token>;
    tokens(workspace: Option<&WorkspaceName>) -> Vec<Token>;
    revoke_token(token: TokenId) -> RevokeOutcome;
    record_audit(entries: &[AuditEntry]) -> ();
    audit(workspace: Option<&WorkspaceName>, filter: &AuditFilter, page: &Page<i64>) -> Listed<AuditRecord, i64>;
    run(workspace: &WorkspaceName, run: RunId) -> Option<Run>;
    runs(workspace: &WorkspaceName, filter: &RunFilter, page: &Page<RunId>) -> Listed<Run, RunId>;
    runs_ending(workspace: &WorkspaceName, end: &str, limit: usize) -> Vec<RunId>;
    attempts(workspace: &WorkspaceName, run: RunId) -> Option<Vec<Attempt>>;
    waits(workspace: &WorkspaceName, run: RunId) -> Option<Vec<RunId>>;
    position(run: &Run, workers: &[WorkerId], most: usize) -> Position;
    waiting_tasks(most: usize) -> Vec<WaitingTask>;
    events(workspace: &WorkspaceName, run: RunId, after: i64, limit: usize) -> Option<Vec<Event>>;
    counts() -> Vec<Count>;
}{
    create_grant(grant: &NewGrant) -> CreateGrantOutcome;
    grant(workspace: &WorkspaceName, grant: GrantId) -> Option<Grant>;
    grants(workspace: &WorkspaceName, page: &Page<GrantId>) -> Listed<Grant, GrantId>;
    check_grant(workspace: &WorkspaceName, grant: GrantId, task: &TaskName) -> Option<CheckedGrant>;
    revoke_grant(workspace: &WorkspaceName, grant: GrantId) -> RevokeGrantOutcome;
    create_schedule(schedule: &NewSchedule, grant: Option<&NewGrant>) -> CreateScheduleOutcome;
    edit_schedule(workspace: &WorkspaceName, schedule: ScheduleId, edit: &ScheduleEdit, grant: Option<&NewGrant>) -> EditScheduleOutcome;
    delete_schedule(workspace: &WorkspaceName, schedule: ScheduleId) -> bool;
    schedule(workspace: &WorkspaceName, schedule: ScheduleId) -> Option<Schedule>;
    schedule_named(workspace: &WorkspaceName, name: &ScheduleName) -> Option<Schedule>;
    schedules(workspace: &WorkspaceName, filter: &ScheduleFilter, page: &Page<ScheduleId>) -> Listed<Schedule, ScheduleId>;
    skips(workspace: &WorkspaceName, schedule: ScheduleId, page: &Page<SkipId>) -> Listed<Skip, SkipId>;
    sweep_schedules(limit: usize) -> Vec<ScheduleId>;
    usage(workspace: &WorkspaceName, filter: &UsageFilter) -> Vec<UsageSum>;
    usage_of(workspace: &WorkspaceName, runs: &[RunId]) -> Vec<Usage>;
}}
