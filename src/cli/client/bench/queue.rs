//! The queue that is measured: paused while it fills.

use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::Remote;
use crate::cli::client::seen;

pub(super) const NAME: &str = "bench";

pub(super) struct BenchQueue<'a>(&'a Remote);

impl<'a> BenchQueue<'a> {
    pub(super) async fn paused(remote: &'a Remote) -> Result<Self, ApiError> {
        remote.post(&["queues", NAME, "pause"], None).await?;
        Ok(Self(remote))
    }

    pub(super) async fn resume(&self) -> Result<(), ApiError> {
        self.0.post(&["queues", NAME, "resume"], None).await.map(drop)
    }

    /// How many of its runs have not ended.
    pub(super) async fn live(&self) -> Result<u64, crate::cli::Failure> {
        let queues: Vec<seen::Queue> = seen::list(&self.0.get(&["queues"]).await?)?;
        Ok(queues.iter().find(|queue| queue.name == NAME).map_or(0, |queue| queue.waiting + queue.running))
    }
}
