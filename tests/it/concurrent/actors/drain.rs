//! Brings everything that is left to its end, so that what cannot move is found.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use runlane::run::lifecycle::{Command, Outcome};
use runlane::run::{RunId, Status, WorkspaceName};
use runlane::store::{Admission, ClaimRequest, Finish, LanePolicy, Lease, Page, QueueChange, Result, RunFilter, Store};

use super::operator::all_passes;
use super::worker::taker;
use super::world::workspaces;

/// Longer than any lease, timeout or wait between attempts: nothing that takes longer is merely waiting.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lifts every pause, hold and limit, then executes until nothing is live or nothing moves any more.
pub(crate) async fn drain(store: Arc<dyn Store>, admission: Admission) {
    let (mut moved, mut fewest) = (Instant::now(), u64::MAX);
    while moved.elapsed() < PATIENCE {
        // Errors are in the recording; the next round may do better.
        let live = round(&*store, admission).await.unwrap_or(u64::MAX);
        if live == 0 {
            return;
        }
        if live < fewest {
            (moved, fewest) = (Instant::now(), live);
        }
        // What is left may wait for a lease to run out.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Answers how many runs are live still.
async fn round(store: &dyn Store, admission: Admission) -> Result<u64> {
    for workspace in &workspaces() {
        open(store, workspace, admission).await?;
    }
    all_passes(store).await;
    let request = ClaimRequest {
        lease_ttl: SignedDuration::from_secs(1),
        takeover_delay: SignedDuration::from_millis(200),
        ..ClaimRequest::of(taker("host-0"), 50)
    };
    let leases: Vec<Lease> = store.claim(&request).await?.runs.iter().map(|claimed| claimed.lease()).collect();
    let finish = |lease: &Lease| Finish::of(*lease, Outcome::Succeeded { output: None });
    store.finish(&leases.iter().map(finish).collect::<Vec<_>>()).await?;
    Ok(store.counts().await?.iter().map(|count| count.runs).sum())
}

async fn open(store: &dyn Store, workspace: &WorkspaceName, admission: Admission) -> Result<()> {
    for queue in store.queues(workspace).await?.iter().filter(|queue| queue.settings.paused) {
        store.set_queue(workspace, &queue.name, QueueChange { paused: Some(false), concurrency: None }).await?;
    }
    for lane in store.lanes(workspace, None, &Page::first(100)).await?.data {
        if lane.policy == LanePolicy::Hold {
            store.set_lane_policy(workspace, &lane.name, LanePolicy::Continue).await?;
        }
    }
    for (status, command) in [(Status::Pending, Command::Enqueue), (Status::Paused, Command::Resume)] {
        let filter = RunFilter { statuses: vec![status], ..RunFilter::default() };
        let runs = store.runs(workspace, &filter, &Page::first(100)).await?;
        let runs: Vec<RunId> = runs.data.iter().map(|run| run.id).collect();
        store.command(workspace, &runs, command, admission).await?;
    }
    Ok(())
}
