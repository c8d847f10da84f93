//! Lanes: who goes next, and who holds them.

use std::collections::{BTreeSet, HashSet};

use super::{Interest, LaneKey, Tx};
use crate::run::{Run, RunId};
use crate::store::{ClaimRequest, LanePolicy, LanePolicyOutcome, Result};

/// Settles lanes that nothing else is to be done with.
pub(super) async fn lock_and_settle<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<()> {
    settle_and_start(tx, lanes, None).await.map(drop)
}

/// As [`lock_and_settle`], and starts what may go by that, if somebody wants it.
pub(super) async fn settle_and_start<T: Tx>(
    tx: &mut T,
    lanes: &BTreeSet<LaneKey>,
    next: Option<&ClaimRequest>,
) -> Result<Vec<Run>> {
    if lanes.is_empty() {
        return Ok(Vec::new());
    }
    tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    let mut first = to_the_front(tx, lanes).await?;
    let started = match next {
        Some(request) => hand_over(tx, &first, request).await?,
        None => Vec::new(),
    };
    let gone: HashSet<RunId> = started.iter().map(|run| run.id).collect();
    first.retain(|run| !gone.contains(run));
    make_ready(tx, &first).await?;
    Ok(started)
}

/// Makes the first run of each lane ready, unless the lane is closed. The lanes are locked.
pub(super) async fn settle<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<()> {
    if lanes.is_empty() {
        return Ok(());
    }
    let first = to_the_front(tx, lanes).await?;
    make_ready(tx, &first).await
}

/// The runs that may go and are not ready yet. Those that have to make way for them have done so.
async fn to_the_front<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<Vec<RunId>> {
    let fronts = tx.lane_fronts(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    let goes = |front: &super::Front| if front.closed { None } else { front.first };
    let mut demoted: Vec<RunId> = Vec::new();
    for front in &fronts {
        demoted.extend(front.ready.filter(|ready| goes(front) != Some(*ready)));
    }
    let gave_way = if demoted.is_empty() { Default::default() } else { tx.lane_demote(&demoted).await? };
    let mut promoted = Vec::new();
    for front in &fronts {
        // One that could not be put back was claimed or changed before it could be locked.
        let free = front.ready.is_none_or(|ready| gave_way.contains(&ready));
        promoted.extend(goes(front).filter(|_| free));
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

/// Starts runs that are first in their lanes: they need not become ready to be claimed, which would write them twice. Only if a
/// claim would get just these, so that nobody is overtaken.
async fn hand_over<T: Tx>(tx: &mut T, runs: &[RunId], request: &ClaimRequest) -> Result<Vec<Run>> {
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
    settle(tx, &BTreeSet::from([lane.clone()])).await?;
    Ok(if before == policy { LanePolicyOutcome::Unchanged } else { LanePolicyOutcome::Changed })
}

pub(in crate::store) async fn release_lane<T: Tx>(tx: &mut T, lane: &LaneKey) -> Result<usize> {
    tx.lock_lanes(std::slice::from_ref(lane)).await?;
    let held_by = tx.delete_lane_holds(lane).await?;
    settle(tx, &BTreeSet::from([lane.clone()])).await?;
    Ok(held_by)
}
