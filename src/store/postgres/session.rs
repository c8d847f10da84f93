//! One transaction on one connection, from begin to commit, whatever happens in between.

use std::collections::HashSet;
use std::future::{Future, ready};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use deadpool_postgres::{Object, Pool, PoolError};
use futures::future::{Either, join3};
use jiff::Timestamp;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use super::arrays::Params;
use super::connect::{Target, is_disconnect, refused};
use super::notify::{CHANNEL, Notifier};
use super::scan_positions::{Scan, ScanPositions};
use super::statements::Statements;
use crate::clock::Clock;
use crate::run::WorkspaceName;
use crate::store::ready::Notices;
use crate::store::{Result, StoreError};

/// What every transaction of a store shares.
pub(in crate::store) struct Shared {
    pub(super) target: Target,
    pub(super) statements: Statements,
    pub(super) clock: Clock,
    pub(super) positions: ScanPositions,
    pub(super) workspaces: Workspaces,
    pub(super) notifier: Notifier,
}

/// A cache of workspaces that exist. None is ever deleted.
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

/// An open transaction. `begin` is pipelined with its first statement and, where the last statement is known, `commit` with that.
pub(in crate::store) struct Session {
    client: Option<Object>,
    pub(super) shared: Arc<Shared>,
    doing: &'static str,
    begin: &'static str,
    begun: AtomicBool,
    /// Whether the next statement is the last and, if so, may make something ready.
    pub(super) last: Option<bool>,
    committed: AtomicBool,
    /// Whether other processes were notified with the commit that something is ready.
    notified: AtomicBool,
    /// The time, if it was read together with something else.
    pub(super) time: Option<Timestamp>,
    /// Where a claim of this transaction starts, and what it found.
    pub(super) scan: Scan,
    pub(super) scanned: bool,
    /// Whether runs were made ready that may be before the scan positions.
    pub(super) reset_positions: bool,
    /// Whom to notify after the commit.
    pub(super) notices: Notices,
}

impl std::ops::Deref for Session {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Session {
    /// Takes a connection; `begin` goes out with the first statement.
    pub(super) async fn start(
        pool: &Pool,
        shared: &Arc<Shared>,
        doing: &'static str,
        begin: &'static str,
    ) -> Result<Self> {
        let client = connect(pool, &shared.target).await?;
        Ok(Self {
            client: Some(client),
            shared: Arc::clone(shared),
            doing,
            begin,
            begun: AtomicBool::new(false),
            last: None,
            committed: AtomicBool::new(false),
            notified: AtomicBool::new(false),
            time: None,
            scan: Scan::default(),
            scanned: false,
            reset_positions: false,
            notices: Notices::default(),
        })
    }

    pub(super) fn doing(&self) -> &'static str {
        self.doing
    }

    fn client(&self) -> Result<&Object> {
        self.client.as_ref().ok_or(StoreError::Closed)
    }

    pub(super) async fn query(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        self.ask(sql, params, false).await
    }

    /// As [`Session::query`], without an explicit transaction if the statement is the only one. Its function
    /// makes the settings that `begin` makes otherwise.
    pub(super) async fn query_autocommit(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        self.ask(sql, params, self.is_only()).await
    }

    /// Whether the next statement is both the first and the last.
    fn is_only(&self) -> bool {
        self.last.is_some() && !self.begun.load(Ordering::Relaxed)
    }

    async fn ask(&self, sql: &str, params: Params<'_>, autocommit: bool) -> Result<Vec<Row>> {
        let client = self.client()?;
        if !self.target.prepared_statements {
            return self.send(client.query_typed(sql, &params.typed()), autocommit).await;
        }
        let prepared = client.prepare_typed_cached(sql, &params.types()).await;
        let statement = prepared.map_err(|error| refused(self.doing, error))?;
        self.send(client.query(&statement, &params.values()), autocommit).await
    }

    /// How many rows a statement changed that answers with none.
    pub(super) async fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize> {
        let client = self.client()?;
        if !self.target.prepared_statements {
            return self.send(client.execute_typed(sql, &params.typed()), false).await.map(|rows| rows as usize);
        }
        let prepared = client.prepare_typed_cached(sql, &params.types()).await;
        let statement = prepared.map_err(|error| refused(self.doing, error))?;
        self.send(client.execute(&statement, &params.values()), false).await.map(|rows| rows as usize)
    }

    /// The connection, with the transaction begun, for what [`Session::query`] cannot do.
    pub(super) async fn opened(&self) -> Result<&Object> {
        let client = self.client()?;
        if !self.begun.swap(true, Ordering::Relaxed) {
            client.batch_execute(self.begin).await.map_err(|error| refused(self.doing, error))?;
        }
        Ok(client)
    }

    /// Sends a prepared statement, pipelined after the begin and before the commit. If it fails, the server turns the commit that
    /// follows into a rollback. With `autocommit` neither is sent.
    async fn send<T>(
        &self,
        statement: impl Future<Output = std::result::Result<T, Error>>,
        autocommit: bool,
    ) -> Result<T> {
        let client = self.client()?;
        let begin = match self.begun.swap(true, Ordering::Relaxed) || autocommit {
            true => Either::Left(ready(Ok(()))),
            false => Either::Right(client.batch_execute(self.begin)),
        };
        let commit = match self.last {
            Some(may_make_ready) => Either::Right(self.send_commit(client, may_make_ready, autocommit)),
            None => Either::Left(ready(Ok(()))),
        };
        let (begun, answer, committed) = join3(begin, statement, commit).await;
        let answer = begun.and(answer).and_then(|answer| committed.map(|()| answer));
        self.committed.store(self.last.is_some() && answer.is_ok(), Ordering::Relaxed);
        answer.map_err(|error| match self.last {
            Some(ready) if is_disconnect(&error) => {
                // It may have been committed, and its notification is lost.
                self.notifier.notify(Notices { ready, ..Notices::default() }, false);
                StoreError::Ambiguous(Box::new(error))
            }
            _ => refused(self.doing, error),
        })
    }

    /// Sends the commit and right after it the notification, unless that was piggybacked. With `autocommit` no commit is needed.
    async fn send_commit(&self, client: &Object, is_ready: bool, autocommit: bool) -> std::result::Result<(), Error> {
        let commit =
            if autocommit { Either::Left(ready(Ok(()))) } else { Either::Right(client.batch_execute("commit")) };
        let notification = async {
            if is_ready && !self.notified.load(Ordering::Relaxed) {
                self.notified.store(self.notifier.send_after_commit(client), Ordering::Relaxed);
            }
        };
        futures::future::join(commit, notification).await.0
    }

    /// Adds the channel and, if `NOTIFY` may be piggybacked on this statement, its payload. Only a process that is otherwise idle
    /// does that: `NOTIFY` in a transaction serialises commits.
    pub(super) fn with_notification<'a>(&self, params: Params<'a>) -> Params<'a> {
        let is_idle = || self.client.as_ref().and_then(Object::pool).is_some_and(|pool| in_use(&pool) <= 1);
        let piggybacked = self.is_only() && is_idle() && self.notifier.may_notify_now();
        self.notified.store(piggybacked, Ordering::Relaxed);
        params.text(CHANNEL).add(piggybacked.then(|| self.notifier.sender.to_string()), Type::TEXT)
    }

    pub(super) fn injected_now(&self) -> Option<Timestamp> {
        self.clock.injected()
    }

    pub(super) async fn commit(mut self) -> Result<()> {
        let Some(client) = self.client.take() else { return Err(StoreError::Closed) };
        let open = *self.begun.get_mut() && !*self.committed.get_mut();
        let answer = if open { self.send_commit(&client, self.notices.ready, false).await } else { Ok(()) };
        let answer = match answer {
            Ok(()) => {
                if self.scanned {
                    let scan = std::mem::take(&mut self.scan);
                    self.positions.learn(scan);
                }
                if self.reset_positions {
                    self.positions.reset();
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
        // After the positions are stored, where notified workers start; and even if the commit was not answered.
        let notified = *self.notified.get_mut() && answer.is_ok();
        self.notifier.notify(self.notices, notified);
        answer
    }

    pub(super) async fn rollback(mut self) {
        let Some(client) = self.client.take() else { return };
        if *self.begun.get_mut() && client.batch_execute("rollback").await.is_err() {
            drop(Object::take(client));
        }
    }
}

/// A verb that was dropped half-way leaves its transaction open; such a connection must not be used again.
impl Drop for Session {
    fn drop(&mut self) {
        if let (Some(client), true) = (self.client.take(), *self.begun.get_mut()) {
            drop(Object::take(client));
        }
    }
}

fn in_use(pool: &Pool) -> usize {
    let status = pool.status();
    status.size - status.available
}

pub(super) async fn connect(pool: &Pool, target: &Target) -> Result<Object> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(source) if !is_disconnect(&source) && source.code().is_some() => {
            refused("connecting", source)
        }
        PoolError::Closed => StoreError::Closed,
        // The messages of the pool and of the driver add nothing to the network's.
        PoolError::Backend(source) => StoreError::Unreachable { address: target.address.clone(), source: root(source) },
        PoolError::Timeout(_) => {
            let source = "no connection became free in time".into();
            StoreError::Unreachable { address: target.address.clone(), source }
        }
        error => StoreError::Unreachable { address: target.address.clone(), source: Box::new(error) },
    })
}

/// The innermost cause is the one that says what happened.
fn root(error: tokio_postgres::Error) -> Box<dyn std::error::Error + Send + Sync> {
    match error.into_source() {
        Some(source) => source,
        None => "the connection was closed".into(),
    }
}
