//! Pauses and resumes a schedule.

use super::{By, Edited, Naming, edit_schedule};
use crate::run::ScheduleId;
use crate::schedule::Schedule;
use crate::store::{EditScheduleOutcome, Result, Store};

/// Takes it from work: its waiting run is withdrawn, and one that has started goes on.
pub async fn pause_schedule(store: &dyn Store, by: &By, id: ScheduleId) -> Result<EditScheduleOutcome> {
    set_enabled(store, by, id, false).await
}

/// Puts it to work again, from the first slot that is still to come.
pub async fn resume_schedule(store: &dyn Store, by: &By, id: ScheduleId) -> Result<EditScheduleOutcome> {
    set_enabled(store, by, id, true).await
}

async fn set_enabled(store: &dyn Store, by: &By, id: ScheduleId, enabled: bool) -> Result<EditScheduleOutcome> {
    let Some(seen) = store.schedule(&by.workspace, id).await? else { return Ok(EditScheduleOutcome::NotFound) };
    if seen.disabled.is_none() == enabled {
        return Ok(EditScheduleOutcome::Unchanged(seen));
    }
    let edit = |seen: &Schedule| {
        Ok(Edited { spec: seen.spec.clone(), naming: Naming::AsGiven, grant: None, enabled: Some(enabled) })
    };
    edit_schedule(store, by, id, edit).await
}
