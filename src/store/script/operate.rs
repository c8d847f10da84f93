//! What operators ask of queues and workers.

use super::{QueueKey, Tx};
use crate::run::WorkerId;
use crate::store::{QueueChange, QueueSettings, Result, Worker};

pub(in crate::store) async fn set_queue<T: Tx>(
    tx: &mut T,
    (workspace, queue): &QueueKey,
    change: QueueChange,
) -> Result<Option<QueueSettings>> {
    let settings = tx.set_queue(workspace, queue, change).await?;
    if settings.is_some_and(|settings| change.may_open(settings)) {
        tx.made_ready();
    }
    Ok(settings)
}

/// The worker learns it from its next heartbeat, which the ready signal brings forward.
pub(in crate::store) async fn drain<T: Tx>(tx: &mut T, worker: WorkerId) -> Result<Option<Worker>> {
    let asked = tx.drain(worker).await?;
    if asked.is_some() {
        tx.made_ready();
    }
    Ok(asked)
}
