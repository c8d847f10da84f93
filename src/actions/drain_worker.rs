//! Asks a worker to leave.

use super::By;
use crate::run::WorkerId;
use crate::store::{Result, Store};

/// Asks it to claim no more and end; `false` if it is unknown.
pub async fn drain_worker(store: &dyn Store, by: &By, worker: WorkerId) -> Result<bool> {
    let asked = store.drain(worker).await?;
    if asked {
        by.did(store, "worker.drain", &worker, None).await;
    }
    Ok(asked)
}
