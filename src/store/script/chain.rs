//! The chain of a schedule's runs: its head brings the next one, by starting or by ending.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::apply::{Change, apply, lane_of, wrote_all};
use super::freed::tell_put_off;
use super::lanes::settle;
use super::{LaneKey, ScheduleChange, Tx};
use crate::run::lifecycle::{self, Step};
use crate::run::{Ending, GrantId, Run, RunError, RunId, RunKey, ScheduleId, WorkspaceName};
use crate::schedule::{Disabled, Grant, Head, Overlap, Position, Schedule};
use crate::store::{Claimed, Result};

/// What happened to a run of a schedule.
pub(super) struct Link<'a> {
    run: &'a Run,
    ended: bool,
}

impl<'a> Link<'a> {
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

/// Lets chains go on where their heads started or ended; answers with the runs that are to come in.
pub(super) async fn go_on<T: Tx>(tx: &mut T, links: &[Link<'_>], now: Timestamp) -> Result<Vec<Run>> {
    let by_schedule = by_schedule(links);
    if by_schedule.is_empty() {
        return Ok(Vec::new());
    }
    let schedules = tx.lock_schedules(&by_schedule.keys().copied().collect::<Vec<_>>()).await?;
    move_on(tx, schedules, by_schedule, now).await
}

fn by_schedule<'a>(links: &'a [Link<'a>]) -> Links<'a> {
    let mut by_schedule = Links::new();
    for link in links {
        if let Some((schedule, slot)) = link.slot() {
            by_schedule.entry(schedule).or_default().push((slot, link));
        }
    }
    by_schedule
}

type Links<'a> = BTreeMap<ScheduleId, Vec<(Timestamp, &'a Link<'a>)>>;

/// As [`go_on`], with the schedules locked.
async fn move_on<T: Tx>(
    tx: &mut T,
    schedules: Vec<Schedule>,
    mut by_schedule: Links<'_>,
    now: Timestamp,
) -> Result<Vec<Run>> {
    let (mut changed, mut skips, mut created) = (Vec::new(), Vec::new(), Vec::new());
    for mut schedule in schedules {
        let before = schedule.clone();
        let mut links = by_schedule.remove(&schedule.id).unwrap_or_default();
        links.sort_by_key(|(slot, _)| *slot);
        for (slot, link) in links {
            let is_head = schedule.head.is_some_and(|head| head.run == link.run.id);
            // One that was withdrawn is no head any more, and its slot may have another run.
            if is_head || !link.ended {
                schedule.last_slot = schedule.last_slot.max(Some(slot));
            }
            if is_head && moves_on(&schedule, link) {
                let next = follow(&mut schedule, slot, link.run, now);
                skips.extend(next.0);
                created.extend(next.1);
            }
        }
        if schedule != before {
            changed.push(ScheduleChange { before, after: schedule });
        }
    }
    if !changed.is_empty() {
        wrote_all(tx.move_schedules(&changed).await?, changed.len())?;
    }
    if !skips.is_empty() {
        tx.insert_skips(&skips).await?;
    }
    with_free_keys(tx, created).await
}

fn moves_on(schedule: &Schedule, link: &Link<'_>) -> bool {
    link.ended || schedule.spec.overlap != Overlap::Forbid
}

/// Moves the head on from a run that started or ended.
fn follow(
    schedule: &mut Schedule,
    slot: Timestamp,
    run: &Run,
    now: Timestamp,
) -> (Vec<crate::schedule::Skip>, Option<Run>) {
    schedule.head = None;
    if schedule.disabled.is_some() {
        return (Vec::new(), None);
    }
    if let Some(reason) = schedule.refused_by_grant(run) {
        disable(schedule, reason, now);
        return (Vec::new(), None);
    }
    let advance = schedule.advance(Position { slot, began: run.started_at }, now);
    (advance.skips, set_head(schedule, advance.next, now))
}

/// Makes the run of `slot` the head; without one, the schedule is done.
pub(super) fn set_head(schedule: &mut Schedule, slot: Option<Timestamp>, now: Timestamp) -> Option<Run> {
    let Some(slot) = slot else {
        schedule.head = None;
        disable(schedule, Disabled::completed(), now);
        return None;
    };
    let run = lifecycle::submit(&schedule.run_of_slot(slot, now), 0, false, now);
    schedule.head = Some(Head { run: run.id, slot });
    Some(run)
}

fn disable(schedule: &mut Schedule, reason: Disabled, now: Timestamp) {
    schedule.disabled = Some(reason);
    schedule.updated_at = now;
}

/// A key that somebody else's run has is left to it: a chain must go on whatever others call their runs.
pub(super) async fn with_free_keys<T: Tx>(tx: &mut T, mut runs: Vec<Run>) -> Result<Vec<Run>> {
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

/// Stores runs of schedules, in lanes that are locked before they come in, as in a submission.
pub(super) async fn bring_in<T: Tx>(tx: &mut T, runs: &[Run]) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let lanes: BTreeSet<LaneKey> = runs.iter().filter_map(lane_of).collect();
    if !lanes.is_empty() {
        tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
    }
    insert_live(tx, runs).await?;
    settle(tx, &lanes).await
}

/// Inserts new runs and reports which of them are ready or wait for their time.
pub(super) async fn insert_live<T: Tx>(tx: &mut T, runs: &[Run]) -> Result<()> {
    tx.insert_runs(runs).await?;
    if runs.iter().any(Run::is_ready) {
        tx.made_ready();
    }
    if let Some(first) = runs.first() {
        tell_put_off(tx, runs.iter(), first.requested_at);
    }
    Ok(())
}

/// Lets those claimed runs of schedules start that may, brings in what follows them, and ends the others.
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
    let by_id: HashMap<ScheduleId, &Schedule> = schedules.iter().map(|each| (each.id, each)).collect();
    let now = tx.now().await?;
    let mut refused: HashMap<RunId, Change> = HashMap::new();
    for run in &scheduled {
        let Some(from) = run.scheduled else { continue };
        let refusal = refusal(run, grants.get(&from.grant), by_id.get(&from.schedule).copied(), now);
        if let Some((ending, error)) = refusal {
            let step = Step { run: lifecycle::refuse(run.clone(), ending, error, now), ended: None };
            refused.insert(run.id, Change { before: run.clone(), step });
        }
    }
    let started: Vec<Link<'_>> =
        scheduled.iter().filter(|run| !refused.contains_key(&run.id)).map(Link::claimed).collect();
    let created = move_on(tx, schedules, by_schedule(&started), now).await?;
    bring_in(tx, &created).await?;
    let admitted = claimed.into_iter().filter(|claimed| !refused.contains_key(&claimed.run.id)).collect();
    if !refused.is_empty() {
        // Whoever asked has room for more.
        tx.made_ready();
        Box::pin(apply(tx, refused.into_values().collect(), BTreeSet::new(), now)).await?;
    }
    Ok(admitted)
}

/// Why a run that was just claimed must not start.
fn refusal(
    run: &Run,
    grant: Option<&Grant>,
    schedule: Option<&Schedule>,
    now: Timestamp,
) -> Option<(Ending, RunError)> {
    let Some(grant) = grant else {
        return Some((Ending::Failed, RunError::new("grant_revoked", "its grant no longer exists")));
    };
    if let Some(error) = grant.refusal(&run.task, now) {
        return Some((Ending::Failed, error));
    }
    // What counts is when it first started: a retry, or one that was interrupted, is not late.
    let (slot, began) = (run.scheduled?.slot?, run.started_at.unwrap_or(now));
    let late = schedule.filter(|schedule| schedule.is_too_late(slot, began))?;
    Some((Ending::Cancelled, RunError::too_late(late.spec.starting_deadline_seconds.map_or(0, |s| s.get()))))
}
