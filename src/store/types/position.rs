//! Where a waiting run stands, and what waits for whom.

use jiff::Timestamp;

use super::QueueSettings;
use crate::run::{QueueName, TaskName, WorkerId, WorkspaceName};

/// Where a waiting run stands in its queue, and how busy those are who could take it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// What is set for its queue.
    pub settings: QueueSettings,
    /// How many runs of its queue are running, in its workspace.
    pub running: u64,
    /// Since when the longest of these attempts has been running.
    pub running_since: Option<Timestamp>,
    /// How many ready runs of its queue are claimed before it, up to the number that was asked for.
    pub ahead: u64,
    /// What the workers that were asked about execute, by id; those that execute nothing are not listed.
    pub loads: Vec<Load>,
}

/// What a worker executes, as its leases say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Who.
    pub worker: WorkerId,
    /// How many runs, of all queues and workspaces.
    pub busy: u64,
    /// How many of the queue that was asked about, of all workspaces.
    pub in_queue: u64,
    /// Since when its longest attempt has been running.
    pub since: Timestamp,
}

/// How many runs of a task wait in a queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingTask {
    /// The tenant.
    pub workspace: WorkspaceName,
    /// Where they wait.
    pub queue: QueueName,
    /// For what.
    pub task: TaskName,
    /// How many, of those that were looked at.
    pub runs: u64,
}
