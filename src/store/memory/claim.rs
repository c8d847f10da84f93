//! Handing out runs, one turn after another.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::model::Model;
use crate::clock::later;
use crate::run::lifecycle;
use crate::run::{QueueName, Run, RunId, Status, Tenure, WorkspaceName};
use crate::store::{Claim, ClaimRequest, Claimed};

impl Model {
    pub(super) fn claim(&mut self, request: &ClaimRequest, now: Timestamp) -> Claim {
        let until = later(now, request.lease_ttl);
        let mut claim = Claim { runs: Vec::new(), last_turn: request.last_turn.clone() };
        for run in self.orphans(request, now) {
            let Some(Tenure::Orphaned { since }) = run.execution().map(|execution| execution.tenure) else { continue };
            if let Some(step) = lifecycle::adopt(run, &request.taker, until) {
                claim.runs.push(Claimed::adopted(step.run.clone(), since));
                self.take(step, now);
            }
        }
        while claim.runs.len() < request.capacity {
            let Some(run) = self.next_in_turn(request, claim.last_turn.as_ref()) else { break };
            claim.last_turn = Some(run.workspace.clone());
            let Some(step) = lifecycle::claim(run, &request.taker, until, now) else { break };
            claim.runs.push(Claimed::begun(step.run.clone()));
            self.take(step, now);
        }
        claim.runs.retain(|claimed| claimed.adopted || self.may_start(&claimed.run, now));
        claim
    }

    /// Ends a run of a schedule that must not start.
    fn may_start(&mut self, run: &Run, now: Timestamp) -> bool {
        match self.refusal(run, now) {
            Some((ending, error)) => {
                let run = lifecycle::refuse(run.clone(), ending, error, now);
                self.take(lifecycle::Step { run, ended: None }, now);
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
    fn next_in_turn(&self, request: &ClaimRequest, last_turn: Option<&WorkspaceName>) -> Option<Run> {
        let claimable = |run: &&Run| {
            run.is_ready()
                && serves(request, run)
                && request.has(&run.task)
                && self.has_room(&run.workspace, &run.queue)
        };
        let turn =
            |run: &&Run| (last_turn.is_some_and(|last| run.workspace <= *last), run.workspace.clone(), order(run));
        self.live().filter(claimable).min_by_key(turn).cloned()
    }

    fn has_room(&self, workspace: &WorkspaceName, queue: &QueueName) -> bool {
        let Some(settings) = self.queues.get(&(workspace.clone(), queue.clone())) else { return true };
        let running = self
            .live()
            .filter(|run| run.status() == Status::Running && run.workspace == *workspace && run.queue == *queue)
            .count();
        !settings.paused && settings.concurrency.is_none_or(|limit| running < limit as usize)
    }
}

fn serves(request: &ClaimRequest, run: &Run) -> bool {
    request.queues.is_empty() || request.queues.contains(&run.queue)
}

/// Priority high first, then oldest.
fn order(run: &Run) -> (std::cmp::Reverse<crate::run::Priority>, i64) {
    (std::cmp::Reverse(run.priority), run.seq)
}
