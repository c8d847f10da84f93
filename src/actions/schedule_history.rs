//! What became of a schedule's slots: its runs, and the slots that got none.

use crate::run::{Run, RunId, ScheduleId, WorkspaceName};
use crate::schedule::{Skip, SkipId};
use crate::store::{Listed, Page, Result, RunFilter, Store};

/// What became of a slot, or of several in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryEntry {
    /// It has a run; or the run is one that somebody asked for.
    Run(Box<Run>),
    /// It got none.
    Skip(Skip),
}

impl HistoryEntry {
    /// Orders entries of both kinds: ids are in order of time, whatever they name.
    pub fn id(&self) -> uuid::Uuid {
        match self {
            HistoryEntry::Run(run) => run.id.0,
            HistoryEntry::Skip(skip) => skip.id.0,
        }
    }
}

/// A page of them, newest first; `None` if there is no such schedule.
pub async fn schedule_history(
    store: &dyn Store,
    workspace: &WorkspaceName,
    schedule: ScheduleId,
    page: &Page<uuid::Uuid>,
) -> Result<Option<Listed<HistoryEntry, uuid::Uuid>>> {
    if store.schedule(workspace, schedule).await?.is_none() {
        return Ok(None);
    }
    let filter = RunFilter { schedule: Some(schedule), ..RunFilter::default() };
    let runs = store.runs(workspace, &filter, &Page { limit: page.limit, after: page.after.map(RunId) }).await?;
    let skips = store.skips(workspace, schedule, &Page { limit: page.limit, after: page.after.map(SkipId) }).await?;
    let more = runs.next.is_some() || skips.next.is_some();
    let mut data: Vec<HistoryEntry> = runs.data.into_iter().map(|run| HistoryEntry::Run(Box::new(run))).collect();
    data.extend(skips.data.into_iter().map(HistoryEntry::Skip));
    data.sort_by_key(|entry| std::cmp::Reverse(entry.id()));
    let cut = data.len() > page.limit;
    data.truncate(page.limit);
    let next = if more || cut { data.last().map(HistoryEntry::id) } else { None };
    Ok(Some(Listed { data, next }))
}
