//! The desks for the ends of attempts.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;

use super::desk::Clerk;
use super::slots::Slot;
use super::{Inner, claimer};
use crate::store::{Claim, Finish, FinishOutcome, ReleaseLease, Result, Store, StoreError};

/// How long an outcome waits for others to be stored with it, in a backlog, if there are few.
const FEW: usize = 64;
const COMPANY: Duration = Duration::from_millis(1);

/// An attempt that has ended.
pub(super) struct Ended {
    pub(super) finish: Finish,
    /// Knows when the work began.
    pub(super) slot: Arc<Slot>,
}

/// Where attempts end, and where what comes along with that begins: the next of their lanes or, in a backlog, whatever is next.
pub(super) struct Finishes {
    pub(super) store: Arc<dyn Store>,
    pub(super) worker: Weak<Inner>,
}

#[async_trait]
impl Clerk<Ended, FinishOutcome> for Finishes {
    const NAME: &'static str = "finish";

    /// While the store is at one, what came of the other is taken in.
    const CALLS: usize = 2;

    async fn settle(&self, batch: &[Ended]) -> Result<Vec<FinishOutcome>> {
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

    /// What was claimed together and does not take long ends together. While runs wait for slots, no slot waits for an outcome to
    /// be stored, and so the outcome can wait a moment for others.
    async fn gathered(&self, outcomes: usize) {
        let Some(worker) = self.worker.upgrade() else { return };
        worker.slots.all_begun().await;
        if outcomes < FEW && worker.slots.line.waiting() > 0 {
            tokio::time::sleep(COMPANY).await;
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
        let next = claimer::next_along(worker, batch.iter().filter(|ended| !ended.slot.is_ahead()).count());
        match self.store.finish_and_claim(finishes, &next.request).await {
            Ok((outcomes, claim)) => {
                next.answered(worker, claim);
                Ok(outcomes)
            }
            Err(error @ StoreError::Ambiguous(_)) => Err(error),
            // Whatever is wrong with what is next must not keep these from ending.
            Err(error) => {
                tracing::debug!(error = error.in_full(), "nothing is handed over");
                next.answered(worker, Claim::default());
                self.store.finish(finishes).await
            }
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
