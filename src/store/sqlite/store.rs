//! Hands verbs to the thread where they belong: what writes to the writer's, what only reads to a reader's.

use std::borrow::Borrow;

use futures::future::BoxFuture;

use super::SqliteStore;
use super::job::now;
use super::session::Session;
use crate::store::script::{Database, OnLostCommit, SqlStore};
use crate::store::{DueSignal, ReadySignal, Result};

impl Database for SqliteStore {
    type Tx = Session;

    /// A commit fails without an answer only if the disk does, and then trying again is of no use.
    async fn write<I, A, V>(&self, doing: &'static str, _: OnLostCommit, input: &I, verb: V) -> Result<A>
    where
        I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
        A: Send + 'static,
        V: for<'t> Fn(&'t mut Session, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static,
    {
        let input = input.to_owned();
        self.writer.run(doing, move |session| now(verb(session, input.borrow()))).await
    }

    async fn read<I, A, V>(&self, doing: &'static str, input: &I, verb: V) -> Result<A>
    where
        I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
        A: Send + 'static,
        V: for<'t> Fn(&'t mut Session, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static,
    {
        let input = input.to_owned();
        self.readers.run(doing, move |session| now(verb(session, input.borrow()))).await
    }
}

/// One writer: a claim that scans all streams waits no longer than another, so there is no faster way for some.
impl SqlStore for SqliteStore {
    type Database = Self;

    fn database(&self) -> &Self {
        self
    }

    fn ready_signal(&self) -> ReadySignal {
        self.signals.ready_signal()
    }

    fn due_signal(&self) -> DueSignal {
        self.signals.due_signal()
    }
}
