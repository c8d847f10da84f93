//! Says which slots come next, of a schedule or of one to be.

use jiff::Timestamp;

use crate::run::{ScheduleId, WorkspaceName};
use crate::schedule::{Previewed, Timing, preview};
use crate::store::{Result, Store};

/// The first `count` slots after `from`, whether it is at work or not; `None` if there is no such schedule.
pub async fn preview_schedule(
    store: &dyn Store,
    workspace: &WorkspaceName,
    id: ScheduleId,
    from: Timestamp,
    count: usize,
) -> Result<Option<Vec<Previewed>>> {
    let Some(schedule) = store.schedule(workspace, id).await? else { return Ok(None) };
    Ok(Some(preview_timing(schedule.spec.timing, from, count).await))
}

/// The first `count` slots after `from`. A thousand leap days are some work, so that it is not done where others wait.
pub async fn preview_timing(timing: Timing, from: Timestamp, count: usize) -> Vec<Previewed> {
    match tokio::task::spawn_blocking(move || preview(&timing, from, count)).await {
        Ok(slots) => slots,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
