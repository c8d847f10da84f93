//! One transaction on one connection, from begin to commit, whatever happens in between.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use deadpool_postgres::{Object, Pool, PoolError};
use jiff::Timestamp;
use tokio_postgres::Row;

use super::arrays::Params;
use super::connect::{Target, is_contention, is_disconnect, lost_connection, refused};
use super::marks::{Look, Marks};
use super::statements::Statements;
use super::wakes::Wakes;
use crate::clock::Clock;
use crate::run::WorkspaceName;
use crate::store::ready::News;
use crate::store::{Result, StoreError};

const BEGIN: &str = include_str!("begin.sql");
const BEGIN_READ: &str = include_str!("begin_read.sql");

/// What every transaction of a store shares.
pub(super) struct Shared {
    pub(super) target: Target,
    pub(super) statements: Statements,
    pub(super) clock: Clock,
    pub(super) marks: Marks,
    pub(super) workspaces: Workspaces,
    pub(super) wakes: Wakes,
}

/// The workspaces that were seen. None is ever deleted, so what was seen once need not be asked for again.
#[derive(Default)]
pub(super) struct Workspaces(RwLock<HashSet<WorkspaceName>>);

impl Workspaces {
    /// The names, if every one of them is known.
    pub(super) fn all(&self, names: &[WorkspaceName]) -> Option<HashSet<WorkspaceName>> {
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner);
        names.iter().all(|name| seen.contains(name)).then(|| names.iter().cloned().collect())
    }

    pub(super) fn learn(&self, names: &HashSet<WorkspaceName>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).extend(names.iter().cloned());
    }
}

/// An open transaction.
pub(super) struct Session {
    client: Option<Object>,
    pub(super) shared: Arc<Shared>,
    doing: &'static str,
    /// Where claims start, and what this one learned.
    pub(super) look: Look,
    pub(super) looked: bool,
    /// Whether something was made ready that may stand before the marks of earlier claims.
    pub(super) forget: bool,
    /// What to tell after the commit.
    pub(super) news: News,
}

impl std::ops::Deref for Session {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Session {
    pub(super) async fn begin(pool: &Pool, shared: &Arc<Shared>, doing: &'static str) -> Result<Self> {
        Self::start(pool, shared, doing, BEGIN).await
    }

    /// For reads of more than one statement that must agree with each other.
    pub(super) async fn begin_read(pool: &Pool, shared: &Arc<Shared>, doing: &'static str) -> Result<Self> {
        Self::start(pool, shared, doing, BEGIN_READ).await
    }

    async fn start(pool: &Pool, shared: &Arc<Shared>, doing: &'static str, begin: &str) -> Result<Self> {
        let client = Some(connect(pool, &shared.target).await?);
        let shared = Arc::clone(shared);
        // Before the transaction is begun, so that a connection on which that was given up is not used again.
        let look = Look::default();
        let session = Self { client, shared, doing, look, looked: false, forget: false, news: News::default() };
        session.client()?.batch_execute(begin).await.map_err(|error| refused(doing, error))?;
        Ok(session)
    }

    pub(super) fn doing(&self) -> &'static str {
        self.doing
    }

    fn client(&self) -> Result<&Object> {
        self.client.as_ref().ok_or(StoreError::Closed)
    }

    pub(super) async fn query(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let client = self.client()?;
        let answer = if self.target.prepared_statements {
            match client.prepare_typed_cached(sql, &params.types()).await {
                Ok(statement) => client.query(&statement, &params.values()).await,
                Err(error) => Err(error),
            }
        } else {
            client.query_typed(sql, &params.typed()).await
        };
        answer.map_err(|error| refused(self.doing, error))
    }

    /// How many rows a statement changed that answers with none.
    pub(super) async fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize> {
        let client = self.client()?;
        let changed = if self.target.prepared_statements {
            match client.prepare_typed_cached(sql, &params.types()).await {
                Ok(statement) => client.execute(&statement, &params.values()).await,
                Err(error) => Err(error),
            }
        } else {
            client.execute_typed(sql, &params.typed()).await
        };
        changed.map(|rows| rows as usize).map_err(|error| refused(self.doing, error))
    }

    pub(super) fn injected_now(&self) -> Option<Timestamp> {
        self.clock.injected()
    }

    pub(super) async fn commit(mut self) -> Result<()> {
        let Some(client) = self.client.take() else { return Err(StoreError::Closed) };
        let answer = match client.batch_execute("commit").await {
            Ok(()) => {
                if self.looked {
                    let look = std::mem::take(&mut self.look);
                    self.marks.learn(look);
                }
                if self.forget {
                    self.marks.forget();
                }
                Ok(())
            }
            Err(error) => {
                drop(Object::take(client));
                Err(match is_disconnect(&error) {
                    true => StoreError::Ambiguous(Box::new(error)),
                    false => refused(self.doing, error),
                })
            }
        };
        // After the marks, for whoever hears it looks there; and even if it cannot be known whether all this happened.
        self.wakes.tell(self.news);
        answer
    }

    pub(super) async fn rollback(mut self) {
        let Some(client) = self.client.take() else { return };
        if client.batch_execute("rollback").await.is_err() {
            drop(Object::take(client));
        }
    }
}

/// A verb that was dropped half-way leaves its transaction open; such a connection must not be used again.
impl Drop for Session {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

pub(super) async fn connect(pool: &Pool, target: &Target) -> Result<Object> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(source) if !is_disconnect(&source) && source.code().is_some() => {
            refused("connecting", source)
        }
        PoolError::Closed => StoreError::Closed,
        error => StoreError::Unreachable { address: target.address.clone(), source: Box::new(error) },
    })
}

/// Decides whether a transaction that failed is tried again.
pub(super) struct Tries {
    left: u32,
    made: u32,
}

impl Tries {
    pub(super) fn new() -> Self {
        Self { left: 12, made: 0 }
    }

    /// For verbs that may be done twice.
    pub(super) async fn after_ambiguity(&mut self) -> Result<()> {
        self.after(StoreError::Contended { doing: "after a lost connection" }).await
    }

    /// Waits a little before another try, or gives the error back. Nothing was committed, so trying again is safe.
    pub(super) async fn after(&mut self, error: StoreError) -> Result<()> {
        self.made += 1;
        if self.made > self.left || !(is_contention(&error) || lost_connection(&error)) {
            return Err(error);
        }
        tracing::debug!(tries = self.made, %error, "trying the transaction again");
        tokio::time::sleep(self.wait(RandomState::new().hash_one(()))).await;
        Ok(())
    }

    /// One to four milliseconds for each try made, by a draw, so that those who met do not meet again in step.
    fn wait(&self, draw: u64) -> Duration {
        Duration::from_micros(u64::from(self.made) * (1_000 + draw % 3_000))
    }
}
