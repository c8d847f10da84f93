//! What is ready, decided anew from everything there is.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::model::{LaneKey, Model};
use crate::clock::until;
use crate::run::lifecycle;
use crate::run::{BlockedBy, Run, RunId, State, Status};
use crate::store::Promoted;

impl Model {
    /// Draws every consequence: runs whose upstream ended, then lanes.
    pub(super) fn recompute_ready(&mut self, now: Timestamp) {
        loop {
            let ended = self.ended_upstreams();
            if ended.is_empty() {
                break;
            }
            // What ends by that is heard of next: whoever waits for both is told of what came first.
            for (run, upstream, status) in ended {
                self.resolve_wait(run, upstream, status, now);
            }
        }
        let lanes: BTreeSet<LaneKey> =
            self.live().filter_map(|run| run.lane.clone().map(|lane| (run.workspace.clone(), lane))).collect();
        for lane in lanes {
            self.recompute_lane(&lane);
        }
    }

    /// The runs that wait, each with a run it waits for that has ended: failures first, so that one failed upstream
    /// decides whatever else has succeeded.
    fn ended_upstreams(&self) -> Vec<(RunId, RunId, Status)> {
        let ended = |(run, upstreams): (&RunId, &BTreeSet<RunId>)| {
            let ends = upstreams.iter().filter_map(|upstream| {
                let status = self.runs.get(upstream)?.status();
                status.is_terminal().then_some((*run, *upstream, status))
            });
            ends.min_by_key(|(_, upstream, status)| (*status == Status::Succeeded, *upstream))
        };
        self.waits.iter().filter_map(ended).collect()
    }

    fn resolve_wait(&mut self, run: RunId, upstream: RunId, status: Status, now: Timestamp) {
        let Some(waiting) = self.runs.get(&run).cloned() else { return };
        if status != Status::Succeeded {
            self.waits.remove(&run);
            if let Some(step) = lifecycle::upstream_failed(waiting, upstream, status, now) {
                self.put(step.run);
            }
            return;
        }
        let left = self.waits.entry(run).or_default();
        left.remove(&upstream);
        if left.is_empty() {
            self.waits.remove(&run);
            self.put(lifecycle::unblock(waiting, now));
        }
    }

    /// In a lane, the first of those whose time has come is ready, unless one is under way, or the lane is held.
    fn recompute_lane(&mut self, (workspace, lane): &LaneKey) {
        let in_lane = |run: &&Run| run.workspace == *workspace && run.lane.as_ref() == Some(lane);
        let busy = self.live().filter(in_lane).any(|run| run.status().occupies_lane());
        let held = !self.holders(workspace, lane).is_empty();
        let contends = |run: &&Run| matches!(run.state, State::Queued(None | Some(BlockedBy::Lane)));
        let contenders: Vec<Run> = self.live().filter(in_lane).filter(contends).cloned().collect();
        let first = contenders.iter().min_by_key(|run| (std::cmp::Reverse(run.priority), run.seq)).map(|run| run.id);
        for mut run in contenders {
            let goes = !busy && !held && Some(run.id) == first;
            run.state = State::Queued((!goes).then_some(BlockedBy::Lane));
            self.put(run);
        }
    }

    pub(super) fn promote(&mut self, limit: usize, now: Timestamp) -> Promoted {
        let too_late = self.change_each(limit, now, |run| lifecycle::end_if_too_late(run, now));
        let mut due: Vec<Run> = self
            .live()
            .filter(|run| run.blocked_by() == Some(BlockedBy::AvailableAt) && run.available_at <= now)
            .filter(|run| !lifecycle::is_too_late(run, now))
            .cloned()
            .collect();
        due.sort_by_key(|run| (run.available_at, run.seq));
        due.truncate(limit);
        let runs = due.len();
        let ids: Vec<RunId> = due.iter().map(|run| run.id).collect();
        for run in due {
            self.put(lifecycle::unblock(run, now));
        }
        self.replace_rivals(&ids, now);
        self.recompute_ready(now);
        // What ended may bring the next run of its schedule.
        self.advance_schedules(now);
        Promoted { runs, too_late: too_late.len(), next_due: self.next_due(now) }
    }

    pub(super) fn next_due(&self, now: Timestamp) -> Option<SignedDuration> {
        let waits = |run: &&Run| run.blocked_by() == Some(BlockedBy::AvailableAt);
        let due = self.live().filter(waits).map(|run| run.available_at);
        let deadlines = self.live().filter(|run| !lifecycle::started(run)).filter_map(|run| run.start_by);
        due.chain(deadlines).min().map(|at| until(at, now))
    }
}
