//! The calls that end attempts.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;

use super::batcher::BatchCall;
use super::slots::Slot;
use super::{Inner, claimer};
use crate::store::{Claim, Finish, FinishOutcome, ReleaseLease, Result, Store, StoreError};

/// In a backlog, fewer outcomes than this wait a moment for others, so that one transaction stores them all.
const FEW: usize = 64;
const LINGER: Duration = Duration::from_millis(1);

/// An attempt that has ended.
pub(super) struct Ended {
    pub(super) finish: Finish,
    /// Knows when the work began.
    pub(super) slot: Arc<Slot>,
}

/// Stores outcomes and claims runs in the same transaction: the next of the freed lanes or, in a backlog, whatever is next.
pub(super) struct Finishes {
    pub(super) store: Arc<dyn Store>,
    pub(super) worker: Weak<Inner>,
}

#[async_trait]
impl BatchCall<Ended, FinishOutcome> for Finishes {
    const NAME: &'static str = "finish";

    /// While one is under way, the answers of the other are handled.
    const CALLS: usize = 2;

    async fn store(&self, batch: &[Ended]) -> Result<Vec<FinishOutcome>> {
        // How long ago the work began is counted from now, however often this is tried.
        let finishes: Vec<Finish> = batch
            .iter()
            .map(|ended| Finish { ran: claimer::signed(ended.slot.ran()), ..ended.finish.clone() })
            .collect();
        match self.worker.upgrade().filter(|worker| worker.takes_over()) {
            Some(worker) => self.finish_and_claim(&worker, batch, &finishes).await,
            None => self.store.finish(&finishes).await,
        }
    }

    /// Short runs that were claimed together end together. While runs wait for slots, no slot waits for an outcome to be stored, so
    /// the outcome can wait a moment for others.
    async fn gathered(&self, outcomes: usize) {
        let Some(worker) = self.worker.upgrade() else { return };
        worker.slots.all_begun().await;
        if outcomes < FEW && worker.slots.queue.leased_ahead() > 0 {
            tokio::time::sleep(LINGER).await;
        }
    }
}

impl Finishes {
    async fn finish_and_claim(
        &self,
        worker: &Arc<Inner>,
        batch: &[Ended],
        finishes: &[Finish],
    ) -> Result<Vec<FinishOutcome>> {
        let next = claimer::piggybacked_claim(worker, batch.iter().filter(|ended| !ended.slot.is_ahead()).count());
        let _claiming = worker.backlog.claiming().await;
        match self.store.finish_and_claim(finishes, &next.request).await {
            Ok((outcomes, claim)) => {
                next.answered(worker, claim);
                Ok(outcomes)
            }
            Err(error @ StoreError::Ambiguous(_)) => {
                worker.backlog.failed(&error);
                Err(error)
            }
            // An error of the claim must not keep the outcomes from being stored.
            Err(error) => {
                tracing::debug!(error = error.in_full(), "cannot claim with the outcomes; storing them alone");
                next.answered(worker, Claim::default());
                self.store.finish(finishes).await
            }
        }
    }
}

/// Gives attempts back.
pub(super) struct Releases(pub(super) Arc<dyn Store>);

#[async_trait]
impl BatchCall<ReleaseLease, FinishOutcome> for Releases {
    const NAME: &'static str = "release";

    async fn store(&self, batch: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        self.0.release(batch).await
    }
}
