//! Workers.

use jiff::Timestamp;

use crate::run::{HostName, QueueName, WorkerId};

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerInfo {
    /// Its id, new at every start.
    pub id: WorkerId,
    /// Its machine.
    pub host: HostName,
    /// Its process there.
    pub pid: u32,
    /// The release it runs.
    pub version: String,
    /// The queues it serves; all when empty.
    pub queues: Vec<QueueName>,
    /// How many runs it executes at once.
    pub slots: u32,
    /// How many it executes now.
    pub busy: u32,
}

/// A worker as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// What it last said.
    pub info: WorkerInfo,
    /// When it first said so.
    pub started_at: Timestamp,
    /// When it last said so.
    pub seen_at: Timestamp,
    /// Whether it was asked to leave.
    pub draining: bool,
}

/// What a worker is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Go on.
    Work,
    /// Claim no more; leave when done.
    Drain,
}
