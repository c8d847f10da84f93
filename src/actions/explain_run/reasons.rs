//! The facts about a waiting run, and the reasons that follow from them.

use jiff::Timestamp;

use super::takers::Takers;
use super::{MOST_AHEAD, Reason, words};
use crate::run::{LaneName, Run, RunError, RunId, Status, WorkerId, WorkspaceName};
use crate::schedule::Schedule;
use crate::store::{Lane, Page, Position, Result, Store, Worker};

/// Everything that bears on whether a waiting run can start.
pub(super) struct Facts<'a> {
    run: &'a Run,
    now: Timestamp,
    /// The runs it waits for and how they stand.
    upstreams: Vec<(RunId, Option<Status>)>,
    /// The schedule that asked for it, if there still is one.
    schedule: Option<Schedule>,
    /// Why its grant does not let it start, if it does not.
    refusal: Option<RunError>,
    /// Whether its latest attempt asked to be tried later.
    postponed: bool,
    lane: Option<(Lane, Vec<Run>)>,
    /// Those that serve its queue.
    workers: Vec<Worker>,
    position: Position,
}

impl<'a> Facts<'a> {
    pub(super) async fn gather(store: &dyn Store, run: &'a Run, now: Timestamp) -> Result<Self> {
        let mut upstreams = Vec::new();
        for id in store.waits(&run.workspace, run.id).await?.unwrap_or_default() {
            let status = store.run(&run.workspace, id).await?.map(|upstream| upstream.status());
            upstreams.push((id, status));
        }
        let (schedule, refusal) = schedule_and_refusal(store, run, now).await?;
        let postponed = is_postponed(store, run).await?;
        let lane = match &run.lane {
            Some(name) => lane_and_holders(store, &run.workspace, name).await?,
            None => None,
        };
        let mut workers = store.workers().await?;
        workers.retain(|worker| worker.info.serves(&run.queue));
        let ids: Vec<WorkerId> = workers.iter().map(|worker| worker.info.id).collect();
        let position = store.position(run, &ids, MOST_AHEAD).await?;
        Ok(Self { run, now, upstreams, schedule, refusal, postponed, lane, workers, position })
    }

    /// What the run itself has to wait for, first; then what its queue does, then who could execute it.
    pub(super) fn reasons(&self) -> Vec<Reason> {
        let refused = self.refusal.iter().map(|error| words::grant_refused(error, self.schedule.as_ref()));
        let mut reasons: Vec<Reason> = refused.collect();
        reasons.extend(self.upstreams.iter().map(|(id, status)| words::waits_for(*id, *status)));
        let place = reasons.len();
        reasons.extend(self.lane_reasons());
        reasons.extend(self.queue_reasons());
        reasons.extend(Takers::of(self.run, &self.workers).reason(&self.position));
        if self.run.available_at > self.now {
            let alone = reasons.is_empty();
            let due = words::due_later(self.run, self.schedule.as_ref(), self.postponed, alone, self.now);
            reasons.insert(place, due);
        }
        reasons
    }

    /// How many runs are claimed before it.
    pub(super) fn ahead(&self) -> u64 {
        self.position.ahead
    }

    fn lane_reasons(&self) -> Vec<Reason> {
        let Some((lane, holders)) = &self.lane else { return vec![] };
        let mut reasons: Vec<Reason> =
            holders.iter().map(|holder| words::lane_held(&lane.name, holder, self.now)).collect();
        if let Some(occupant) = lane.occupant.filter(|occupant| *occupant != self.run.id) {
            reasons.push(words::lane_busy(&lane.name, occupant));
        }
        if reasons.is_empty() && self.run.blocked_by() == Some(crate::run::BlockedBy::Lane) {
            reasons.push(words::lane_turn(&lane.name, lane.waiting));
        }
        reasons
    }

    fn queue_reasons(&self) -> Option<Reason> {
        let (queue, Position { settings, running, running_since, ahead, .. }) = (&self.run.queue, &self.position);
        match settings.concurrency {
            _ if settings.paused => Some(words::queue_paused(queue)),
            Some(0) => Some(words::queue_closed(queue)),
            Some(limit) if *running >= u64::from(limit) => {
                let longest = running_since.map(|since| self.now.duration_since(since)).unwrap_or_default();
                Some(words::queue_full(queue, *running, limit, longest, *ahead))
            }
            _ => None,
        }
    }
}

/// Of what waits to be tried again, only a postponed attempt has been taken back.
async fn is_postponed(store: &dyn Store, run: &Run) -> Result<bool> {
    if run.postponements == 0 || run.status() != Status::Retrying {
        return Ok(false);
    }
    let attempts = store.attempts(&run.workspace, run.id).await?.unwrap_or_default();
    Ok(attempts.iter().max_by_key(|attempt| attempt.epoch).is_some_and(|latest| latest.number > run.attempt))
}

/// What a schedule's run owes to it, as it is now.
async fn schedule_and_refusal(
    store: &dyn Store,
    run: &Run,
    now: Timestamp,
) -> Result<(Option<Schedule>, Option<RunError>)> {
    let Some(scheduled) = run.scheduled else { return Ok((None, None)) };
    let schedule = store.schedule(&run.workspace, scheduled.schedule).await?;
    let grant = store.grant(&run.workspace, scheduled.grant).await?;
    let refusal = grant.and_then(|grant| grant.refusal(&run.task, now));
    Ok((schedule, refusal))
}

/// A lane, and the runs that hold it.
async fn lane_and_holders(
    store: &dyn Store,
    workspace: &WorkspaceName,
    name: &LaneName,
) -> Result<Option<(Lane, Vec<Run>)>> {
    let listed = store.lanes(workspace, Some(name), &Page::first(1)).await?;
    let Some(lane) = listed.data.into_iter().next() else { return Ok(None) };
    let mut holders = Vec::new();
    for id in &lane.held_by {
        holders.extend(store.run(workspace, *id).await?);
    }
    Ok(Some((lane, holders)))
}
