//! The desks for the ends of attempts.

use std::sync::{Arc, Weak};

use async_trait::async_trait;

use super::desk::Clerk;
use super::{Inner, claimer};
use crate::run::lifecycle::Release;
use crate::store::{Claimed, Finish, FinishOutcome, ReleaseLease, Result, Store};

/// Where attempts end, and where what comes next in their lanes begins.
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
        let worker = self.worker.upgrade().filter(|worker| !worker.slots.is_closed());
        let Some((worker, queues)) = worker.and_then(|it| it.settings.unlimited_queues().map(|queues| (it, queues)))
        else {
            return self.store.finish(batch).await;
        };
        // Each of these slots is about to be free.
        let (next, until) = claimer::request(&worker, queues, batch.len(), None);
        let (outcomes, claim) = self.store.finish_and_claim(batch, &next).await?;
        match worker.slots.is_closed() {
            true => self.give_back(claim.runs).await,
            false => claimer::begin(&worker, claim.runs, until),
        }
        Ok(outcomes)
    }

    /// What was claimed together and does not take long ends together.
    async fn gathered(&self) {
        if let Some(worker) = self.worker.upgrade() {
            worker.slots.all_begun().await;
        }
    }
}

impl Finishes {
    /// The worker is leaving, and has not started them. If that cannot be said, their leases run out.
    async fn give_back(&self, runs: Vec<Claimed>) {
        if runs.is_empty() {
            return;
        }
        let release = |claimed: &Claimed| ReleaseLease { lease: claimed.lease(), how: Release::ToQueue };
        if let Err(error) = self.store.release(&runs.iter().map(release).collect::<Vec<_>>()).await {
            tracing::warn!(runs = runs.len(), error = error.in_full(), "cannot give back what was not started");
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
