//! The periodic passes.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::apply::lane_of;
use super::lanes::lock_and_promote_fronts;
use super::{Change, LaneKey, Tx, apply};
use crate::run::lifecycle::{self, Command};
use crate::run::{Jitter, RunId, ScheduleId, Status};
use crate::store::{Promoted, Pruned, Result, Retention};

pub(in crate::store) async fn reap<T: Tx>(tx: &mut T, limit: usize) -> Result<Vec<RunId>> {
    let reaped = tx.reap(limit).await?;
    if !reaped.is_empty() {
        tx.made_ready();
    }
    Ok(reaped)
}

pub(in crate::store) async fn promote<T: Tx>(tx: &mut T, limit: usize) -> Result<Promoted> {
    // A read first: mostly nothing is due, and nothing is written.
    let next_due = tx.next_due().await?;
    if next_due.is_none_or(|wait| wait > SignedDuration::ZERO) {
        return Ok(Promoted { next_due, ..Promoted::default() });
    }
    let late = tx.late_runs(limit).await?;
    let promoted = tx.promote(limit).await?;
    let runs = promoted.len();
    if runs > 0 {
        tx.made_ready();
    }
    let schedules: BTreeSet<ScheduleId> = promoted.iter().filter_map(|due| due.schedule).collect();
    let mut lanes: BTreeSet<LaneKey> = promoted.into_iter().filter_map(|due| due.lane).collect();
    let mut changes = match schedules.is_empty() {
        true => Vec::new(),
        false => replaced(tx, schedules.into_iter().collect()).await?,
    };
    let too_late = late.len();
    if !late.is_empty() {
        let now = tx.now().await?;
        lanes.extend(late.iter().filter_map(lane_of));
        changes.extend(late.into_iter().filter_map(|before| {
            let step = lifecycle::end_if_too_late(before.clone(), now)?;
            Some(Change { before, step })
        }));
    }
    match changes.is_empty() {
        true => lock_and_promote_fronts(tx, &lanes).await?,
        false => {
            let now = tx.now().await?;
            apply(tx, changes, lanes, now).await?;
        }
    }
    Ok(Promoted { runs, too_late, next_due: tx.next_due().await? })
}

/// What becomes of the runs under way whose schedules ask for them to give way to the one that is due now.
async fn replaced<T: Tx>(tx: &mut T, due: Vec<ScheduleId>) -> Result<Vec<Change>> {
    let rivals = tx.rivals(&due).await?;
    if rivals.is_empty() {
        return Ok(Vec::new());
    }
    let runs = tx.lock_runs(&rivals).await?;
    let now = tx.now().await?;
    let under_way = runs.into_iter().filter(|run| matches!(run.status(), Status::Running | Status::Retrying));
    let changes = under_way.filter_map(|before| {
        let (step, _) = lifecycle::command(before.clone(), Command::Cancel, false, now).ok()?;
        Some(Change { before, step })
    });
    Ok(changes.collect())
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
        skips: tx.prune_skips(retention.finished, limit).await?,
        usage: tx.prune_usage(retention.usage, limit).await?,
    };
    // Ten times as many: they are small, and not reported.
    tx.prune_lanes(limit.saturating_mul(10)).await?;
    Ok(pruned)
}
