//! Deletes a schedule.

use super::By;
use crate::run::ScheduleId;
use crate::store::{Result, Store};

/// Removes it with its waiting run; one that has started goes on. `false` if there is none.
pub async fn delete_schedule(store: &dyn Store, by: &By, id: ScheduleId) -> Result<bool> {
    let gone = store.delete_schedule(&by.workspace, id).await?;
    if gone {
        by.did(store, "schedule.delete", &id, None).await;
    }
    Ok(gone)
}
