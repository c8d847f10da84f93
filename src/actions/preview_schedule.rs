//! Says which slots of a schedule come next.

use jiff::Timestamp;

use crate::run::{ScheduleId, WorkspaceName};
use crate::schedule::{Previewed, preview};
use crate::store::{Result, Store};

/// The first `count` slots after `from`, whether it is at work or not; `None` if there is no such schedule.
pub async fn preview_schedule(
    store: &dyn Store,
    workspace: &WorkspaceName,
    id: ScheduleId,
    from: Timestamp,
    count: usize,
) -> Result<Option<Vec<Previewed>>> {
    let schedule = store.schedule(workspace, id).await?;
    Ok(schedule.map(|schedule| preview(&schedule.spec.timing, from, count)))
}
