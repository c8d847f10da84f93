//! Stores what transitions made of runs, and what follows from it: for runs that waited for them, for the next slots of schedules,
//! and for lanes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::chain::{SlotEvent, advance_schedules, insert_live_runs};
use super::freed::{Freed, notify_put_off};
use super::lanes::promote_fronts;
use super::{LaneKey, Tx};
use crate::run::lifecycle::{self, Step};
use crate::run::{Run, RunId, Status};
use crate::schedule;
use crate::store::{LanePolicy, Result, StoreError};

/// A locked run and what a transition made of it.
pub(in crate::store) struct Change {
    pub(in crate::store) before: Run,
    pub(in crate::store) step: Step,
}

impl Change {
    fn ended(&self) -> bool {
        !self.before.status().is_terminal() && self.step.run.status().is_terminal()
    }

    fn ended_for_its_schedule(&self) -> bool {
        !schedule::is_done(&self.before) && schedule::is_done(&self.step.run)
    }
}

/// Writes the changes and makes the next runs ready in `lanes` and in those that the changes touch.
pub(in crate::store) async fn apply<T: Tx>(
    tx: &mut T,
    changes: Vec<Change>,
    lanes: BTreeSet<LaneKey>,
    now: Timestamp,
) -> Result<()> {
    let mut lanes = lanes;
    let (mut stops, mut freed, mut ended) = (Stops::default(), Freed::default(), Vec::new());
    let mut round = changes;
    while !round.is_empty() {
        for change in &round {
            stops.note(change);
            freed.note(change);
            lanes.extend([&change.before, &change.step.run].into_iter().filter_map(lane_of));
        }
        write(tx, &round).await?;
        notify_put_off(tx, round.iter().map(|change| &change.step.run), now);
        let next = resolve_waits(tx, &round, now).await?;
        ended.extend(
            round.into_iter().filter(|change| change.step.run.scheduled.is_some() && change.ended_for_its_schedule()),
        );
        round = next;
    }
    freed.notify(tx).await?;
    let ended: Vec<SlotEvent<'_>> = ended.iter().filter_map(|change| SlotEvent::ended(&change.step.run)).collect();
    let slots = advance_schedules(tx, &ended, now).await?;
    lanes.extend(slots.iter().filter_map(lane_of));
    let mut policies = HashMap::new();
    if !lanes.is_empty() {
        policies = tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    }
    if !slots.is_empty() {
        insert_live_runs(tx, &slots).await?;
    }
    stops.write(tx, &policies).await?;
    promote_fronts(tx, &lanes).await
}

pub(in crate::store) fn lane_of(run: &Run) -> Option<LaneKey> {
    run.lane.as_ref().map(|lane| (run.workspace.clone(), lane.clone()))
}

/// If another transaction wrote a row since it was read, everything is rolled back and decided again. Locks make that rare;
/// correctness does not depend on them.
pub(super) fn wrote_all(written: usize, wanted: usize) -> Result<()> {
    match written == wanted {
        true => Ok(()),
        false => Err(StoreError::Contended { doing: "writing what was decided on rows that changed meanwhile" }),
    }
}

async fn write<T: Tx>(tx: &mut T, changes: &[Change]) -> Result<()> {
    let (mut updated, mut ended, mut revived, mut attempts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for Change { before, step } in changes {
        attempts.extend(step.ended.clone().map(|attempt| (step.run.id, attempt)));
        if *before == step.run {
            continue;
        }
        let after = Run { revision: before.revision + 1, ..step.run.clone() };
        match (before.status().is_terminal(), after.status().is_terminal()) {
            (false, false) => updated.push(after),
            (false, true) => ended.push(after),
            (true, _) => revived.push(after),
        }
    }
    if !updated.is_empty() {
        wrote_all(tx.update_runs(&updated).await?, updated.len())?;
    }
    if !ended.is_empty() {
        wrote_all(tx.end_runs(&ended).await?, ended.len())?;
    }
    if !revived.is_empty() {
        wrote_all(tx.revive_runs(&revived).await?, revived.len())?;
    }
    if !attempts.is_empty() {
        tx.insert_attempts(&attempts).await?;
    }
    Ok(())
}

/// What becomes of the runs that waited for those that have just ended.
async fn resolve_waits<T: Tx>(tx: &mut T, changes: &[Change], now: Timestamp) -> Result<Vec<Change>> {
    let ended: Vec<&Run> = changes.iter().filter(|change| change.ended()).map(|change| &change.step.run).collect();
    let never_started: Vec<RunId> = ended.iter().filter(|run| !lifecycle::started(run)).map(|run| run.id).collect();
    if !never_started.is_empty() {
        tx.delete_waits_of(&never_started).await?;
    }
    let awaited: HashMap<RunId, Status> =
        ended.iter().filter(|run| run.awaited).map(|run| (run.id, run.status())).collect();
    if awaited.is_empty() {
        return Ok(Vec::new());
    }
    let mut upstreams: BTreeMap<RunId, BTreeSet<RunId>> = BTreeMap::new();
    for (run, upstream) in tx.waits_on(&awaited.keys().copied().collect::<Vec<_>>()).await? {
        upstreams.entry(run).or_default().insert(upstream);
    }
    let waiting = tx.lock_runs(&upstreams.keys().copied().collect::<Vec<_>>()).await?;
    let over: Vec<(RunId, RunId)> =
        upstreams.iter().flat_map(|(run, ended)| ended.iter().map(|upstream| (*run, *upstream))).collect();
    tx.delete_waits(&over).await?;
    let still = tx.waiting(&waiting.iter().map(|run| run.id).collect::<Vec<_>>()).await?;
    let (mut next, mut waiting_on) = (Vec::new(), Vec::new());
    for run in waiting {
        let failed = upstreams[&run.id].iter().find(|upstream| awaited[upstream] != Status::Succeeded);
        let step = match failed {
            Some(upstream) => lifecycle::upstream_failed(run.clone(), *upstream, awaited[upstream], now),
            None if still.contains(&run.id) => {
                waiting_on.push(Run { revision: run.revision + 1, ..run });
                continue;
            }
            None => Some(Step { run: lifecycle::unblock(run.clone(), now), ended: None }),
        };
        next.extend(step.map(|step| Change { before: run, step }));
    }
    // Written though nothing but the revision changes: of two upstream runs that end at once, each of which saw the other's wait,
    // one fails here and decides again.
    if !waiting_on.is_empty() {
        wrote_all(tx.update_runs(&waiting_on).await?, waiting_on.len())?;
    }
    Ok(next)
}

/// The runs that stopped in a lane, and those that left it or run again.
#[derive(Default)]
struct Stops {
    stopped: Vec<(RunId, LaneKey)>,
    left: Vec<RunId>,
}

impl Stops {
    fn note(&mut self, Change { before, step }: &Change) {
        if before.status() == step.run.status() && before.lane == step.run.lane {
            return;
        }
        if before.lane.is_some() && before.status().holds_lane() {
            self.left.push(before.id);
        }
        if let Some(lane) = lane_of(&step.run).filter(|_| step.run.status().holds_lane()) {
            self.stopped.push((step.run.id, lane));
        }
    }

    async fn write<T: Tx>(self, tx: &mut T, policies: &HashMap<LaneKey, LanePolicy>) -> Result<()> {
        if !self.left.is_empty() {
            tx.delete_holds(&self.left).await?;
        }
        let holds: Vec<_> =
            self.stopped.into_iter().filter(|(_, lane)| policies.get(lane) == Some(&LanePolicy::Hold)).collect();
        if !holds.is_empty() {
            tx.insert_holds(&holds).await?;
        }
        Ok(())
    }
}
