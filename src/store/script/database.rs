//! What an SQL database brings besides its statements: how transactions are run, and what it does faster than the shared verbs.

use std::future::Future;

use futures::future::BoxFuture;

use super::Tx;
use super::submission::submission;
use crate::run::NewRun;
use crate::store::{Admission, Claim, ClaimRequest, DueSignal, ReadySignal, Result, StoreError, Submission};

/// What to do if a commit was not answered, so that nobody knows whether it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum OnLostCommit {
    /// Run the verb again: done twice, it does the same.
    Repeat,
    /// Answer [`StoreError::Ambiguous`].
    Report,
}

/// Runs verbs in transactions. A verb is run again if other transactions got in the way. It takes its input by reference, so that
/// only a database that hands verbs to another thread copies it.
pub(in crate::store) trait Database: Send + Sync + 'static {
    type Tx: Tx;

    /// Runs a verb in a transaction that may write.
    fn write<I, A, V>(
        &self,
        doing: &'static str,
        lost: OnLostCommit,
        input: &I,
        verb: V,
    ) -> impl Future<Output = Result<A>> + Send
    where
        I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
        A: Send + 'static,
        V: for<'t> Fn(&'t mut Self::Tx, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static;

    /// Runs a verb that only reads, on one snapshot of the database.
    fn read<I, A, V>(&self, doing: &'static str, input: &I, verb: V) -> impl Future<Output = Result<A>> + Send
    where
        I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
        A: Send + 'static,
        V: for<'t> Fn(&'t mut Self::Tx, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static;
}

/// A store in an SQL database. [`Store`](crate::store::Store) is implemented for all of them, in `store.rs` and `schedules.rs`.
pub(in crate::store) trait SqlStore: Send + Sync + 'static {
    type Database: Database;

    fn database(&self) -> &Self::Database;

    /// Where leases are renewed: a database may set connections aside for that, so that no burst of other work makes leases expire.
    fn renewals(&self) -> &Self::Database {
        self.database()
    }

    fn ready_signal(&self) -> ReadySignal;

    fn due_signal(&self) -> DueSignal;

    /// Stores new runs. A database may let concurrent submissions share a transaction.
    fn submission(&self, runs: &[NewRun], admission: Admission) -> impl Future<Output = Result<Submission>> + Send {
        submission(self.database(), runs, admission)
    }

    /// Claims from the streams this process already knows, without locking or scanning; may return nothing.
    fn claim_known(&self, _: &ClaimRequest) -> impl Future<Output = Result<Claim>> + Send {
        async { Ok(Claim::default()) }
    }
}

/// Runs a verb that must not be done twice. If its commit was not answered, runs `again`, which recognises what the first try made.
pub(super) async fn write_once<D, I, A, V, W>(
    database: &D,
    doing: &'static str,
    input: &I,
    verb: V,
    again: W,
) -> Result<A>
where
    D: Database,
    I: ToOwned<Owned: Send + Sync + 'static> + Sync + ?Sized,
    A: Send + 'static,
    V: for<'t> Fn(&'t mut D::Tx, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static,
    W: for<'t> Fn(&'t mut D::Tx, &'t I) -> BoxFuture<'t, Result<A>> + Send + Sync + 'static,
{
    match database.write(doing, OnLostCommit::Report, input, verb).await {
        Err(StoreError::Ambiguous(_)) => {
            let answer = database.write(doing, OnLostCommit::Repeat, input, again).await;
            // The first try may have been committed, whatever this one met.
            answer.map_err(StoreError::still_ambiguous)
        }
        answer => answer,
    }
}
