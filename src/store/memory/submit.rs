//! Admission of new runs.

use jiff::Timestamp;

use super::model::{Model, Remembered};
use crate::clock::later;
use crate::run::lifecycle;
use crate::run::{KeyMode, NewRun, Run, RunId, Status};
use crate::store::{Admission, SubmitOutcome};

impl Model {
    pub(super) fn submit(&mut self, request: &NewRun, admission: Admission, now: Timestamp) -> SubmitOutcome {
        let outcome = self.judge(request, admission, now);
        if let (Some(run), Some(idempotency)) = (stored_as(request, outcome), &request.idempotency) {
            let key = (request.workspace.clone(), idempotency.key.clone());
            let expires_at = later(now, idempotency.ttl);
            self.idempotency.insert(key, Remembered { run, fingerprint: idempotency.fingerprint.clone(), expires_at });
        }
        self.recompute_ready(now);
        outcome
    }

    fn judge(&mut self, request: &NewRun, admission: Admission, now: Timestamp) -> SubmitOutcome {
        if !self.workspaces.contains(&request.workspace) {
            return SubmitOutcome::UnknownWorkspace;
        }
        if let Some(known) = self.remembered(request, now) {
            return known;
        }
        if self.runs.contains_key(&request.id) {
            return SubmitOutcome::DuplicateId;
        }
        if let Some(unknown) = request.after.iter().find(|id| self.find(&request.workspace, **id).is_none()) {
            return SubmitOutcome::UnknownUpstream(*unknown);
        }
        match (self.keyed(request), &request.key) {
            (Some(run), Some((_, KeyMode::Keep))) => SubmitOutcome::Kept(run.id),
            (Some(run), Some((_, mode))) if !lifecycle::started(&run) && run.scheduled.is_none() => {
                match self.circular(&run, request) {
                    Some(upstream) => SubmitOutcome::CircularWait(upstream),
                    None => self.replace(&run, request, *mode, now),
                }
            }
            _ if self.is_full(admission) => SubmitOutcome::QueueFull,
            (Some(mut run), _) => {
                run.key = None;
                self.put(run);
                self.create(request, now)
            }
            (None, _) => self.create(request, now),
        }
    }

    fn remembered(&self, request: &NewRun, now: Timestamp) -> Option<SubmitOutcome> {
        let idempotency = request.idempotency.as_ref()?;
        let known = self.idempotency.get(&(request.workspace.clone(), idempotency.key.clone()))?;
        if known.expires_at <= now {
            return None;
        }
        Some(if known.fingerprint == idempotency.fingerprint {
            SubmitOutcome::Existing(known.run)
        } else {
            SubmitOutcome::IdempotencyMismatch(known.run)
        })
    }

    fn keyed(&self, request: &NewRun) -> Option<Run> {
        let (key, _) = request.key.as_ref()?;
        self.live().find(|run| run.workspace == request.workspace && run.key.as_ref() == Some(key)).cloned()
    }

    /// What a run cannot wait for without perhaps waiting for itself. Any wait of a run that others wait for counts,
    /// which is simpler to explain than a search for circles.
    fn circular(&self, old: &Run, request: &NewRun) -> Option<RunId> {
        let awaited = self.waits.values().any(|upstreams| upstreams.contains(&old.id));
        let open = |id: &&RunId| self.runs.get(id).is_some_and(|run| run.status() != Status::Succeeded);
        request.after.iter().filter(open).find(|id| awaited || **id == old.id).copied()
    }

    fn create(&mut self, request: &NewRun, now: Timestamp) -> SubmitOutcome {
        self.last_seq += 1;
        self.put(lifecycle::submit(request, self.last_seq, !request.after.is_empty(), now));
        self.wait_for(request.id, request);
        SubmitOutcome::Created
    }

    fn replace(&mut self, old: &Run, request: &NewRun, mode: KeyMode, now: Timestamp) -> SubmitOutcome {
        let keep_available_at = mode == KeyMode::PreserveAvailableAt;
        self.put(lifecycle::replace(old, request, keep_available_at, !request.after.is_empty(), now));
        self.waits.remove(&old.id);
        self.wait_for(old.id, request);
        SubmitOutcome::Replaced(old.id)
    }

    fn wait_for(&mut self, run: RunId, request: &NewRun) {
        for upstream in &request.after {
            self.waits.entry(run).or_default().insert(*upstream);
            if let Some(upstream) = self.runs.get_mut(upstream).filter(|run| !run.status().is_terminal()) {
                upstream.awaited = true;
            }
        }
    }
}

/// The run that carries out the request, if it was accepted.
fn stored_as(request: &NewRun, outcome: SubmitOutcome) -> Option<RunId> {
    match outcome {
        SubmitOutcome::Created => Some(request.id),
        SubmitOutcome::Replaced(run) | SubmitOutcome::Kept(run) => Some(run),
        _ => None,
    }
}
