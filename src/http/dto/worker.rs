//! Workers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store;

/// One process that claims and executes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Worker {
    /// New at every start.
    pub id: Uuid,
    /// Its machine.
    #[schema(example = "worker-1")]
    pub host: String,
    /// Its process there.
    pub pid: u32,
    /// The release it runs.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// The queues it serves; all when empty.
    pub queues: Vec<String>,
    /// How many runs it executes at once.
    pub slots: u32,
    /// How many it executes now.
    pub busy: u32,
    /// When it was first heard of.
    pub started_at: Timestamp,
    /// When it was last heard of.
    pub seen_at: Timestamp,
    /// Whether it was asked to leave.
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
