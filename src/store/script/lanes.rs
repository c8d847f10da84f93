//! Lanes: who goes next, and who holds them.

use std::collections::BTreeSet;

use super::{LaneKey, Tx};
use crate::run::RunId;
use crate::store::{LanePolicy, Result};

/// Settles lanes that nothing else is to be done with.
pub(super) async fn lock_and_settle<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<()> {
    if lanes.is_empty() {
        return Ok(());
    }
    tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    settle(tx, lanes).await
}

/// Makes the first run of each lane ready, unless the lane is closed. The lanes are locked.
pub(super) async fn settle<T: Tx>(tx: &mut T, lanes: &BTreeSet<LaneKey>) -> Result<()> {
    if lanes.is_empty() {
        return Ok(());
    }
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
    if !promoted.is_empty() {
        tx.lane_promote(&promoted).await?;
        tx.made_ready();
    }
    Ok(())
}

pub(in crate::store) async fn set_lane_policy<T: Tx>(tx: &mut T, lane: &LaneKey, policy: LanePolicy) -> Result<bool> {
    if tx.known_workspaces(std::slice::from_ref(&lane.0)).await?.is_empty() {
        return Ok(false);
    }
    tx.lock_lanes(std::slice::from_ref(lane)).await?;
    tx.set_lane_policy(lane, policy).await?;
    if policy == LanePolicy::Continue {
        tx.delete_lane_holds(lane).await?;
    }
    settle(tx, &BTreeSet::from([lane.clone()])).await?;
    Ok(true)
}

pub(in crate::store) async fn release_lane<T: Tx>(tx: &mut T, lane: &LaneKey) -> Result<usize> {
    tx.lock_lanes(std::slice::from_ref(lane)).await?;
    let held_by = tx.delete_lane_holds(lane).await?;
    settle(tx, &BTreeSet::from([lane.clone()])).await?;
    Ok(held_by)
}
