//! Admission of new runs: read everything the batch depends on, judge the requests in order, write what was accepted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::Timestamp;

use super::apply::{lane_of, wrote_all};
use super::chain::insert_live_runs;
use super::{Change, LaneKey, Remembered, Tx, apply};
use crate::clock::later;
use crate::run::lifecycle::{self, Step};
use crate::run::{IdempotencyKey, KeyMode, NewRun, Run, RunId, RunKey, Status, WorkspaceName};
use crate::store::{Admission, LanePolicy, Result, Submission, SubmitOutcome};

pub(super) async fn submit<T: Tx>(tx: &mut T, requests: &[NewRun], admission: Admission) -> Result<Submission> {
    if admission.queue_size.is_none() && are_plain(requests) && workspaces_exist(tx, requests).await? {
        return submit_plain(tx, requests).await;
    }
    submit_checked(tx, requests, admission).await
}

/// As [`submit`], after reading everything that the requests depend on.
pub(super) async fn submit_checked<T: Tx>(tx: &mut T, requests: &[NewRun], admission: Admission) -> Result<Submission> {
    let mut batch = Batch::read(tx, requests, admission).await?;
    let outcomes = requests.iter().map(|request| batch.admit(request)).collect();
    let at = Some(batch.now);
    if batch.is_plain() {
        tx.commit_with_next(batch.created.iter().any(Run::is_ready));
    }
    batch.write(tx).await?;
    Ok(Submission { outcomes, at })
}

/// Larger batches are not sent in one statement.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The size of what the requests carry, as far as it has no other limit.
pub(in crate::store) fn bytes(requests: &[NewRun]) -> usize {
    let notes = |request: &NewRun| request.metadata.as_ref().map_or(0, |json| json.as_str().len());
    requests.iter().map(|request| request.payload.as_str().len() + notes(request)).sum()
}

/// Whether nothing has to be known about them but whether their ids are new.
fn are_plain(requests: &[NewRun]) -> bool {
    if bytes(requests) > MOST_BYTES {
        return false;
    }
    !requests.is_empty() && requests.iter().all(NewRun::is_plain) && differ(requests)
}

/// Whether no two have the same id. Those drawn one after the other are in order.
fn differ(requests: &[NewRun]) -> bool {
    let in_order = requests.is_sorted_by(|one, next| one.id < next.id);
    in_order || requests.iter().map(|request| request.id).collect::<HashSet<_>>().len() == requests.len()
}

async fn workspaces_exist<T: Tx>(tx: &mut T, requests: &[NewRun]) -> Result<bool> {
    let named: BTreeSet<&WorkspaceName> = requests.iter().map(|request| &request.workspace).collect();
    let named: Vec<_> = named.into_iter().cloned().collect();
    Ok(tx.known_workspaces(&named).await?.len() == named.len())
}

async fn submit_plain<T: Tx>(tx: &mut T, requests: &[NewRun]) -> Result<Submission> {
    tx.commit_with_next(true);
    let (created, at) = tx.insert_ready(requests).await?;
    if created.contains(&true) {
        tx.made_ready();
    }
    let outcome = |created| if created { SubmitOutcome::Created } else { SubmitOutcome::DuplicateId };
    Ok(Submission { outcomes: created.into_iter().map(outcome).collect(), at: Some(at) })
}

/// As [`submit`], for one run as a part of something longer.
pub(super) async fn submit_one<T: Tx>(tx: &mut T, request: &NewRun, admission: Admission) -> Result<SubmitOutcome> {
    let mut batch = Batch::read(tx, std::slice::from_ref(request), admission).await?;
    let outcome = batch.admit(request);
    batch.write(tx).await?;
    Ok(outcome)
}

/// What a batch of requests depends on, kept up to date as they are judged, and what is to be written.
struct Batch {
    now: Timestamp,
    workspaces: HashSet<WorkspaceName>,
    /// Of every id that a request has or waits for.
    known: HashMap<RunId, (WorkspaceName, Status)>,
    remembered: HashMap<(WorkspaceName, IdempotencyKey), Remembered>,
    keyed: HashMap<(WorkspaceName, RunKey), RunId>,
    room: Option<u64>,
    created: Vec<Run>,
    /// Live runs as they were found, and as they are to be.
    changed: HashMap<RunId, (Run, Run)>,
    /// Live runs that took on a request, even one that leaves them as they were.
    replaced: BTreeSet<RunId>,
    /// Of the live runs that were locked.
    lanes: BTreeSet<LaneKey>,
    /// Who waits for the runs that may be replaced.
    stored_waits: Vec<(RunId, RunId)>,
    waits: Vec<(RunId, RunId)>,
    new_keys: BTreeMap<(WorkspaceName, IdempotencyKey), Remembered>,
}

impl Batch {
    async fn read<T: Tx>(tx: &mut T, requests: &[NewRun], admission: Admission) -> Result<Self> {
        let workspaces: BTreeSet<_> = requests.iter().map(|request| request.workspace.clone()).collect();
        let keys: BTreeSet<_> =
            requests.iter().filter_map(|r| Some((r.workspace.clone(), r.key.as_ref()?.0.clone()))).collect();
        let idempotency: BTreeSet<_> =
            requests.iter().filter_map(|r| Some((r.workspace.clone(), r.idempotency.as_ref()?.key.clone()))).collect();
        // First of all locks, so that two who wait for it hold nothing that the other needs.
        let room = match admission.queue_size {
            Some(size) => Some(size.saturating_sub(tx.count_live().await?)),
            None => None,
        };
        let workspaces = tx.known_workspaces(&workspaces.into_iter().collect::<Vec<_>>()).await?;
        // Marks runs, so it comes before they are read.
        let (known, lanes) = lock_upstreams(tx, requests).await?;
        let keyed = if keys.is_empty() { vec![] } else { tx.keyed_runs(&keys.into_iter().collect::<Vec<_>>()).await? };
        let mut stored_waits = Vec::new();
        if !keyed.is_empty() && requests.iter().any(|request| !request.after.is_empty()) {
            stored_waits = tx.waits_on(&keyed.iter().map(|run| run.id).collect::<Vec<_>>()).await?;
        }
        let remembered = match idempotency.is_empty() {
            true => vec![],
            false => tx.remembered(&idempotency.into_iter().collect::<Vec<_>>()).await?,
        };
        Ok(Self {
            now: tx.now().await?,
            workspaces,
            known,
            lanes,
            remembered: remembered
                .into_iter()
                .map(|known| ((known.workspace.clone(), known.key.clone()), known))
                .collect(),
            keyed: keyed.iter().filter_map(|run| Some(((run.workspace.clone(), run.key.clone()?), run.id))).collect(),
            room,
            created: Vec::new(),
            changed: keyed.into_iter().map(|run| (run.id, (run.clone(), run))).collect(),
            replaced: BTreeSet::new(),
            stored_waits,
            waits: Vec::new(),
            new_keys: BTreeMap::new(),
        })
    }

    fn admit(&mut self, request: &NewRun) -> SubmitOutcome {
        let outcome = self.judge(request);
        let stored_as = match outcome {
            SubmitOutcome::Created => request.id,
            SubmitOutcome::Replaced(run) | SubmitOutcome::Kept(run) => run,
            _ => return outcome,
        };
        if let Some(idempotency) = &request.idempotency {
            let known = Remembered {
                workspace: request.workspace.clone(),
                key: idempotency.key.clone(),
                fingerprint: idempotency.fingerprint.clone(),
                run: stored_as,
                expires_at: later(self.now, idempotency.ttl),
            };
            let key = (known.workspace.clone(), known.key.clone());
            self.remembered.insert(key.clone(), known.clone());
            self.new_keys.insert(key, known);
        }
        outcome
    }

    fn judge(&mut self, request: &NewRun) -> SubmitOutcome {
        if !self.workspaces.contains(&request.workspace) {
            return SubmitOutcome::UnknownWorkspace;
        }
        if let Some(known) = self.known_request(request) {
            return known;
        }
        if self.known.contains_key(&request.id) {
            return SubmitOutcome::DuplicateId;
        }
        if let Some(unknown) = request.after.iter().find(|id| self.upstream(request, **id).is_none()) {
            return SubmitOutcome::UnknownUpstream(*unknown);
        }
        match (self.run_with_key(request), request.key.as_ref().map(|(_, mode)| *mode)) {
            (Some(run), Some(KeyMode::Keep)) => SubmitOutcome::Kept(run.id),
            (Some(run), Some(mode)) if replaceable(&run) => match self.circular(&run, request) {
                Some(upstream) => SubmitOutcome::CircularWait(upstream),
                None => self.replace(run, request, mode),
            },
            _ if self.room == Some(0) => SubmitOutcome::QueueFull,
            (Some(run), _) => {
                self.set(Run { key: None, ..run });
                self.create(request)
            }
            (None, _) => self.create(request),
        }
    }

    fn known_request(&self, request: &NewRun) -> Option<SubmitOutcome> {
        let idempotency = request.idempotency.as_ref()?;
        let known = self.remembered.get(&(request.workspace.clone(), idempotency.key.clone()))?;
        let same = known.fingerprint == idempotency.fingerprint;
        (known.expires_at > self.now).then_some(match same {
            true => SubmitOutcome::Existing(known.run),
            false => SubmitOutcome::IdempotencyMismatch(known.run),
        })
    }

    fn run_with_key(&self, request: &NewRun) -> Option<Run> {
        let (key, _) = request.key.as_ref()?;
        let id = self.keyed.get(&(request.workspace.clone(), key.clone()))?;
        match self.changed.get(id) {
            Some((_, run)) => Some(run.clone()),
            None => self.created.iter().find(|run| run.id == *id).cloned(),
        }
    }

    /// What a run cannot wait for without perhaps waiting for itself: anything, once others wait for it.
    fn circular(&self, old: &Run, request: &NewRun) -> Option<RunId> {
        let mut waits = self.stored_waits.iter().chain(&self.waits);
        let awaited = waits.any(|(_, upstream)| *upstream == old.id);
        let open = |id: &&RunId| self.upstream(request, **id) != Some(Status::Succeeded);
        request.after.iter().filter(open).find(|id| awaited || **id == old.id).copied()
    }

    fn create(&mut self, request: &NewRun) -> SubmitOutcome {
        let waits = self.wait_for(request.id, request);
        let run = self.judged_by_upstream(lifecycle::submit(request, 0, waits, self.now), request);
        self.known.insert(run.id, (run.workspace.clone(), run.status()));
        self.room = self.room.map(|room| if run.status().is_terminal() { room } else { room - 1 });
        self.name(&run);
        self.created.push(run);
        SubmitOutcome::Created
    }

    fn replace(&mut self, old: Run, request: &NewRun, mode: KeyMode) -> SubmitOutcome {
        self.replaced.insert(old.id);
        self.waits.retain(|(run, _)| *run != old.id);
        self.stored_waits.retain(|(run, _)| *run != old.id);
        let waits = self.wait_for(old.id, request);
        let keep_available_at = mode == KeyMode::PreserveAvailableAt;
        let run = lifecycle::replace(&old, request, keep_available_at, waits, self.now);
        let run = self.judged_by_upstream(run, request);
        if run.status().is_terminal() {
            self.room = self.room.map(|room| room + 1);
        }
        self.name(&run);
        self.set(run);
        SubmitOutcome::Replaced(old.id)
    }

    /// Notes the runs it has to wait for; `false` if all of them have succeeded.
    fn wait_for(&mut self, run: RunId, request: &NewRun) -> bool {
        let open = |id: &&RunId| self.upstream(request, **id) != Some(Status::Succeeded);
        let upstreams: BTreeSet<RunId> = request.after.iter().filter(open).copied().collect();
        if upstreams.is_empty() {
            return false;
        }
        self.waits.extend(upstreams.iter().map(|upstream| (run, *upstream)));
        self.mark_awaited(&upstreams);
        true
    }

    /// The rows in the database are marked already; this marks the runs in memory, which are yet to be written.
    fn mark_awaited(&mut self, upstreams: &BTreeSet<RunId>) {
        for run in self.created.iter_mut().filter(|run| upstreams.contains(&run.id)) {
            run.awaited = true;
        }
        for upstream in upstreams {
            if let Some((before, after)) = self.changed.get_mut(upstream) {
                before.awaited = true;
                after.awaited = true;
            }
        }
    }

    /// A run that is to wait for one that ended badly ends at once.
    fn judged_by_upstream(&mut self, run: Run, request: &NewRun) -> Run {
        let ended = |id: &RunId| Some((*id, self.upstream(request, *id)?));
        let bad = |(_, status): &(RunId, Status)| status.is_terminal() && *status != Status::Succeeded;
        let Some((upstream, status)) = request.after.iter().filter_map(ended).filter(bad).min() else { return run };
        self.waits.retain(|(waiting, _)| *waiting != run.id);
        match lifecycle::upstream_failed(run.clone(), upstream, status, self.now) {
            Some(step) => step.run,
            None => run,
        }
    }

    /// How a run of the request's own workspace stands.
    fn upstream(&self, request: &NewRun, id: RunId) -> Option<Status> {
        self.known.get(&id).filter(|(workspace, _)| *workspace == request.workspace).map(|(_, status)| *status)
    }

    /// Whether one statement writes it all, which goes for most submissions.
    fn is_plain(&self) -> bool {
        let plain = |run: &Run| run.lane.is_none() && run.scheduled.is_none() && !run.status().is_terminal();
        let nothing_else = self.changed.is_empty() && self.replaced.is_empty() && self.lanes.is_empty();
        nothing_else
            && self.waits.is_empty()
            && self.new_keys.is_empty()
            && !self.created.is_empty()
            && self.created.iter().all(plain)
    }

    /// The key leads to this run as long as it is live.
    fn name(&mut self, run: &Run) {
        let Some(key) = &run.key else { return };
        let key = (run.workspace.clone(), key.clone());
        if run.status().is_terminal() {
            self.keyed.remove(&key);
        } else {
            self.keyed.insert(key, run.id);
        }
    }

    fn set(&mut self, run: Run) {
        self.known.insert(run.id, (run.workspace.clone(), run.status()));
        if let Some((_, changed)) = self.changed.get_mut(&run.id) {
            *changed = run;
        } else if let Some(created) = self.created.iter_mut().find(|created| created.id == run.id) {
            *created = run;
        }
    }

    async fn write<T: Tx>(self, tx: &mut T) -> Result<()> {
        let mut lanes = self.lanes;
        lanes.extend(self.changed.values().filter_map(|(before, _)| lane_of(before)));
        lanes.extend(self.created.iter().filter_map(lane_of));
        let changes = self.changed.into_values().filter(|(before, after)| before != after);
        let changes = changes.map(|(before, run)| Change { before, step: Step { run, ended: None } });
        // What a run waited for before it was replaced no longer matters.
        if !self.replaced.is_empty() {
            tx.delete_waits_of(&self.replaced.into_iter().collect::<Vec<_>>()).await?;
        }
        // A key moves from a run that has started, or has just ended, to the new one: the old one gives it up first.
        let (detached, mut replaced): (Vec<_>, Vec<_>) = changes.partition(|change| change.step.run.key.is_none());
        let revised = |run: Run| Run { revision: run.revision + 1, ..run };
        let mut without_key: Vec<Run> = detached.into_iter().map(|change| revised(change.step.run)).collect();
        for change in replaced.iter_mut().filter(|change| change.step.run.status().is_terminal()) {
            change.before = revised(Run { key: None, ..change.before.clone() });
            without_key.push(change.before.clone());
        }
        if !without_key.is_empty() {
            wrote_all(tx.update_runs(&without_key).await?, without_key.len())?;
        }
        // Lanes are locked before their runs are inserted, so that the order of submission is the order of commits.
        let mut policies = HashMap::new();
        if !lanes.is_empty() {
            policies = tx.lock_lanes(&lanes.iter().cloned().collect::<Vec<_>>()).await?;
        }
        insert(tx, &self.created, &policies).await?;
        if !self.waits.is_empty() {
            tx.insert_waits(&self.waits).await?;
        }
        if !self.new_keys.is_empty() {
            tx.remember(&self.new_keys.into_values().collect::<Vec<_>>()).await?;
        }
        apply(tx, replaced, lanes, self.now).await
    }
}

/// A run that has not started may take on another request, unless it belongs to a schedule: its work is not up to callers who know
/// its key.
fn replaceable(run: &Run) -> bool {
    !lifecycle::started(run) && run.scheduled.is_none()
}

/// Stores new runs in the order of submission, those that ended as they came in among them.
async fn insert<T: Tx>(tx: &mut T, created: &[Run], policies: &HashMap<LaneKey, LanePolicy>) -> Result<()> {
    let ended = |run: &Run| run.status().is_terminal();
    for runs in created.chunk_by(|a, b| ended(a) == ended(b)) {
        if !ended(&runs[0]) {
            insert_live_runs(tx, runs).await?;
            continue;
        }
        tx.insert_finished(runs).await?;
        let stopped = runs.iter().filter_map(|run| Some((run.id, lane_of(run)?)));
        let holds: Vec<_> = stopped.filter(|(_, lane)| policies.get(lane) == Some(&LanePolicy::Hold)).collect();
        if !holds.is_empty() {
            tx.insert_holds(&holds).await?;
        }
    }
    Ok(())
}

/// The workspace and status of every run that the requests name or wait for. Those waited for and still live are
/// marked, which also locks them: their end will see that somebody waits. Answers with the lanes of those, too.
async fn lock_upstreams<T: Tx>(
    tx: &mut T,
    requests: &[NewRun],
) -> Result<(HashMap<RunId, (WorkspaceName, Status)>, BTreeSet<LaneKey>)> {
    let upstreams: BTreeSet<(WorkspaceName, RunId)> =
        requests.iter().flat_map(|r| r.after.iter().map(|id| (r.workspace.clone(), *id))).collect();
    let ids: Vec<RunId> = upstreams.iter().map(|(_, id)| *id).collect();
    let mut named: BTreeSet<(WorkspaceName, RunId)> =
        requests.iter().map(|request| (request.workspace.clone(), request.id)).collect();
    named.extend(upstreams);
    let named: Vec<_> = named.into_iter().collect();
    loop {
        let marked = if ids.is_empty() { HashMap::new() } else { tx.mark_awaited(&ids).await? };
        let known = tx.known_runs(&named).await?;
        // One that came back to life between the two statements has to be marked too.
        if ids.iter().all(|id| marked.contains_key(id) || known.get(id).is_none_or(|(_, status)| status.is_terminal()))
        {
            return Ok((known, marked.into_values().flatten().collect()));
        }
    }
}
