//! Handing out runs, one turn after another.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use jiff::Timestamp;

use super::model::Model;
use crate::clock::later;
use crate::run::lifecycle;
use crate::run::{Priority, QueueName, Run, RunId, Status, Tenure, WorkspaceName};
use crate::store::{Ahead, Claim, ClaimRequest, Claimed, Lease, QueueSettings};

impl Model {
    pub(super) fn claim(&mut self, request: &ClaimRequest, now: Timestamp) -> Claim {
        if let Some(ahead) = &request.ahead {
            return self.claim_ahead(request, ahead, now);
        }
        if let Some(known) = &request.known_leases {
            self.take_back_unknown(request, known, now);
        }
        let until = later(now, request.lease_ttl);
        let mut claim = Claim { runs: Vec::new(), last_turn: request.last_turn.clone() };
        for run in self.orphans(request, now) {
            let Some(Tenure::Orphaned { since }) = run.execution().map(|execution| execution.tenure) else { continue };
            if let Some(step) = lifecycle::adopt(run, &request.taker, until) {
                claim.runs.push(Claimed::adopted(step.run.clone(), since));
                self.apply(step, now);
            }
        }
        while claim.runs.len() < request.capacity {
            let Some(run) = self.next_in_turn(request, claim.last_turn.as_ref(), now) else { break };
            claim.last_turn = Some(run.workspace.clone());
            let Some(step) = lifecycle::claim(run, &request.taker, until, now) else { break };
            claim.runs.push(Claimed::begun(step.run.clone()));
            self.apply(step, now);
        }
        claim.runs.retain(|claimed| claimed.adopted || self.may_start(&claimed.run, now));
        claim
    }

    fn take_back_unknown(&mut self, request: &ClaimRequest, known: &[Lease], now: Timestamp) {
        let unknown = |run: &&Run| {
            run.execution().is_some_and(|execution| execution.by.worker == request.taker.worker)
                && !known.contains(&Lease { run: run.id, epoch: run.epoch })
        };
        let runs: Vec<Run> = self.live().filter(unknown).cloned().collect();
        for step in runs.into_iter().filter_map(|run| lifecycle::take_back(run, now).ok()) {
            self.apply(step, now);
        }
    }

    /// Runs that begin later, if enough is left for others. Each workspace is asked for what comes before the first that must not
    /// be leased ahead.
    fn claim_ahead(&mut self, request: &ClaimRequest, ahead: &Ahead, now: Timestamp) -> Claim {
        let until = later(now, request.lease_ttl);
        let mut claim = Claim { runs: Vec::new(), last_turn: request.last_turn.clone() };
        let ready = |model: &Self, run: &Run| {
            run.is_ready()
                && !lifecycle::is_too_late(run, now)
                && wants(request, run)
                && !model.settings(&run.workspace, &run.queue).paused
        };
        let waiting = self.live().filter(|run| ready(self, run)).count();
        let most = request.capacity.min(waiting.saturating_sub(ahead.spare));
        let mut at_an_end: BTreeSet<WorkspaceName> = BTreeSet::new();
        while claim.runs.len() < most {
            let open = |run: &&Run| ready(self, run) && !at_an_end.contains(&run.workspace);
            let turn = turn(claim.last_turn.as_ref());
            let Some(run) = self.live().filter(open).min_by_key(turn).cloned() else { break };
            let is_limited = self.settings(&run.workspace, &run.queue).concurrency.is_some();
            let workspace = run.workspace.clone();
            let may = !is_limited && ahead.tasks.contains(&run.task);
            match lifecycle::claim_ahead(run, &request.taker, until, now).filter(|_| may) {
                Some(step) => {
                    claim.last_turn = Some(workspace);
                    claim.runs.push(Claimed::begun(step.run.clone()));
                    self.apply(step, now);
                }
                None => drop(at_an_end.insert(workspace)),
            }
        }
        claim
    }

    /// Ends a run of a schedule that must not start.
    fn may_start(&mut self, run: &Run, now: Timestamp) -> bool {
        match self.refusal(run, now) {
            Some(error) => {
                let run = lifecycle::refuse(run.clone(), error, now);
                self.apply(lifecycle::Step { run, ended: None }, now);
                false
            }
            None => {
                self.note_start(run);
                true
            }
        }
    }

    /// What a claim with every queue and all the time in the world could have.
    pub(super) fn claimable(&self) -> BTreeSet<(RunId, QueueName)> {
        let orphaned =
            |run: &Run| run.execution().is_some_and(|execution| matches!(execution.tenure, Tenure::Orphaned { .. }));
        let claimable = |run: &&Run| orphaned(run) || run.is_ready() && self.has_room(&run.workspace, &run.queue);
        self.live().filter(claimable).map(|run| (run.id, run.queue.clone())).collect()
    }

    fn orphans(&self, request: &ClaimRequest, now: Timestamp) -> Vec<Run> {
        let may_adopt = |run: &&Run| {
            lifecycle::may_adopt(run, &request.taker.host, request.has(&run.task), request.takeover_delay, now)
        };
        let mut orphans: Vec<Run> = self.live().filter(|run| serves(request, run)).filter(may_adopt).cloned().collect();
        orphans.sort_by_key(order);
        orphans.truncate(request.capacity);
        orphans
    }

    /// The first run of the workspace whose turn it is: the next by name after the one served last, then round again.
    fn next_in_turn(&self, request: &ClaimRequest, last_turn: Option<&WorkspaceName>, now: Timestamp) -> Option<Run> {
        let claimable = |run: &&Run| {
            run.is_ready()
                && !lifecycle::is_too_late(run, now)
                && wants(request, run)
                && self.has_room(&run.workspace, &run.queue)
        };
        self.live().filter(claimable).min_by_key(turn(last_turn)).cloned()
    }

    fn settings(&self, workspace: &WorkspaceName, queue: &QueueName) -> QueueSettings {
        self.queues.get(&(workspace.clone(), queue.clone())).copied().unwrap_or_default()
    }

    fn has_room(&self, workspace: &WorkspaceName, queue: &QueueName) -> bool {
        let settings = self.settings(workspace, queue);
        let running = self
            .live()
            .filter(|run| run.status() == Status::Running && run.workspace == *workspace && run.queue == *queue)
            .count();
        !settings.paused && settings.concurrency.is_none_or(|limit| running < limit as usize)
    }
}

fn wants(request: &ClaimRequest, run: &Run) -> bool {
    serves(request, run) && request.has(&run.task)
}

fn serves(request: &ClaimRequest, run: &Run) -> bool {
    request.queues.is_empty() || request.queues.contains(&run.queue)
}

/// By which runs come one after the other: first those of workspaces that come after the one served last.
fn turn(last: Option<&WorkspaceName>) -> impl Fn(&&Run) -> (bool, WorkspaceName, (Reverse<Priority>, i64)) {
    move |run| (last.is_some_and(|last| run.workspace <= *last), run.workspace.clone(), order(run))
}

/// Priority high first, then oldest.
fn order(run: &Run) -> (Reverse<Priority>, i64) {
    (Reverse(run.priority), run.seq)
}
