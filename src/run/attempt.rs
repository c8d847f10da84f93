//! One try of a run.

use jiff::Timestamp;

use super::{HostName, RunError, Status, WorkerId};

/// Who tried, where, and from when on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AttemptedBy {
    /// The worker that held the last lease of the attempt.
    pub worker: WorkerId,
    /// The machine the work ran on.
    pub host: HostName,
    /// When the attempt began: when it was claimed, unless that was ahead of its start.
    pub started_at: Timestamp,
}

/// An attempt as people read it: running, or ended one way or another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attempt {
    /// From 1 upwards. An interrupted attempt does not count, so its number appears again.
    pub number: u32,
    /// The epoch of its last lease.
    pub epoch: i64,
    /// Who tried.
    pub by: AttemptedBy,
    /// When and how it ended; `None` while it runs.
    pub ended: Option<AttemptEnd>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AttemptEnd {
    /// When.
    pub at: Timestamp,
    /// What the run became by it.
    pub status: Status,
    /// Why, unless it succeeded.
    pub error: Option<RunError>,
}
