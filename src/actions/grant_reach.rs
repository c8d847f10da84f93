//! What runs under a grant: what revoking it stops.

use futures::stream::{self, StreamExt, TryStreamExt};

use crate::run::{GrantId, ScheduleId, Status, WorkspaceName};
use crate::schedule::Schedule;
use crate::store::{Page, Result, RunFilter, ScheduleFilter, Store};

/// Read so many at a time.
const PAGE: usize = 500;

/// So many schedules are looked at once.
const AT_ONCE: usize = 8;

/// What a grant is used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantReach {
    /// The schedules under it, newest first.
    pub schedules: Vec<Schedule>,
    /// How many of their runs wait: they will fail when they are to start, once it is revoked.
    pub waiting: u64,
    /// How many of their runs are running: they go on to their end, and are not tried again.
    pub running: u64,
}

/// What runs under the grant now.
pub async fn grant_reach(store: &dyn Store, workspace: &WorkspaceName, grant: GrantId) -> Result<GrantReach> {
    let schedules = schedules_under(store, workspace, grant).await?;
    let ids: Vec<ScheduleId> = schedules.iter().map(|schedule| schedule.id).collect();
    let counts = stream::iter(ids)
        .map(|schedule| live_runs(store, workspace, grant, schedule))
        .buffer_unordered(AT_ONCE)
        .try_fold((0, 0), |sum, found| async move { Ok((sum.0 + found.0, sum.1 + found.1)) });
    let (waiting, running) = counts.await?;
    Ok(GrantReach { schedules, waiting, running })
}

async fn schedules_under(store: &dyn Store, workspace: &WorkspaceName, grant: GrantId) -> Result<Vec<Schedule>> {
    let filter = ScheduleFilter { grant: Some(grant) };
    let (mut found, mut page) = (Vec::new(), Page::first(PAGE));
    loop {
        let listed = store.schedules(workspace, &filter, &page).await?;
        found.extend(listed.data);
        match listed.next {
            Some(next) => page.after = Some(next),
            None => return Ok(found),
        }
    }
}

/// How many wait and how many are running, of one schedule.
async fn live_runs(
    store: &dyn Store,
    workspace: &WorkspaceName,
    grant: GrantId,
    schedule: ScheduleId,
) -> Result<(u64, u64)> {
    let statuses = Status::ALL.into_iter().filter(|status| !status.is_terminal()).collect();
    let filter = RunFilter { statuses, schedule: Some(schedule), ..RunFilter::default() };
    let (mut counts, mut page) = ((0, 0), Page::first(PAGE));
    loop {
        let listed = store.runs(workspace, &filter, &page).await?;
        for run in listed.data.iter().filter(|run| run.scheduled.is_some_and(|of| of.grant == grant)) {
            match run.status() {
                Status::Running => counts.1 += 1,
                _ => counts.0 += 1,
            }
        }
        match listed.next {
            Some(next) => page.after = Some(next),
            None => return Ok(counts),
        }
    }
}
