//! Lanes: which run is next, and which runs hold them.

use std::collections::{BTreeSet, HashSet};

use super::{Interest, LaneKey, Tx};
use crate::run::{Run, RunId};
use crate::store::{ClaimRequest, LanePolicy, LanePolicyOutcome, Result};

/// Locks lanes and makes the next run of each ready.
pub(super) async fn lock_and_promote_fronts<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<()> {
    promote_or_start_fronts(tx, lanes, None).await.map(drop)
}

/// As [`lock_and_promote_fronts`], but starts the next runs at once for a worker that would claim them.
pub(super) async fn promote_or_start_fronts<T: Tx>(
    tx: &mut T,
    lanes: &BTreeSet<LaneKey>,
    next: Option<&ClaimRequest>,
) -> Result<Vec<Run>> {
    if lanes.is_empty() {
        return Ok(Vec::new());
    }
    tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    let mut first = displace_ready(tx, lanes).await?;
    let started = match next {
        Some(request) => start_fronts(tx, &first, request).await?,
        None => Vec::new(),
    };
    let gone: HashSet<RunId> = started.iter().map(|run| run.id).collect();
    first.retain(|run| !gone.contains(run));
    make_ready(tx, &first).await?;
    Ok(started)
}

/// Makes the next run of each lane ready, unless the lane is closed. The lanes are locked.
pub(super) async fn promote_fronts<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<()> {
    if lanes.is_empty() {
        return Ok(());
    }
    let first = displace_ready(tx, lanes).await?;
    make_ready(tx, &first).await
}

/// Puts ready runs back that are not the next of their lanes any more; answers with the runs that are to be made ready.
async fn displace_ready<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<Vec<RunId>> {
    let fronts = tx.lane_fronts(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    let next = |front: &super::Front| if front.closed { None } else { front.first };
    let mut demoted: Vec<RunId> = Vec::new();
    for front in &fronts {
        demoted.extend(front.ready.filter(|ready| next(front) != Some(*ready)));
    }
    let displaced = if demoted.is_empty() { Default::default() } else { tx.lane_demote(&demoted).await? };
    let mut promoted = Vec::new();
    for front in &fronts {
        // A run that could not be put back was claimed or changed before it could be locked.
        let free = front.ready.is_none_or(|ready| displaced.contains(&ready));
        promoted.extend(next(front).filter(|_| free));
    }
    Ok(promoted)
}

async fn make_ready<T: Tx>(tx: &mut T, runs: &[RunId]) -> Result<()> {
    if !runs.is_empty() {
        tx.lane_promote(runs).await?;
        tx.made_ready();
    }
    Ok(())
}

/// Starts the next runs of lanes for a worker without making them ready first, which would write them twice. Only if a claim would
/// get exactly these, so that no run is overtaken.
async fn start_fronts<T: Tx>(tx: &mut T, runs: &[RunId], request: &ClaimRequest) -> Result<Vec<Run>> {
    if runs.is_empty() || runs.len() > request.capacity || !tx.is_idle(&Interest::of(request)).await? {
        return Ok(Vec::new());
    }
    tx.lane_claim(runs, request).await
}

pub(in crate::store) async fn set_lane_policy<T: Tx>(
    tx: &mut T,
    lane: &LaneKey,
    policy: LanePolicy,
) -> Result<LanePolicyOutcome> {
    if tx.known_workspaces(std::slice::from_ref(&lane.0)).await?.is_empty() {
        return Ok(LanePolicyOutcome::UnknownWorkspace);
    }
    let before = tx.lock_lanes(std::slice::from_ref(lane)).await?.get(lane).copied().unwrap_or_default();
    tx.set_lane_policy(lane, policy).await?;
    if policy == LanePolicy::Continue {
        tx.delete_lane_holds(lane).await?;
    }
    promote_fronts(tx, &BTreeSet::from([lane.clone()])).await?;
    Ok(if before == policy { LanePolicyOutcome::Unchanged } else { LanePolicyOutcome::Changed })
}

pub(in crate::store) async fn release_lane<T: Tx>(tx: &mut T, lane: &LaneKey) -> Result<usize> {
    tx.lock_lanes(std::slice::from_ref(lane)).await?;
    let held_by = tx.delete_lane_holds(lane).await?;
    promote_fronts(tx, &BTreeSet::from([lane.clone()])).await?;
    Ok(held_by)
}
