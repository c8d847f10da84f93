//! What workers report of the attempts they hold.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::apply::lane_of;
use super::claim::{claim_nowait, order};
use super::lanes::promote_or_start_fronts;
use super::usage::{charge, usage_in};
use super::{Change, LaneKey, Tx, apply};
use crate::clock::earlier;
use crate::run::lifecycle::{self, LeaseLost, Outcome, Step};
use crate::run::{Run, RunId, Status};
use crate::store::{
    Append, AppendOutcome, Claim, ClaimRequest, Claimed, Finish, FinishOutcome, Lease, ReleaseLease, Renew, Renewal,
    Result,
};

pub(in crate::store) async fn renew<T: Tx>(tx: &mut T, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
    let answers = tx.renew(leases, ttl).await?;
    Ok(leases.iter().map(|renew| answers.get(&renew.lease).copied().unwrap_or(Renewal::LeaseLost)).collect())
}

pub(in crate::store) async fn finish<T: Tx>(tx: &mut T, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
    Ok(finish_and_claim(tx, finishes, None).await?.0)
}

/// Ends attempts: plain successes in one statement, the rest one by one in memory and then in a batch. If all are plain, the
/// transaction may also claim: the next runs of their lanes, or else what is ready.
pub(in crate::store) async fn finish_and_claim<T: Tx>(
    tx: &mut T,
    finishes: &[Finish],
    next: Option<&ClaimRequest>,
) -> Result<(Vec<FinishOutcome>, Claim)> {
    let mut outcomes = vec![FinishOutcome::Accepted(Status::Succeeded); finishes.len()];
    let (plain, lanes) = finish_plain(tx, finishes).await?;
    let rest: Vec<usize> = (0..finishes.len()).filter(|at| !plain.contains(at)).collect();
    if rest.is_empty() {
        // The next run of a lane is not leased ahead.
        let mut started = promote_or_start_fronts(tx, &lanes, next.filter(|request| request.ahead.is_none())).await?;
        if let (true, Some(request)) = (started.is_empty(), next) {
            return Ok((outcomes, claim_nowait(tx, request).await?));
        }
        started.sort_by_key(order);
        let runs = started.into_iter().map(Claimed::begun).collect();
        return Ok((outcomes, Claim { runs, last_turn: None }));
    }
    let leases: Vec<Lease> = rest.iter().map(|at| finishes[*at].lease).collect();
    let decided = end_attempts(tx, &leases, lanes, |run, at, now| {
        let Finish { lease, outcome, jitter, ran } = finishes[rest[at]].clone();
        lifecycle::finish(run, lease.epoch, outcome, jitter, earlier(now, ran), now)
    });
    for (at, outcome) in rest.iter().zip(decided.await?) {
        outcomes[*at] = outcome;
    }
    Ok((outcomes, Claim::default()))
}

/// Which of the finishes the statement for plain successes ended, and the lanes that became free by it. Of several finishes of a
/// run in one batch only the first counts.
async fn finish_plain<T: Tx>(tx: &mut T, finishes: &[Finish]) -> Result<(HashSet<usize>, BTreeSet<LaneKey>)> {
    let mut seen = HashSet::new();
    let mut plain = Vec::new();
    let mut places = Vec::new();
    for (at, finish) in finishes.iter().enumerate() {
        if seen.insert(finish.lease.run) && matches!(finish.outcome, Outcome::Succeeded { .. }) {
            plain.push(finish);
            places.push(at);
        }
    }
    if plain.is_empty() {
        return Ok(Default::default());
    }
    let ended = tx.finish_plain(&plain).await?;
    if ended.limited {
        tx.made_ready();
    }
    let done = places.into_iter().filter(|at| ended.runs.contains(&finishes[*at].lease.run)).collect();
    Ok((done, ended.lanes))
}

pub(in crate::store) async fn release<T: Tx>(tx: &mut T, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
    let leases: Vec<Lease> = releases.iter().map(|release| release.lease).collect();
    let transition = |run, at: usize, now| lifecycle::release(run, leases[at].epoch, releases[at].how, now);
    end_attempts(tx, &leases, BTreeSet::new(), transition).await
}

/// Locks the runs of the leases, lets `transition` decide each in turn, and applies the result.
async fn end_attempts<T: Tx>(
    tx: &mut T,
    leases: &[Lease],
    mut lanes: BTreeSet<LaneKey>,
    transition: impl Fn(Run, usize, Timestamp) -> std::result::Result<Step, LeaseLost> + Send,
) -> Result<Vec<FinishOutcome>> {
    let mut runs = lock(tx, leases).await?;
    lanes.extend(runs.values().filter_map(lane_of));
    let now = tx.now().await?;
    let mut changes = Vec::new();
    let mut outcomes = Vec::new();
    for (at, lease) in leases.iter().enumerate() {
        // Removed, so that a second finish of the same attempt finds it ended.
        let decided = runs.remove(&lease.run).map(|before| (before.clone(), transition(before, at, now)));
        outcomes.push(match decided {
            Some((before, Ok(step))) => {
                let status = step.run.status();
                changes.push(Change { before, step });
                FinishOutcome::Accepted(status)
            }
            Some((before, Err(LeaseLost))) => {
                runs.insert(before.id, before);
                FinishOutcome::LeaseLost
            }
            None => FinishOutcome::LeaseLost,
        });
    }
    apply(tx, changes, lanes, now).await?;
    Ok(outcomes)
}

pub(in crate::store) async fn append<T: Tx>(tx: &mut T, appends: &[Append]) -> Result<Vec<AppendOutcome>> {
    let leases: Vec<Lease> = appends.iter().map(|append| append.lease).collect();
    let mut runs = lock(tx, &leases).await?;
    let now = tx.now().await?;
    begin_leased(tx, &mut runs, &leases, now).await?;
    let (mut outcomes, mut used) = (Vec::new(), Vec::new());
    for append in appends {
        let held = runs.get(&append.lease.run).filter(|run| lifecycle::holds(run, append.lease.epoch, now));
        outcomes.push(match held {
            Some(run) => {
                used.extend(usage_in(run, &append.events));
                AppendOutcome::Appended { last: tx.append(run, &append.events, now).await? }
            }
            None => AppendOutcome::LeaseLost,
        });
    }
    charge(tx, &used, &runs, now).await?;
    Ok(outcomes)
}

/// A worker that reports on a run that was leased ahead has begun it.
async fn begin_leased<T: Tx>(
    tx: &mut T,
    runs: &mut HashMap<RunId, Run>,
    leases: &[Lease],
    now: Timestamp,
) -> Result<()> {
    let mut changes = Vec::new();
    for lease in leases {
        let Some(run) = runs.get_mut(&lease.run).filter(|run| lifecycle::holds(run, lease.epoch, now)) else {
            continue;
        };
        let begun = lifecycle::begin(run.clone(), now);
        if begun != *run {
            let before = std::mem::replace(run, begun.clone());
            changes.push(Change { before, step: Step { run: begun, ended: None } });
        }
    }
    if changes.is_empty() { Ok(()) } else { apply(tx, changes, BTreeSet::new(), now).await }
}

async fn lock<T: Tx>(tx: &mut T, leases: &[Lease]) -> Result<HashMap<RunId, Run>> {
    let ids: BTreeSet<RunId> = leases.iter().map(|lease| lease.run).collect();
    let runs = tx.lock_runs(&ids.into_iter().collect::<Vec<_>>()).await?;
    Ok(runs.into_iter().map(|run| (run.id, run)).collect())
}
