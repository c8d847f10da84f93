//! [`Store`] for every SQL database: each verb in a transaction.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::SignedDuration;

use super::database::OnLostCommit::{Repeat, Report};
use super::database::write_once;
use super::tx::{AccessTx, LaneTx, QueueTx, ReadTx, WorkerTx};
use super::{Database, SqlStore};
use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{Attempt, Jitter, LaneName, NewRun, QueueName, Run, RunId, WorkerId, WorkspaceName};
use crate::store::script;
use crate::store::{
    Admission, Append, AppendOutcome, AuditEntry, AuditFilter, AuditRecord, Claim, ClaimRequest, ClaimScope, Count,
    CreateTokenOutcome, DueSignal, Duty, Event, Finish, FinishOutcome, Lane, LanePolicy, LanePolicyOutcome, Listed,
    Page, Position, Promoted, Pruned, Queue, QueueChange, QueueSettings, ReadySignal, ReleaseLease, Renew, Renewal,
    RerunOutcome, Result, Retention, RevokeOutcome, RunFilter, Store, Submission, WaitingTask, Worker, WorkerInfo,
};

#[async_trait]
impl<S: SqlStore> Store for S {
    fn ready_signal(&self) -> ReadySignal {
        SqlStore::ready_signal(self)
    }

    fn due_signal(&self) -> DueSignal {
        SqlStore::due_signal(self)
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        SqlStore::submission(self, runs, admission).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        if request.scope != ClaimScope::Everything {
            return self.claim_known(request).await;
        }
        self.database().write("claim", Report, request, |tx, request| Box::pin(script::claim(tx, request))).await
    }

    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
        self.renewals().write("renew", Repeat, leases, move |tx, leases| Box::pin(script::renew(tx, leases, ttl))).await
    }

    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
        self.database().write("finish", Report, finishes, |tx, finishes| Box::pin(script::finish(tx, finishes))).await
    }

    async fn finish_and_claim(&self, finishes: &[Finish], next: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        let next = Arc::new(next.clone());
        let ended = self.database().write("finish", Report, finishes, move |tx, finishes| {
            let next = Arc::clone(&next);
            Box::pin(async move { script::finish_and_claim(tx, finishes, Some(&next)).await })
        });
        ended.await
    }

    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        self.database().write("release", Report, releases, |tx, releases| Box::pin(script::release(tx, releases))).await
    }

    async fn append(&self, appends: &[Append]) -> Result<Vec<AppendOutcome>> {
        self.database().write("append", Report, appends, |tx, appends| Box::pin(script::append(tx, appends))).await
    }

    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>> {
        self.database()
            .write("command", Report, &(workspace.clone(), runs.to_vec()), move |tx, (workspace, runs)| {
                Box::pin(script::command(tx, workspace, runs, command, admission))
            })
            .await
    }

    async fn rerun(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        id: RunId,
        admission: Admission,
    ) -> Result<RerunOutcome> {
        write_once(
            self.database(),
            "rerun",
            workspace,
            move |tx, workspace| Box::pin(script::rerun(tx, workspace, run, id, admission)),
            move |tx, workspace| Box::pin(script::rerun_again(tx, workspace, run, id, admission)),
        )
        .await
    }

    async fn reap(&self, limit: usize) -> Result<Vec<RunId>> {
        self.database().write("reap", Report, &limit, |tx, limit| Box::pin(script::reap(tx, *limit))).await
    }

    async fn promote(&self, limit: usize) -> Result<Promoted> {
        self.database().write("promote", Report, &limit, |tx, limit| Box::pin(script::promote(tx, *limit))).await
    }

    async fn expire(&self, grace: SignedDuration, jitter: Jitter, limit: usize) -> Result<Vec<RunId>> {
        self.database()
            .write("expire", Report, &limit, move |tx, limit| Box::pin(script::expire(tx, grace, jitter, *limit)))
            .await
    }

    async fn prune(&self, retention: &Retention, limit: usize) -> Result<Pruned> {
        self.database()
            .write("prune", Report, retention, move |tx, retention| Box::pin(script::prune(tx, retention, limit)))
            .await
    }

    async fn set_lane_policy(
        &self,
        workspace: &WorkspaceName,
        lane: &LaneName,
        policy: LanePolicy,
    ) -> Result<LanePolicyOutcome> {
        self.database()
            .write("set_lane_policy", Repeat, &(workspace.clone(), lane.clone()), move |tx, lane| {
                Box::pin(script::set_lane_policy(tx, lane, policy))
            })
            .await
    }

    async fn release_lane(&self, workspace: &WorkspaceName, lane: &LaneName) -> Result<usize> {
        self.database()
            .write("release_lane", Report, &(workspace.clone(), lane.clone()), |tx, lane| {
                Box::pin(script::release_lane(tx, lane))
            })
            .await
    }

    async fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>> {
        let found = self
            .database()
            .read("lanes", &(workspace.clone(), only.cloned(), page.clone()), |tx, (workspace, only, page)| {
                Box::pin(tx.lanes(workspace, only.as_ref(), page))
            })
            .await?;
        Ok(Listed::cut(found, page.limit, |lane: &Lane| lane.name.clone()))
    }

    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        self.database()
            .write("set_queue", Repeat, &(workspace.clone(), queue.clone()), move |tx, queue| {
                Box::pin(script::set_queue(tx, queue, change))
            })
            .await
    }

    async fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
        self.database().read("queues", workspace, |tx, workspace| Box::pin(tx.queues(workspace))).await
    }

    async fn heartbeat(&self, worker: &WorkerInfo) -> Result<Duty> {
        self.database().write("heartbeat", Repeat, worker, |tx, worker| Box::pin(tx.heartbeat(worker))).await
    }

    async fn drain(&self, worker: WorkerId) -> Result<Option<Worker>> {
        self.database().write("drain", Repeat, &worker, |tx, worker| Box::pin(script::drain(tx, *worker))).await
    }

    async fn leave(&self, worker: WorkerId) -> Result<bool> {
        self.database().write("leave", Repeat, &worker, |tx, worker| Box::pin(tx.leave(*worker))).await
    }

    async fn workers(&self) -> Result<Vec<Worker>> {
        self.database().read("workers", &(), |tx, ()| Box::pin(tx.workers())).await
    }

    async fn create_workspace(&self, workspace: &WorkspaceName) -> Result<bool> {
        self.database()
            .write("create_workspace", Report, workspace, |tx, workspace| Box::pin(tx.create_workspace(workspace)))
            .await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceName>> {
        self.database().read("workspaces", &(), |tx, ()| Box::pin(tx.workspaces())).await
    }

    async fn create_token(&self, token: &NewToken) -> Result<CreateTokenOutcome> {
        self.database()
            .write("create_token", Report, token, |tx, token| Box::pin(script::create_token(tx, token)))
            .await
    }

    async fn authenticate(&self, hash: &TokenHash) -> Result<Option<Token>> {
        self.database().read("authenticate", hash, |tx, hash| Box::pin(tx.authenticate(hash))).await
    }

    async fn tokens(&self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>> {
        self.database()
            .read("tokens", &workspace.cloned(), |tx, workspace| Box::pin(tx.tokens(workspace.as_ref())))
            .await
    }

    async fn revoke_token(&self, token: TokenId) -> Result<RevokeOutcome> {
        self.database()
            .write("revoke_token", Repeat, &token, |tx, token| Box::pin(script::revoke_token(tx, *token)))
            .await
    }

    async fn record_audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let entries: Vec<AuditEntry> = entries.iter().map(AuditEntry::storable).collect();
        self.database().write("record_audit", Report, &entries, |tx, entries| Box::pin(tx.record_audit(entries))).await
    }

    async fn audit(
        &self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Listed<AuditRecord, i64>> {
        let found = self
            .database()
            .read("audit", &(workspace.cloned(), filter.clone(), page.clone()), |tx, (workspace, filter, page)| {
                Box::pin(tx.audit(workspace.as_ref(), filter, page))
            })
            .await?;
        Ok(Listed::cut(found, page.limit, |record| record.seq))
    }

    async fn run(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        self.database().read("run", workspace, move |tx, workspace| Box::pin(tx.run(workspace, run))).await
    }

    async fn runs(
        &self,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        page: &Page<RunId>,
    ) -> Result<Listed<Run, RunId>> {
        let found = self
            .database()
            .read("runs", &(workspace.clone(), filter.clone(), page.clone()), |tx, (workspace, filter, page)| {
                Box::pin(tx.runs(workspace, filter, page))
            })
            .await?;
        Ok(Listed::cut(found, page.limit, |run: &Run| run.id))
    }

    async fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<Attempt>>> {
        self.database()
            .read("attempts", workspace, move |tx, workspace| Box::pin(script::attempts(tx, workspace, run)))
            .await
    }

    async fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>> {
        self.database()
            .read("runs_ending", &(workspace.clone(), end.to_owned()), move |tx, (workspace, end)| {
                Box::pin(tx.runs_ending(workspace, end, limit))
            })
            .await
    }

    async fn waits(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<RunId>>> {
        self.database().read("waits", workspace, move |tx, workspace| Box::pin(script::waits(tx, workspace, run))).await
    }

    async fn events(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Option<Vec<Event>>> {
        self.database()
            .read("events", workspace, move |tx, workspace| Box::pin(script::events(tx, workspace, run, after, limit)))
            .await
    }

    async fn position(&self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position> {
        self.database()
            .read("position", &(run.clone(), workers.to_vec()), move |tx, (run, workers)| {
                Box::pin(tx.position(run, workers, most))
            })
            .await
    }

    async fn waiting_tasks(&self, most: usize) -> Result<Vec<WaitingTask>> {
        self.database().read("waiting_tasks", &most, |tx, most| Box::pin(tx.waiting_tasks(*most))).await
    }

    async fn counts(&self) -> Result<Vec<Count>> {
        self.database().read("counts", &(), |tx, ()| Box::pin(tx.counts())).await
    }
}
