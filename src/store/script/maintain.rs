//! The passes that keep the store moving when nobody speaks.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::apply::lane_of;
use super::lanes::lock_and_settle;
use super::{Change, LaneKey, Tx, apply};
use crate::run::lifecycle;
use crate::run::{Jitter, RunId};
use crate::store::{Promoted, Pruned, Result, Retention};

pub(in crate::store) async fn reap<T: Tx>(tx: &mut T, limit: usize) -> Result<Vec<RunId>> {
    let reaped = tx.reap(limit).await?;
    if !reaped.is_empty() {
        tx.made_ready();
    }
    Ok(reaped)
}

pub(in crate::store) async fn promote<T: Tx>(tx: &mut T, limit: usize) -> Result<Promoted> {
    let promoted = tx.promote(limit).await?;
    let runs = promoted.len();
    if runs > 0 {
        tx.made_ready();
    }
    let lanes: BTreeSet<LaneKey> = promoted.into_iter().flatten().collect();
    lock_and_settle(tx, &lanes).await?;
    Ok(Promoted { runs, next_due: tx.next_due().await? })
}

pub(in crate::store) async fn expire<T: Tx>(
    tx: &mut T,
    grace: SignedDuration,
    jitter: Jitter,
    limit: usize,
) -> Result<Vec<RunId>> {
    let runs = tx.overdue_runs(grace, limit).await?;
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let now = tx.now().await?;
    let lanes: BTreeSet<LaneKey> = runs.iter().filter_map(lane_of).collect();
    let mut changes = Vec::new();
    for before in runs {
        let step = lifecycle::overdue(before.clone(), grace, jitter, now);
        changes.extend(step.map(|step| Change { before, step }));
    }
    let ids = changes.iter().map(|change| change.before.id).collect();
    apply(tx, changes, lanes, now).await?;
    Ok(ids)
}

pub(in crate::store) async fn prune<T: Tx>(tx: &mut T, retention: &Retention, limit: usize) -> Result<Pruned> {
    let pruned = Pruned {
        runs: tx.prune_finished(retention.finished, limit).await?,
        idempotency_keys: tx.prune_idempotency(limit).await?,
        workers: tx.prune_workers(retention).await?,
        audit: tx.prune_audit(retention.audit, limit).await?,
    };
    tx.prune_lanes(limit).await?;
    Ok(pruned)
}
