//! Runs in PostgreSQL, for many machines.
//!
//! Nothing depends on a session outliving a transaction, so a pooler in transaction mode may stand in between. Only the
//! signal that something is ready cannot come from other processes then.

mod arrays;
mod connect;
mod copy;
mod group_commit;
mod known;
mod listen;
mod migrate;
mod notify;
mod plain;
mod row;
mod scan_positions;
mod session;
mod statements;
mod streams;
mod transactions;
mod tx;

pub use migrate::KNOWN as SCHEMA_VERSION;

use std::sync::{Arc, OnceLock};

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use self::connect::Target;
use self::group_commit::GroupCommit;
use self::listen::listen;
use self::notify::Notifier;
use self::scan_positions::ScanPositions;
use self::session::{Shared, Workspaces};
use self::statements::Statements;
use self::transactions::Connections;
use super::script::{Database, Interest, OnLostCommit, SqlStore};
use super::{Admission, Claim, ClaimRequest, DueSignal, ReadySignal, Result, Submission};
use crate::clock::Clock;
use crate::run::NewRun;

/// How many connections the verbs of one process share.
const CONNECTIONS: usize = 8;

/// A store in a PostgreSQL database.
pub struct PostgresStore {
    verbs: Connections,
    /// Of its own, so that no burst of other work can make leases run out.
    renewals: Connections,
    submissions: GroupCommit,
    runtime: Handle,
    /// Started with the first [`Store::ready_signal`](crate::store::Store::ready_signal).
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
    /// `listen=false`, for any pooler in transaction mode: [`Store::ready_signal`](crate::store::Store::ready_signal) then does
    /// not try in vain to receive notifications from other processes.
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
        super::script::expand(sql, &row::DIALECT)
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
        let (positions, workspaces, notifier) = (ScanPositions::default(), Workspaces::default(), Notifier::new());
        notifier.start_forwarding(pool.clone(), target.clone());
        let shared = Arc::new(Shared { target, statements, clock, positions, workspaces, notifier });
        let verbs = Connections { pool, shared: Arc::clone(&shared) };
        let submissions = GroupCommit::start(verbs.clone());
        let renewals = Connections { pool: renewals, shared };
        Ok(Self { verbs, renewals, submissions, runtime: Handle::current(), listener: OnceLock::new() })
    }
}

impl SqlStore for PostgresStore {
    type Database = Connections;

    fn database(&self) -> &Connections {
        &self.verbs
    }

    fn renewals(&self) -> &Connections {
        &self.renewals
    }

    fn ready_signal(&self) -> ReadySignal {
        let shared = &self.verbs.shared;
        let signal = shared.notifier.signals.ready_signal();
        if shared.target.listen {
            self.listener.get_or_init(|| self.runtime.spawn(listen(Arc::clone(shared))).abort_handle());
        }
        signal
    }

    fn due_signal(&self) -> DueSignal {
        self.verbs.shared.notifier.signals.due_signal()
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        self.submissions.submit(runs, admission).await
    }

    async fn claim_known(&self, request: &ClaimRequest) -> Result<Claim> {
        let Some(only) = self.verbs.shared.positions.only_stream(&Interest::of(request)) else {
            return Ok(Claim::default());
        };
        let input = (only, request.clone());
        let claim = self
            .verbs
            .write("claim", OnLostCommit::Report, &input, |tx, (only, request)| Box::pin(tx.claim_from(only, request)));
        claim.await
    }
}
