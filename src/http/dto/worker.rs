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
    /// The queues it serves; empty for all.
    pub queues: Vec<String>,
    /// Number of runs it can execute at once.
    pub slots: u32,
    /// Number of runs it is executing.
    pub busy: u32,
    /// When it started to report.
    pub started_at: Timestamp,
    /// When it last reported.
    pub seen_at: Timestamp,
    /// Whether it was asked to drain.
    pub draining: bool,
}

impl From<store::Worker> for Worker {
    fn from(worker: store::Worker) -> Self {
        let store::Worker { info, started_at, seen_at, draining } = worker;
        Self {
            id: info.id.0,
            host: info.host.to_string(),
            pid: info.pid,
            version: info.version,
            queues: info.queues.iter().map(ToString::to_string).collect(),
            slots: info.slots,
            busy: info.busy,
            started_at,
            seen_at,
            draining,
        }
    }
}
