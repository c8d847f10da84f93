//! The verbs, each on the thread where it belongs: what writes on the writer's, what reads on a reader's.

use async_trait::async_trait;
use jiff::SignedDuration;

use super::SqliteStore;
use super::job::now;
use super::session::Session;
use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{Attempt, Jitter, LaneName, NewRun, QueueName, Run, RunId, WorkerId, WorkspaceName};
use crate::store::script;
use crate::store::{
    Admission, Append, AppendOutcome, AuditEntry, AuditFilter, AuditRecord, Claim, ClaimRequest, Count,
    CreateTokenOutcome, DueSignal, Duty, Event, Finish, FinishOutcome, Lane, LanePolicy, LanePolicyOutcome, Listed,
    Page, Position, Promoted, Pruned, Queue, QueueChange, QueueSettings, Reach, ReadySignal, ReleaseLease, Renew,
    Renewal, RerunOutcome, Result, Retention, RevokeOutcome, RunFilter, Store, Submission, WaitingTask, Worker,
    WorkerInfo,
};

#[async_trait]
impl Store for SqliteStore {
    fn ready_signal(&self) -> ReadySignal {
        self.bell.signal()
    }

    fn due_signal(&self) -> DueSignal {
        self.bell.due_signal()
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        let runs = runs.to_vec();
        let verb = move |tx: &mut Session<'_>| {
            let mut submission = Submission::default();
            now(script::submit(tx, &runs, admission, &mut submission)).map(|()| submission)
        };
        self.writer.run("submit", verb).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        // One writer: a claim that looks everywhere waits no longer than another.
        if request.reach != Reach::All {
            return Ok(Claim::default());
        }
        let request = request.clone();
        self.writer.run("claim", move |tx| now(script::claim(tx, &request))).await
    }

    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
        let leases = leases.to_vec();
        self.writer.run("renew", move |tx| now(script::renew(tx, &leases, ttl))).await
    }

    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
        let finishes = finishes.to_vec();
        self.writer.run("finish", move |tx| now(script::finish(tx, &finishes))).await
    }

    async fn finish_and_claim(&self, finishes: &[Finish], next: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        let (finishes, next) = (finishes.to_vec(), next.clone());
        self.writer.run("finish", move |tx| now(script::finish_and_claim(tx, &finishes, Some(&next)))).await
    }

    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        let releases = releases.to_vec();
        self.writer.run("release", move |tx| now(script::release(tx, &releases))).await
    }

    async fn append(&self, appends: &[Append]) -> Result<Vec<AppendOutcome>> {
        let appends = appends.to_vec();
        self.writer.run("append", move |tx| now(script::append(tx, &appends))).await
    }

    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>> {
        let (workspace, runs) = (workspace.clone(), runs.to_vec());
        self.writer.run("command", move |tx| now(script::command(tx, &workspace, &runs, command, admission))).await
    }

    async fn rerun(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        id: RunId,
        admission: Admission,
    ) -> Result<RerunOutcome> {
        let workspace = workspace.clone();
        self.writer.run("rerun", move |tx| now(script::rerun(tx, &workspace, run, id, admission))).await
    }

    async fn reap(&self, limit: usize) -> Result<Vec<RunId>> {
        self.writer.run("reap", move |tx| now(script::reap(tx, limit))).await
    }

    async fn promote(&self, limit: usize) -> Result<Promoted> {
        self.writer.run("promote", move |tx| now(script::promote(tx, limit))).await
    }

    async fn expire(&self, grace: SignedDuration, jitter: Jitter, limit: usize) -> Result<Vec<RunId>> {
        self.writer.run("expire", move |tx| now(script::expire(tx, grace, jitter, limit))).await
    }

    async fn prune(&self, retention: &Retention, limit: usize) -> Result<Pruned> {
        let retention = *retention;
        self.writer.run("prune", move |tx| now(script::prune(tx, &retention, limit))).await
    }

    async fn set_lane_policy(
        &self,
        workspace: &WorkspaceName,
        lane: &LaneName,
        policy: LanePolicy,
    ) -> Result<LanePolicyOutcome> {
        let lane = (workspace.clone(), lane.clone());
        self.writer.run("set_lane_policy", move |tx| now(script::set_lane_policy(tx, &lane, policy))).await
    }

    async fn release_lane(&self, workspace: &WorkspaceName, lane: &LaneName) -> Result<usize> {
        let lane = (workspace.clone(), lane.clone());
        self.writer.run("release_lane", move |tx| now(script::release_lane(tx, &lane))).await
    }

    async fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>> {
        let (workspace, only, page) = (workspace.clone(), only.cloned(), page.clone());
        self.readers.run("lanes", move |session| session.lanes(&workspace, only.as_ref(), &page)).await
    }

    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        let (workspace, queue) = (workspace.clone(), queue.clone());
        self.writer.run("set_queue", move |session| session.set_queue(&workspace, &queue, change)).await
    }

    async fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
        let workspace = workspace.clone();
        self.readers.run("queues", move |session| session.queues(&workspace)).await
    }

    async fn heartbeat(&self, worker: &WorkerInfo) -> Result<Duty> {
        let worker = worker.clone();
        self.writer.run("heartbeat", move |session| session.heartbeat(&worker)).await
    }

    async fn drain(&self, worker: WorkerId) -> Result<Option<Worker>> {
        self.writer.run("drain", move |session| session.drain(worker)).await
    }

    async fn leave(&self, worker: WorkerId) -> Result<bool> {
        self.writer.run("leave", move |session| session.leave(worker)).await
    }

    async fn workers(&self) -> Result<Vec<Worker>> {
        self.readers.run("workers", |session| session.workers()).await
    }

    async fn create_workspace(&self, workspace: &WorkspaceName) -> Result<bool> {
        let workspace = workspace.clone();
        self.writer.run("create_workspace", move |session| session.create_workspace(&workspace)).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceName>> {
        self.readers.run("workspaces", |session| session.workspaces()).await
    }

    async fn create_token(&self, token: &NewToken) -> Result<CreateTokenOutcome> {
        let token = token.clone();
        self.writer.run("create_token", move |tx| now(script::create_token(tx, &token))).await
    }

    async fn authenticate(&self, hash: &TokenHash) -> Result<Option<Token>> {
        let hash = *hash;
        self.readers.run("authenticate", move |session| session.authenticate(&hash)).await
    }

    async fn tokens(&self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>> {
        let workspace = workspace.cloned();
        self.readers.run("tokens", move |session| session.tokens(workspace.as_ref())).await
    }

    async fn revoke_token(&self, token: TokenId) -> Result<RevokeOutcome> {
        self.writer.run("revoke_token", move |tx| now(script::revoke_token(tx, token))).await
    }

    async fn record_audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let entries: Vec<AuditEntry> = entries.iter().map(AuditEntry::storable).collect();
        self.writer.run("record_audit", move |session| session.record_audit(&entries)).await
    }

    async fn audit(
        &self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Listed<AuditRecord, i64>> {
        let (workspace, filter, page) = (workspace.cloned(), filter.clone(), page.clone());
        self.readers.run("audit", move |session| session.audit(workspace.as_ref(), &filter, &page)).await
    }

    async fn run(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        let workspace = workspace.clone();
        self.readers.run("run", move |session| session.run(&workspace, run)).await
    }

    async fn runs(
        &self,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        page: &Page<RunId>,
    ) -> Result<Listed<Run, RunId>> {
        let (workspace, filter, page) = (workspace.clone(), filter.clone(), page.clone());
        self.readers.run("runs", move |session| session.runs(&workspace, &filter, &page)).await
    }

    async fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<Attempt>>> {
        let workspace = workspace.clone();
        self.readers.run("attempts", move |session| session.attempts(&workspace, run)).await
    }

    async fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>> {
        let (workspace, end) = (workspace.clone(), end.to_owned());
        self.readers.run("runs_ending", move |session| session.runs_ending(&workspace, &end, limit)).await
    }

    async fn waits(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<RunId>>> {
        let workspace = workspace.clone();
        self.readers.run("waits", move |session| session.waits(&workspace, run)).await
    }

    async fn events(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Option<Vec<Event>>> {
        let workspace = workspace.clone();
        self.readers.run("events", move |session| session.events(&workspace, run, after, limit)).await
    }

    async fn position(&self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position> {
        let (run, workers) = (run.clone(), workers.to_vec());
        self.readers.run("position", move |session| session.position(&run, &workers, most)).await
    }

    async fn waiting_tasks(&self, most: usize) -> Result<Vec<WaitingTask>> {
        self.readers.run("waiting_tasks", move |session| session.waiting_tasks(most)).await
    }

    async fn counts(&self) -> Result<Vec<Count>> {
        self.readers.run("counts", |session| session.counts()).await
    }
}
