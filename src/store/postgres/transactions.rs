//! Runs verbs in transactions, and again if others got in the way.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Pool;
use futures::future::BoxFuture;

use super::connect::{is_contention, lost_connection};
use super::session::{Session, Shared};
use crate::store::script::{Database, OnLostCommit};
use crate::store::{Result, StoreError};

const BEGIN: &str = include_str!("begin.sql");
/// For reads of more than one statement that must agree with each other.
const BEGIN_READ: &str = include_str!("begin_read.sql");

/// The connections that some of the verbs share.
#[derive(Clone)]
pub(in crate::store) struct Connections {
    pub(super) pool: Pool,
    pub(super) shared: Arc<Shared>,
}

impl Database for Connections {
    type Tx = Session;

    async fn write<I, A, V>(&self, doing: &'static str, lost: OnLostCommit, input: &I, verb: V) -> Result<A>
    where
        I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
        A: Send + 'static,
        V: for<'t> Fn(&'t mut Session, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static,
    {
        self.transact((BEGIN, doing), lost, input, &verb).await
    }

    async fn read<I, A, V>(&self, doing: &'static str, input: &I, verb: V) -> Result<A>
    where
        I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
        A: Send + 'static,
        V: for<'t> Fn(&'t mut Session, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static,
    {
        self.transact((BEGIN_READ, doing), OnLostCommit::Repeat, input, &verb).await
    }
}

impl Connections {
    async fn transact<I: ?Sized, A>(
        &self,
        (begin, doing): (&'static str, &'static str),
        lost: OnLostCommit,
        input: &I,
        verb: &impl for<'t> Fn(&'t mut Session, &'t I) -> BoxFuture<'t, Result<A>>,
    ) -> Result<A> {
        let mut retries = Retries::new();
        loop {
            let mut session = match Session::start(&self.pool, &self.shared, doing, begin).await {
                Ok(session) => session,
                Err(error) => {
                    retries.after(error).await?;
                    continue;
                }
            };
            match verb(&mut session, input).await {
                Ok(answer) => match session.commit().await {
                    Ok(()) => return Ok(answer),
                    Err(StoreError::Ambiguous(_)) if lost == OnLostCommit::Repeat => {
                        retries.after_lost_commit().await?
                    }
                    Err(error) => retries.after(error).await?,
                },
                Err(error) => {
                    session.rollback().await;
                    retries.after(error).await?;
                }
            }
        }
    }
}

/// Decides whether a transaction that failed is tried again.
struct Retries {
    left: u32,
    made: u32,
}

impl Retries {
    fn new() -> Self {
        Self { left: 12, made: 0 }
    }

    /// For verbs that may be done twice.
    async fn after_lost_commit(&mut self) -> Result<()> {
        self.after(StoreError::Contended { doing: "after a lost connection" }).await
    }

    /// Waits a little before another try, or gives the error back. Nothing was committed, so trying again is safe.
    async fn after(&mut self, error: StoreError) -> Result<()> {
        self.made += 1;
        if self.made > self.left || !(is_contention(&error) || lost_connection(&error)) {
            return Err(error);
        }
        tracing::debug!(retries = self.made, %error, "trying the transaction again");
        tokio::time::sleep(self.wait(RandomState::new().hash_one(()))).await;
        Ok(())
    }

    /// One to four milliseconds for each try made, by a draw, so that those who met do not meet again in step.
    fn wait(&self, draw: u64) -> Duration {
        Duration::from_micros(u64::from(self.made) * (1_000 + draw % 3_000))
    }
}
