//! The runs of schedules: when the head starts or ends, the run of the next slot is inserted in the same transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::apply::{Change, apply, lane_of, wrote_all};
use super::freed::notify_put_off;
use super::lanes::promote_fronts;
use super::{LaneKey, ScheduleChange, Tx};
use crate::run::lifecycle::{self, Step};
use crate::run::{GrantId, NewRun, Run, RunId, RunKey, ScheduleId, WorkspaceName};
use crate::schedule::{Grant, Schedule, Skip, Successor, start_refusal};
use crate::store::{Claimed, Result};

/// What happened to a run of a schedule: it was claimed, or it ended.
pub(super) struct SlotEvent<'a> {
    run: &'a Run,
    ended: bool,
}

impl<'a> SlotEvent<'a> {
    fn claimed(run: &'a Run) -> Self {
        Self { run, ended: false }
    }

    pub(super) fn ended(run: &'a Run) -> Option<Self> {
        run.scheduled.map(|_| Self { run, ended: true })
    }

    fn slot(&self) -> Option<(ScheduleId, Timestamp)> {
        self.run.scheduled.and_then(|scheduled| Some((scheduled.schedule, scheduled.slot?)))
    }
}

/// Schedules the next slots after heads that started or ended; answers with the runs that are to be inserted.
pub(super) async fn advance_schedules<T: Tx>(tx: &mut T, events: &[SlotEvent<'_>], now: Timestamp) -> Result<Vec<Run>> {
    let by_schedule = by_schedule(events);
    if by_schedule.is_empty() {
        return Ok(Vec::new());
    }
    let schedules = tx.lock_schedules(&by_schedule.keys().copied().collect::<Vec<_>>()).await?;
    advance_locked(tx, schedules, by_schedule, now).await
}

fn by_schedule<'a>(events: &'a [SlotEvent<'a>]) -> Events<'a> {
    let mut by_schedule = Events::new();
    for event in events {
        if let Some((schedule, slot)) = event.slot() {
            by_schedule.entry(schedule).or_default().push((slot, event));
        }
    }
    by_schedule
}

type Events<'a> = BTreeMap<ScheduleId, Vec<(Timestamp, &'a SlotEvent<'a>)>>;

/// As [`advance_schedules`], with the schedules locked.
async fn advance_locked<T: Tx>(
    tx: &mut T,
    schedules: Vec<Schedule>,
    mut by_schedule: Events<'_>,
    now: Timestamp,
) -> Result<Vec<Run>> {
    let mut next = NextHeads::default();
    for mut schedule in schedules {
        let before = schedule.clone();
        let mut events = by_schedule.remove(&schedule.id).unwrap_or_default();
        events.sort_by_key(|(slot, _)| *slot);
        for (slot, SlotEvent { run, ended }) in events {
            let is_head = schedule.head.is_some_and(|head| head.run == run.id);
            // A run that was withdrawn is no head any more, and its slot may have another run.
            if is_head || !ended {
                schedule.note_slot(slot);
            }
            if is_head && (*ended || schedule.follows_a_start()) {
                next.add(schedule.schedule_next_slot(slot, run, now), now);
            }
        }
        if schedule != before {
            next.changed.push(ScheduleChange { before, after: schedule });
        }
    }
    next.write(tx).await
}

/// What schedules become, with the runs and skips that this makes.
#[derive(Default)]
pub(super) struct NextHeads {
    pub(super) changed: Vec<ScheduleChange>,
    skips: Vec<Skip>,
    runs: Vec<Run>,
}

impl NextHeads {
    pub(super) fn add(&mut self, Successor { new_head, skips }: Successor, now: Timestamp) {
        self.skips.extend(skips);
        self.runs.extend(new_head.map(|request| lifecycle::submit(&request, 0, false, now)));
    }

    /// Writes all but the runs; answers with them.
    pub(super) async fn write<T: Tx>(self, tx: &mut T) -> Result<Vec<Run>> {
        if !self.changed.is_empty() {
            wrote_all(tx.move_schedules(&self.changed).await?, self.changed.len())?;
        }
        if !self.skips.is_empty() {
            tx.insert_skips(&self.skips).await?;
        }
        drop_taken_keys(tx, self.runs).await
    }
}

/// A key that somebody else's run has is left to it: the next slot must get its run whatever others call theirs.
async fn drop_taken_keys<T: Tx>(tx: &mut T, mut runs: Vec<Run>) -> Result<Vec<Run>> {
    let keys: Vec<(WorkspaceName, RunKey)> =
        runs.iter().filter_map(|run| Some((run.workspace.clone(), run.key.clone()?))).collect();
    if keys.is_empty() {
        return Ok(runs);
    }
    let taken: BTreeSet<(WorkspaceName, Option<RunKey>)> =
        tx.keyed_runs(&keys).await?.into_iter().map(|run| (run.workspace, run.key)).collect();
    for run in runs.iter_mut().filter(|run| taken.contains(&(run.workspace.clone(), run.key.clone()))) {
        run.key = None;
    }
    Ok(runs)
}

/// Inserts the run of a new head, if there is one.
pub(super) async fn insert_head<T: Tx>(tx: &mut T, request: Option<&NewRun>, now: Timestamp) -> Result<()> {
    let run = request.map(|request| lifecycle::submit(request, 0, false, now));
    let runs = drop_taken_keys(tx, run.into_iter().collect()).await?;
    insert_heads(tx, &runs).await
}

/// Inserts runs of schedules, in lanes that are locked before, as in a submission.
pub(super) async fn insert_heads<T: Tx>(tx: &mut T, runs: &[Run]) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let lanes: BTreeSet<LaneKey> = runs.iter().filter_map(lane_of).collect();
    if !lanes.is_empty() {
        tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    }
    insert_live_runs(tx, runs).await?;
    promote_fronts(tx, &lanes).await
}

/// Inserts new runs and reports which of them are ready or wait for their time.
pub(super) async fn insert_live_runs<T: Tx>(tx: &mut T, runs: &[Run]) -> Result<()> {
    tx.insert_runs(runs).await?;
    if runs.iter().any(Run::is_ready) {
        tx.made_ready();
    }
    if let Some(first) = runs.first() {
        notify_put_off(tx, runs.iter(), first.requested_at);
    }
    Ok(())
}

/// Lets those claimed runs of schedules start that may, inserts the runs of the next slots, and ends the others.
pub(super) async fn admit<T: Tx>(tx: &mut T, claimed: Vec<Claimed>) -> Result<Vec<Claimed>> {
    let new = |claimed: &&Claimed| !claimed.adopted && claimed.run.scheduled.is_some();
    let scheduled: Vec<Run> = claimed.iter().filter(new).map(|claimed| claimed.run.clone()).collect();
    if scheduled.is_empty() {
        return Ok(claimed);
    }
    let grants: BTreeSet<GrantId> = scheduled.iter().filter_map(|run| Some(run.scheduled?.grant)).collect();
    let grants = tx.lock_grants(&grants.into_iter().collect::<Vec<_>>()).await?;
    let grants: HashMap<GrantId, Grant> = grants.into_iter().map(|grant| (grant.id, grant)).collect();
    let schedules: BTreeSet<ScheduleId> = scheduled.iter().filter_map(|run| Some(run.scheduled?.schedule)).collect();
    let schedules = tx.lock_schedules(&schedules.into_iter().collect::<Vec<_>>()).await?;
    let now = tx.now().await?;
    let mut refused: HashMap<RunId, Change> = HashMap::new();
    for run in &scheduled {
        let Some(from) = run.scheduled else { continue };
        if let Some(error) = start_refusal(run, grants.get(&from.grant), now) {
            let step = Step { run: lifecycle::refuse(run.clone(), error, now), ended: None };
            refused.insert(run.id, Change { before: run.clone(), step });
        }
    }
    let started: Vec<SlotEvent<'_>> =
        scheduled.iter().filter(|run| !refused.contains_key(&run.id)).map(SlotEvent::claimed).collect();
    let created = advance_locked(tx, schedules, by_schedule(&started), now).await?;
    insert_heads(tx, &created).await?;
    let admitted = claimed.into_iter().filter(|claimed| !refused.contains_key(&claimed.run.id)).collect();
    if !refused.is_empty() {
        // Whoever asked has room for more.
        tx.made_ready();
        Box::pin(apply(tx, refused.into_values().collect(), BTreeSet::new(), now)).await?;
    }
    Ok(admitted)
}
