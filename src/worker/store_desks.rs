//! The desks for the ends of attempts.

use std::sync::Arc;

use async_trait::async_trait;

use super::desk::Clerk;
use crate::store::{Finish, FinishOutcome, ReleaseLease, Result, Store};

/// Where attempts end.
pub(super) struct Finishes(pub(super) Arc<dyn Store>);

#[async_trait]
impl Clerk<Finish, FinishOutcome> for Finishes {
    const NAME: &'static str = "finish";

    async fn settle(&mut self, batch: &[Finish]) -> Result<Vec<FinishOutcome>> {
        self.0.finish(batch).await
    }
}

/// Where attempts are given back.
pub(super) struct Releases(pub(super) Arc<dyn Store>);

#[async_trait]
impl Clerk<ReleaseLease, FinishOutcome> for Releases {
    const NAME: &'static str = "release";

    async fn settle(&mut self, batch: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        self.0.release(batch).await
    }
}
