//! Pauses or resumes a queue, or sets its limit.

use super::By;
use super::by::detail;
use crate::run::QueueName;
use crate::store::{QueueChange, QueueSettings, Result, Store};

/// The settings after the change, and whether they are others now; `None` if there is no such workspace. A change that is so already is not written down:
/// scripts repeat themselves.
pub async fn set_queue(
    store: &dyn Store,
    by: &By,
    queue: &QueueName,
    change: QueueChange,
) -> Result<Option<(QueueSettings, bool)>> {
    let queues = store.queues(&by.workspace).await?;
    let before = queues.into_iter().find(|found| found.name == *queue).map(|found| found.settings).unwrap_or_default();
    let Some(settings) = store.set_queue(&by.workspace, queue, change).await? else { return Ok(None) };
    let changed = settings != before;
    if changed {
        by.did(store, "queue.set", queue, detail(serde_json::json!(settings))).await;
    }
    Ok(Some((settings, changed)))
}
