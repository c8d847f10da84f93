//! What the checks are about, from the server or straight from the database.

use std::collections::BTreeMap;

use runlane::run::{Status, WorkspaceName};
use runlane::store::{self, Page, RunFilter, Store};

use crate::cli::Failure;
use crate::cli::client::remote::Remote;
use crate::cli::client::seen::{self, Lane, Lease, Queue, Run, Worker};

/// More than anybody reads; what is beyond does not change the advice.
const MOST: usize = 500;

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) workers: Vec<Worker>,
    pub(super) queues: Vec<Queue>,
    pub(super) lanes: Vec<Lane>,
    pub(super) running: Vec<Run>,
    /// Of the waiting runs that were looked at.
    pub(super) waiting: BTreeMap<Wanted, u64>,
}

/// What a run waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    pub(super) queue: String,
    pub(super) task: String,
}

impl Facts {
    /// Of the workspace that the token is for.
    pub(super) async fn of_server(remote: &Remote) -> Result<Self, Failure> {
        let page = [("limit", MOST.to_string())];
        let running = [("status", "running".to_owned()), ("limit", MOST.to_string())];
        let waiting = [("status", "queued,retrying".to_owned()), ("limit", MOST.to_string())];
        let (workers, queues, lanes, running, waiting) = tokio::try_join!(
            remote.get(&["workers"]),
            remote.get(&["queues"]),
            remote.find(&["lanes"], &page),
            remote.find(&["runs"], &running),
            remote.find(&["runs"], &waiting),
        )?;
        Ok(Self {
            workers: seen::list(&workers)?,
            queues: seen::list(&queues)?,
            lanes: seen::list(&lanes)?,
            running: seen::list(&running)?,
            waiting: counted(seen::list::<Run>(&waiting)?.into_iter().map(|run| (run.queue, run.task, 1))),
        })
    }

    /// Of all workspaces.
    pub(super) async fn of_store(store: &dyn Store) -> Result<Self, Failure> {
        let mut facts = Self { workers: store.workers().await?.into_iter().map(worker).collect(), ..Self::default() };
        let filter = RunFilter { statuses: vec![Status::Running], ..RunFilter::default() };
        for workspace in store.workspaces().await? {
            facts.queues.extend(store.queues(&workspace).await?.into_iter().map(queue));
            facts.lanes.extend(store.lanes(&workspace, None, &Page::first(MOST)).await?.data.into_iter().map(lane));
            facts.running.extend(running(store, &workspace, &filter).await?);
        }
        let waiting = store.waiting_tasks(MOST).await?.into_iter();
        facts.waiting = counted(waiting.map(|found| (found.queue.to_string(), found.task.to_string(), found.runs)));
        Ok(facts)
    }
}

fn counted(found: impl Iterator<Item = (String, String, u64)>) -> BTreeMap<Wanted, u64> {
    let mut counts = BTreeMap::new();
    for (queue, task, runs) in found {
        *counts.entry(Wanted { queue, task }).or_default() += runs;
    }
    counts
}

async fn running(store: &dyn Store, workspace: &WorkspaceName, filter: &RunFilter) -> Result<Vec<Run>, Failure> {
    let found = store.runs(workspace, filter, &Page::first(MOST)).await?.data;
    let seen = |run: runlane::run::Run| {
        let lease = run.execution().and_then(|execution| match execution.tenure {
            runlane::run::Tenure::Leased { until } => {
                Some(Lease { owner: execution.by.worker.to_string(), expires_at: Some(until) })
            }
            runlane::run::Tenure::Orphaned { .. } => None,
        });
        Run { id: run.id.to_string(), status: run.status().to_string(), lease, ..Run::default() }
    };
    Ok(found.into_iter().map(seen).collect())
}

fn worker(worker: store::Worker) -> Worker {
    let state = worker.state().as_str().to_owned();
    let store::Worker { info, started_at, seen_at, draining, draining_since, left_at, read_at: _ } = worker;
    Worker {
        id: info.id.to_string(),
        host: info.host.to_string(),
        pid: info.pid,
        version: info.version,
        state,
        queues: info.queues.iter().map(ToString::to_string).collect(),
        tasks: info.tasks.map(|tasks| tasks.iter().map(ToString::to_string).collect()),
        slots: info.slots,
        busy: info.busy,
        started_at: Some(started_at),
        seen_at: Some(seen_at),
        draining,
        draining_since,
        left_at,
    }
}

fn queue(queue: store::Queue) -> Queue {
    let store::Queue { name, settings, running, waiting } = queue;
    Queue { name: name.to_string(), paused: settings.paused, concurrency: settings.concurrency, running, waiting }
}

fn lane(lane: store::Lane) -> Lane {
    Lane {
        name: lane.name.to_string(),
        policy: lane.policy.as_str().to_owned(),
        occupant: lane.occupant.map(|run| run.to_string()),
        held_by: lane.held_by.iter().map(ToString::to_string).collect(),
        waiting: lane.waiting,
    }
}
