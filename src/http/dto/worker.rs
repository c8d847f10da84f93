//! Workers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store;

/// A process that claims and executes runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Worker {
    /// Its id, new at every start.
    pub id: Uuid,
    /// Its host.
    #[schema(example = "worker-1")]
    pub host: String,
    /// Its process id on that host.
    pub pid: u32,
    /// The release it runs.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// `working`; `draining` while it claims no more and its runs end; `silent` when it missed its heartbeats; `left` once it
    /// has ended.
    #[schema(value_type = WorkerState)]
    pub state: store::WorkerState,
    /// The queues it serves; empty for all.
    pub queues: Vec<String>,
    /// Its own limits for queues.
    pub queue_limits: Vec<QueueLimit>,
    /// The tasks it has; null if it did not report them.
    #[schema(required)]
    pub tasks: Option<Vec<String>>,
    /// Number of runs it can execute at once.
    pub slots: u32,
    /// Number of runs it is executing.
    pub busy: u32,
    /// When it started to report.
    pub started_at: Timestamp,
    /// When it last reported.
    pub seen_at: Timestamp,
    /// Whether it was asked to drain, or drains for another reason.
    pub draining: bool,
    /// Since when it has been draining.
    #[schema(required)]
    pub draining_since: Option<Timestamp>,
    /// When it left. Such workers are not listed.
    #[schema(required)]
    pub left_at: Option<Timestamp>,
}

/// A worker's own limit for a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueLimit {
    /// The queue.
    #[schema(example = "images")]
    pub queue: String,
    /// How many of its runs the worker executes at once.
    pub concurrency: u32,
    /// How many it executes now.
    pub busy: u32,
}

/// How a worker stands.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the store, which knows of no schemas")]
pub(in crate::http) enum WorkerState {
    Working,
    Draining,
    Silent,
    Left,
}

impl From<store::Worker> for Worker {
    fn from(worker: store::Worker) -> Self {
        let state = worker.state();
        let store::Worker { info, started_at, seen_at, draining, draining_since, left_at, read_at: _ } = worker;
        let limit = |limit: store::QueueLimit| QueueLimit {
            queue: limit.queue.to_string(),
            concurrency: limit.concurrency,
            busy: limit.busy,
        };
        Self {
            id: info.id.0,
            host: info.host.to_string(),
            pid: info.pid,
            version: info.version,
            state,
            queues: info.queues.iter().map(ToString::to_string).collect(),
            queue_limits: info.limits.into_iter().map(limit).collect(),
            tasks: info.tasks.map(|tasks| tasks.iter().map(ToString::to_string).collect()),
            slots: info.slots,
            busy: info.busy,
            started_at,
            seen_at,
            draining,
            draining_since,
            left_at,
        }
    }
}
