//! The desks for the ends of attempts.

use std::sync::{Arc, Weak};

use async_trait::async_trait;

use super::desk::Clerk;
use super::{Inner, claimer};
use crate::store::{Finish, FinishOutcome, ReleaseLease, Result, Store, StoreError};

/// Where attempts end, and where what comes along with that begins: the next of their lanes or, in a backlog, whatever is next.
pub(super) struct Finishes {
    pub(super) store: Arc<dyn Store>,
    pub(super) worker: Weak<Inner>,
}

#[async_trait]
impl Clerk<Finish, FinishOutcome> for Finishes {
    const NAME: &'static str = "finish";

    /// While the store is at one, what came of the other is taken in.
    const CALLS: usize = 2;

    async fn settle(&self, batch: &[Finish]) -> Result<Vec<FinishOutcome>> {
        let Some(worker) = self.worker.upgrade().filter(|worker| worker.takes_over()) else {
            return self.store.finish(batch).await;
        };
        // Each of these slots is about to be free.
        let queues = worker.settings.queues.iter().map(|served| served.queue.clone()).collect();
        let (next, until) = claimer::request(&worker, queues, batch.len());
        match self.store.finish_and_claim(batch, &next, worker.outlook.reach()).await {
            Ok((outcomes, claim)) => {
                claimer::take(&worker, claim, until);
                Ok(outcomes)
            }
            Err(error @ StoreError::Ambiguous(_)) => Err(error),
            // Whatever is wrong with what is next must not keep these from ending.
            Err(error) => {
                tracing::debug!(error = error.in_full(), "nothing is handed over");
                self.store.finish(batch).await
            }
        }
    }

    /// What was claimed together and does not take long ends together.
    async fn gathered(&self) {
        if let Some(worker) = self.worker.upgrade() {
            worker.slots.all_begun().await;
        }
    }
}

/// Where attempts are given back.
pub(super) struct Releases(pub(super) Arc<dyn Store>);

#[async_trait]
impl Clerk<ReleaseLease, FinishOutcome> for Releases {
    const NAME: &'static str = "release";

    async fn settle(&self, batch: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        self.0.release(batch).await
    }
}
