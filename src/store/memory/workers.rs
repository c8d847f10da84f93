//! Workers, what they execute, and what waits for them.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::model::Model;
use crate::run::{QueueName, Run, State, Status, TaskName, Tenure, WorkerId, WorkspaceName};
use crate::store::{Duty, Load, Position, WaitingTask, Worker, WorkerInfo};

impl Model {
    pub(super) fn heartbeat(&mut self, info: &WorkerInfo, now: Timestamp) -> Duty {
        // What has left starts anew.
        let known = self.workers.get(&info.id).filter(|worker| worker.left_at.is_none());
        let worker = Worker {
            info: info.clone(),
            started_at: known.map_or(now, |worker| worker.started_at),
            seen_at: now,
            draining: info.leaving || known.is_some_and(|worker| worker.draining),
            draining_since: known.and_then(|worker| worker.draining_since).or(info.leaving.then_some(now)),
            left_at: None,
            read_at: now,
        };
        let duty = if worker.draining { Duty::Drain } else { Duty::Work };
        self.workers.insert(info.id, worker);
        duty
    }

    pub(super) fn drain(&mut self, worker: WorkerId, now: Timestamp) -> Option<Worker> {
        let worker = self.workers.get_mut(&worker)?;
        if worker.left_at.is_none() {
            worker.draining = true;
            worker.draining_since.get_or_insert(now);
        }
        Some(Worker { read_at: now, ..worker.clone() })
    }

    pub(super) fn leave(&mut self, worker: WorkerId, now: Timestamp) -> bool {
        let Some(worker) = self.workers.get_mut(&worker).filter(|worker| worker.left_at.is_none()) else {
            return false;
        };
        (worker.seen_at, worker.left_at) = (now, Some(now));
        true
    }

    pub(super) fn workers(&self, now: Timestamp) -> Vec<Worker> {
        let there = self.workers.values().filter(|worker| worker.left_at.is_none());
        there.map(|worker| Worker { read_at: now, ..worker.clone() }).collect()
    }

    pub(super) fn position(&self, run: &Run, workers: &[WorkerId], most: usize) -> Position {
        let in_queue = |other: &&Run| other.workspace == run.workspace && other.queue == run.queue;
        let started = |other: &Run| other.execution().map(|execution| execution.by.started_at);
        let running: Vec<&Run> =
            self.live().filter(in_queue).filter(|other| other.status() == Status::Running).collect();
        let place = |run: &Run| (std::cmp::Reverse(run.priority), run.seq);
        let ahead = self.live().filter(in_queue).filter(|other| other.is_ready() && place(other) < place(run));
        let key = (run.workspace.clone(), run.queue.clone());
        Position {
            settings: self.queues.get(&key).copied().unwrap_or_default(),
            running: running.len() as u64,
            running_since: running.into_iter().filter_map(started).min(),
            ahead: ahead.take(most).count() as u64,
            loads: self.loads(&run.queue, workers),
        }
    }

    fn loads(&self, queue: &QueueName, workers: &[WorkerId]) -> Vec<Load> {
        let mut loads: BTreeMap<WorkerId, Load> = BTreeMap::new();
        for run in self.live() {
            let State::Running(execution) = &run.state else { continue };
            let (worker, since) = (execution.by.worker, execution.by.started_at);
            if !matches!(execution.tenure, Tenure::Leased { .. }) || !workers.contains(&worker) {
                continue;
            }
            let load = loads.entry(worker).or_insert(Load { worker, busy: 0, in_queue: 0, since });
            load.busy += 1;
            load.in_queue += u64::from(run.queue == *queue);
            load.since = load.since.min(since);
        }
        loads.into_values().collect()
    }

    pub(super) fn waiting_tasks(&self, most: usize) -> Vec<WaitingTask> {
        let mut waiting: Vec<&Run> =
            self.live().filter(|run| matches!(run.status(), Status::Queued | Status::Retrying)).collect();
        waiting.sort_by_key(|run| run.seq);
        let mut tasks: BTreeMap<(WorkspaceName, QueueName, TaskName), u64> = BTreeMap::new();
        for run in waiting.into_iter().take(most) {
            *tasks.entry((run.workspace.clone(), run.queue.clone(), run.task.clone())).or_default() += 1;
        }
        let listed = |((workspace, queue, task), runs)| WaitingTask { workspace, queue, task, runs };
        tasks.into_iter().map(listed).collect()
    }
}
