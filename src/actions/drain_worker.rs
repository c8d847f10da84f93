//! Asks a worker to leave.

use super::By;
use crate::run::WorkerId;
use crate::store::{Result, Store, Worker};

/// Asks it to claim no more and end, unless it has left already. Answers with the worker; `None` if it is unknown.
pub async fn drain_worker(store: &dyn Store, by: &By, worker: WorkerId) -> Result<Option<Worker>> {
    let found = store.drain(worker).await?;
    if found.as_ref().is_some_and(|found| found.left_at.is_none()) {
        by.did(store, "worker.drain", &worker, None).await;
    }
    Ok(found)
}
