//! Who could take a waiting run, and why none of them does.

use super::{Reason, words};
use crate::run::Run;
use crate::store::{Position, Worker, WorkerState};

/// The workers that serve the run's queue, sorted by what they can do for it.
pub(super) struct Takers<'a> {
    run: &'a Run,
    silent: Vec<&'a Worker>,
    draining: Vec<&'a Worker>,
    without_task: Vec<&'a Worker>,
    able: Vec<&'a Worker>,
}

impl<'a> Takers<'a> {
    pub(super) fn of(run: &'a Run, serving: &'a [Worker]) -> Self {
        let (silent, there): (Vec<_>, Vec<_>) =
            serving.iter().partition(|worker| worker.state() == WorkerState::Silent);
        let (draining, working): (Vec<_>, Vec<_>) = there.into_iter().partition(|worker| worker.draining);
        let (able, without_task) = working.into_iter().partition(|worker| worker.info.has_task(&run.task));
        Self { run, silent, draining, without_task, able }
    }

    /// Why nobody takes it; `None` if somebody has a slot for it.
    pub(super) fn reason(&self, position: &Position) -> Option<Reason> {
        if self.able.is_empty() {
            return Some(self.nobody());
        }
        let loads: Vec<Load> = self.able.iter().map(|worker| Load::of(worker, self.run, position)).collect();
        if loads.iter().any(|load| load.has_slot() && load.is_under_limit()) {
            return None;
        }
        Some(if loads.iter().all(Load::has_slot) {
            words::worker_limit(&self.run.queue, &limits(&loads), position.ahead)
        } else {
            let (busy, slots) = loads.iter().fold((0, 0), |(busy, slots), load| (busy + load.busy, slots + load.slots));
            let since = position.loads.iter().map(|load| load.since).min();
            let read_at = self.able[0].read_at;
            let longest = since.map(|since| read_at.duration_since(since));
            words::all_busy(loads.len(), busy, slots, longest, position.ahead)
        })
    }

    fn nobody(&self) -> Reason {
        let (queue, task) = (&self.run.queue, &self.run.task);
        match (self.silent.as_slice(), self.draining.as_slice(), self.without_task.as_slice()) {
            ([], [], []) => words::no_worker(queue),
            (silent, [], []) => words::workers_silent(queue, silent),
            ([], draining, []) => words::workers_draining(queue, draining),
            ([], [], without) => words::workers_without_task(queue, task, without),
            (silent, draining, without) => {
                words::workers_cannot(queue, task, [silent.len(), draining.len(), without.len()])
            }
        }
    }
}

/// How full a worker is: as it says, or as its leases say where they know of more.
struct Load {
    slots: u64,
    busy: u64,
    in_queue: u64,
    limit: Option<u64>,
}

impl Load {
    fn of(worker: &Worker, run: &Run, position: &Position) -> Self {
        let leased = position.loads.iter().find(|load| load.worker == worker.info.id);
        let (busy, in_queue) = leased.map_or((0, 0), |load| (load.busy, load.in_queue));
        let limit = worker.info.limit(&run.queue);
        Self {
            slots: worker.info.slots.into(),
            busy: busy.max(worker.info.busy.into()),
            in_queue: in_queue.max(limit.map_or(0, |limit| limit.busy.into())),
            limit: limit.map(|limit| limit.concurrency.into()),
        }
    }

    fn has_slot(&self) -> bool {
        self.busy < self.slots
    }

    fn is_under_limit(&self) -> bool {
        self.limit.is_none_or(|limit| self.in_queue < limit)
    }
}

/// How many runs of the queue each executes, and how many it may.
fn limits(loads: &[Load]) -> Vec<(u64, u64)> {
    loads.iter().filter_map(|load| Some((load.in_queue, load.limit?))).collect()
}
