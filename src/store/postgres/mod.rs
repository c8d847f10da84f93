//! Runs in PostgreSQL, for many machines.
//!
//! Nothing depends on a session outliving a transaction, so a pooler in transaction mode may stand in between. Only the
//! signal that something is ready cannot come from other processes then.

mod access;
mod arrays;
mod connect;
mod copy;
mod intake;
mod known;
mod leases;
mod listen;
mod marks;
mod migrate;
mod plain;
mod read;
mod row;
mod schedule_tx;
mod schedules;
mod session;
mod statements;
mod streams;
mod tx;
mod wakes;
mod workers;

pub use migrate::KNOWN as SCHEMA_VERSION;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use deadpool_postgres::Pool;
use jiff::SignedDuration;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres::types::Type;

use self::arrays::Params;
use self::connect::Target;
use self::intake::Intake;
use self::listen::listen;
use self::marks::Marks;
use self::read::queue_settings;
use self::session::{Session, Shared, Tries, Workspaces};
use self::statements::Statements;
use self::wakes::Wakes;
use super::script::{self, to_i32};
use super::{
    Admission, Append, AppendOutcome, AuditEntry, AuditFilter, AuditRecord, Claim, ClaimRequest, Count,
    CreateTokenOutcome, DueSignal, Duty, Event, Finish, FinishOutcome, Lane, LanePolicy, LanePolicyOutcome, Listed,
    Page, Position, Promoted, Pruned, Queue, QueueChange, QueueSettings, Reach, ReadySignal, ReleaseLease, Renew,
    Renewal, RerunOutcome, Result, Retention, RevokeOutcome, RunFilter, Store, StoreError, Submission, WaitingTask,
    Worker, WorkerInfo,
};
use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::clock::Clock;
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{Attempt, Jitter, LaneName, NewRun, QueueName, Run, RunId, WorkerId, WorkspaceName};

/// Runs a verb in a transaction of its own, again if others got in the way. A commit whose answer was lost is
/// reported; with `again`, for verbs that may be done twice, it is simply tried once more.
macro_rules! transact {
    ($begin:expr, $tx:ident => $verb:expr) => {
        transact!(@ false, $begin, $tx => $verb)
    };
    (again $begin:expr, $tx:ident => $verb:expr) => {
        transact!(@ true, $begin, $tx => $verb)
    };
    (@ $again:literal, $begin:expr, $tx:ident => $verb:expr) => {{
        let mut tries = Tries::new();
        loop {
            let mut session = match $begin.await {
                Ok(session) => session,
                Err(error) => {
                    tries.after(error).await?;
                    continue;
                }
            };
            let $tx = &mut session;
            match $verb.await {
                Ok(answer) => match session.commit().await {
                    Ok(()) => break Ok::<_, StoreError>(answer),
                    Err(StoreError::Ambiguous(_)) if $again => tries.after_ambiguity().await?,
                    Err(error) => tries.after(error).await?,
                },
                Err(error) => {
                    session.rollback().await;
                    tries.after(error).await?;
                }
            }
        }
    }};
}

use transact;

/// How many connections the verbs of one process share.
const CONNECTIONS: usize = 8;

/// A store in a PostgreSQL database. Clones of its connections are made as they are needed.
pub struct PostgresStore {
    pool: Pool,
    /// Of its own, so that no burst of other work can make leases run out.
    renewals: Pool,
    intake: Intake,
    shared: Arc<Shared>,
    runtime: Handle,
    /// Started by whoever first wants to be told, since others have no use for it.
    listener: OnceLock<AbortHandle>,
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.get() {
            listener.abort();
        }
    }
}

impl PostgresStore {
    /// Connects to a database whose schema is the one this release knows. Two settings may stand in the URL beside
    /// PostgreSQL's own: `prepared_statements=false`, for a PgBouncer older than 1.21 in transaction mode, and
    /// `listen=false`, for any pooler in transaction mode: [`Store::ready_signal`] then does not try in vain to hear
    /// from other processes.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub async fn connect(url: &str, clock: Clock) -> Result<Self> {
        Self::with_statements(url, clock, Statements::new()).await
    }

    /// As [`PostgresStore::connect`], with statements broken on purpose: (statement, from, to).
    #[cfg(feature = "conformance")]
    pub async fn connect_sabotaged(url: &str, clock: Clock, faults: &[(&str, &str, &str)]) -> Result<Self> {
        let mut statements = Statements::new();
        for (name, from, to) in faults {
            statements.sabotage(name, from, to);
        }
        Self::with_statements(url, clock, statements).await
    }

    /// The text of a statement as it is sent, for tests of its plan.
    #[cfg(feature = "conformance")]
    pub fn expand_sql(sql: &str) -> std::borrow::Cow<'_, str> {
        script::expand(sql, &row::DIALECT)
    }

    /// Brings the database to the schema this release knows; answers with the version before and after.
    pub async fn migrate(url: &str) -> Result<(i64, i64)> {
        let target = Target::parse(url)?;
        let pool = target.pool(1)?;
        let mut client = session::connect(&pool, &target).await?;
        migrate::migrate(&mut client).await
    }

    async fn with_statements(url: &str, clock: Clock, statements: Statements) -> Result<Self> {
        let target = Target::parse(url)?;
        let (pool, renewals) = (target.pool(CONNECTIONS)?, target.pool(1)?);
        let client = session::connect(&pool, &target).await?;
        migrate::check(&client).await?;
        drop(client);
        let (marks, workspaces, wakes) = (Marks::default(), Workspaces::default(), Wakes::new());
        wakes.start_to_pass_on(pool.clone(), target.clone());
        let shared = Arc::new(Shared { target, statements, clock, marks, workspaces, wakes });
        let intake = Intake::open(pool.clone(), Arc::clone(&shared));
        Ok(Self { pool, renewals, intake, shared, runtime: Handle::current(), listener: OnceLock::new() })
    }

    async fn begin(&self, doing: &'static str) -> Result<Session> {
        Session::begin(&self.pool, &self.shared, doing).await
    }

    async fn read(&self, doing: &'static str) -> Result<Session> {
        Session::begin_read(&self.pool, &self.shared, doing).await
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn ready_signal(&self) -> ReadySignal {
        let signal = self.shared.wakes.bell.signal();
        if self.shared.target.listen {
            self.listener.get_or_init(|| self.runtime.spawn(listen(Arc::clone(&self.shared))).abort_handle());
        }
        signal
    }

    fn due_signal(&self) -> DueSignal {
        self.shared.wakes.bell.due_signal()
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        self.intake.submit(runs, admission).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        if request.reach == Reach::All {
            return transact!(self.begin("claim"), tx => script::claim(tx, request));
        }
        match self.shared.marks.only(&script::Interest::of(request)) {
            Some(only) => transact!(self.begin("claim"), tx => tx.claim_from(&only, request)),
            None => Ok(Claim::default()),
        }
    }

    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
        transact!(again Session::begin(&self.renewals, &self.shared, "renew"), tx => script::renew(tx, leases, ttl))
    }

    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
        transact!(self.begin("finish"), tx => script::finish(tx, finishes))
    }

    async fn finish_and_claim(&self, finishes: &[Finish], next: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        transact!(self.begin("finish"), tx => script::finish_and_claim(tx, finishes, Some(next)))
    }

    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        transact!(self.begin("release"), tx => script::release(tx, releases))
    }

    async fn append(&self, appends: &[Append]) -> Result<Vec<AppendOutcome>> {
        transact!(self.begin("append"), tx => script::append(tx, appends))
    }

    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>> {
        transact!(self.begin("command"), tx => script::command(tx, workspace, runs, command, admission))
    }

    async fn rerun(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        id: RunId,
        admission: Admission,
    ) -> Result<RerunOutcome> {
        transact!(self.begin("rerun"), tx => script::rerun(tx, workspace, run, id, admission))
    }

    async fn reap(&self, limit: usize) -> Result<Vec<RunId>> {
        transact!(self.begin("reap"), tx => script::reap(tx, limit))
    }

    async fn promote(&self, limit: usize) -> Result<Promoted> {
        transact!(self.begin("promote"), tx => script::promote(tx, limit))
    }

    async fn expire(&self, grace: SignedDuration, jitter: Jitter, limit: usize) -> Result<Vec<RunId>> {
        transact!(self.begin("expire"), tx => script::expire(tx, grace, jitter, limit))
    }

    async fn prune(&self, retention: &Retention, limit: usize) -> Result<Pruned> {
        transact!(self.begin("prune"), tx => script::prune(tx, retention, limit))
    }

    async fn set_lane_policy(
        &self,
        workspace: &WorkspaceName,
        lane: &LaneName,
        policy: LanePolicy,
    ) -> Result<LanePolicyOutcome> {
        let key = (workspace.clone(), lane.clone());
        transact!(again self.begin("set_lane_policy"), tx => script::set_lane_policy(tx, &key, policy))
    }

    async fn release_lane(&self, workspace: &WorkspaceName, lane: &LaneName) -> Result<usize> {
        let key = (workspace.clone(), lane.clone());
        transact!(self.begin("release_lane"), tx => script::release_lane(tx, &key))
    }

    async fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>> {
        transact!(again self.read("lanes"), tx => tx.lanes(workspace, only, page))
    }

    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        let params = || {
            Params::default()
                .text(workspace.as_str())
                .text(queue.as_str())
                .add(change.paused, Type::BOOL)
                .add(change.concurrency.is_some(), Type::BOOL)
                .add(change.concurrency.flatten().map(to_i32), Type::INT4)
        };
        transact!(again self.begin("set_queue"), tx => async {
            let rows = tx.query(&self.shared.statements.set_queue, params()).await?;
            let settings = rows.first().map(|row| queue_settings(row, 0));
            tx.news.ready |= settings.is_some_and(|settings| change.may_open(settings));
            Ok(settings)
        })
    }

    async fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
        transact!(again self.read("queues"), tx => tx.queues(workspace))
    }

    async fn heartbeat(&self, worker: &WorkerInfo) -> Result<Duty> {
        let now = self.shared.clock.injected();
        transact!(again self.begin("heartbeat"), tx => tx.heartbeat(worker, now))
    }

    async fn drain(&self, worker: WorkerId) -> Result<Option<Worker>> {
        let now = self.shared.clock.injected();
        transact!(again self.begin("drain"), tx => async {
            let asked = tx.drain(worker, now).await?;
            tx.news.ready |= asked.is_some();
            Ok(asked)
        })
    }

    async fn leave(&self, worker: WorkerId) -> Result<bool> {
        let now = self.shared.clock.injected();
        transact!(again self.begin("leave"), tx => tx.leave(worker, now))
    }

    async fn workers(&self) -> Result<Vec<Worker>> {
        let now = self.shared.clock.injected();
        transact!(again self.read("workers"), tx => tx.workers(now))
    }

    async fn create_workspace(&self, workspace: &WorkspaceName) -> Result<bool> {
        let params = || Params::default().text(workspace.as_str());
        let made = transact!(
            self.begin("create_workspace"), tx => tx.execute(&self.shared.statements.create_workspace, params()))?;
        Ok(made > 0)
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceName>> {
        transact!(again self.read("workspaces"), tx => tx.workspaces())
    }

    async fn create_token(&self, token: &NewToken) -> Result<CreateTokenOutcome> {
        transact!(self.begin("create_token"), tx => script::create_token(tx, token))
    }

    async fn authenticate(&self, hash: &TokenHash) -> Result<Option<Token>> {
        transact!(again self.read("authenticate"), tx => tx.authenticate(hash))
    }

    async fn tokens(&self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>> {
        transact!(again self.read("tokens"), tx => tx.tokens(workspace))
    }

    async fn revoke_token(&self, token: TokenId) -> Result<RevokeOutcome> {
        transact!(again self.begin("revoke_token"), tx => script::revoke_token(tx, token))
    }

    async fn record_audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let entries: Vec<AuditEntry> = entries.iter().map(AuditEntry::storable).collect();
        transact!(self.begin("record_audit"), tx => tx.record_audit(&entries))
    }

    async fn audit(
        &self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Listed<AuditRecord, i64>> {
        transact!(again self.read("audit"), tx => tx.audit(workspace, filter, page))
    }

    async fn run(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        transact!(again self.read("run"), tx => tx.run(workspace, run))
    }

    async fn runs(
        &self,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        page: &Page<RunId>,
    ) -> Result<Listed<Run, RunId>> {
        transact!(again self.read("runs"), tx => tx.runs(workspace, filter, page))
    }

    async fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<Attempt>>> {
        transact!(again self.read("attempts"), tx => tx.attempts(workspace, run))
    }

    async fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>> {
        transact!(again self.read("runs_ending"), tx => tx.runs_ending(workspace, end, limit))
    }

    async fn waits(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<RunId>>> {
        transact!(again self.read("waits"), tx => tx.waits(workspace, run))
    }

    async fn events(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Option<Vec<Event>>> {
        transact!(again self.read("events"), tx => tx.events(workspace, run, after, limit))
    }

    async fn position(&self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position> {
        transact!(again self.read("position"), tx => tx.position(run, workers, most))
    }

    async fn waiting_tasks(&self, most: usize) -> Result<Vec<WaitingTask>> {
        transact!(again self.read("waiting_tasks"), tx => tx.waiting_tasks(most))
    }

    async fn counts(&self) -> Result<Vec<Count>> {
        transact!(again self.read("counts"), tx => tx.counts())
    }
}
