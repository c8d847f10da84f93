//! Claiming.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Lease;
use crate::run::lifecycle::Taker;
use crate::run::{QueueName, Run, TaskName, WorkspaceName};

/// What a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Who asks.
    pub taker: Taker,
    /// Which queues it serves; all of them when empty.
    pub queues: Vec<QueueName>,
    /// Which tasks it has; all of them when `None`. Runs of other tasks are left to workers that have them. Only what nobody has
    /// adopted for long is handed to a worker that lacks the task, to be declared lost.
    pub tasks: Option<Arc<[TaskName]>>,
    /// How many runs it can take.
    pub capacity: usize,
    /// How long each lease lasts.
    pub lease_ttl: SignedDuration,
    /// How long after a lease ended another host may take the run over.
    pub takeover_delay: SignedDuration,
    /// The workspace served last, so that the next one has its turn.
    pub last_turn: Option<WorkspaceName>,
    /// Where to look.
    pub scope: ClaimScope,
    /// Set to lease runs ahead of their start.
    pub ahead: Option<Ahead>,
    /// Set after a claim without an answer, to all leases that the worker knows. Whatever else it holds it does not know of: that
    /// goes back first, as not begun, and can be claimed at once. Only for a claim that looks everywhere.
    pub known_leases: Option<Arc<[Lease]>>,
}

/// From where a claim takes runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimScope {
    /// Only the next runs of the lanes that the same call frees by ending attempts.
    FreedLanes,
    /// Only streams that this process knows, without a scan and without waiting for a lock; maybe nothing. For a worker that was
    /// just notified, or that ends attempts with the same call.
    KnownStreams,
    /// All streams that the worker serves, and runs to adopt, which come first.
    Everything,
}

/// A claim of runs that begin when the worker has a slot for them. Until then they are `queued`, blocked by `worker`.
///
/// Each workspace grants the runs before the first one that must not be leased ahead: one of a lane, of a schedule, of a limited
/// queue, of another task than these, at its last attempt, or to be retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Which tasks are known to be short.
    pub tasks: Arc<[TaskName]>,
    /// How many ready runs have to be left for others: the slots of all workers.
    pub spare: usize,
}

/// What it gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Adopted runs first, then new attempts in the order of turns.
    pub runs: Vec<Claimed>,
    /// To be handed in with the next request.
    pub last_turn: Option<WorkspaceName>,
}

/// One run, now the worker's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The run, running.
    pub run: Run,
    /// Whether the attempt was already under way.
    pub adopted: bool,
    /// Since when nobody had held it, if it was adopted.
    pub orphaned_at: Option<Timestamp>,
}

impl ClaimRequest {
    /// Asks for so many runs of all queues and tasks, leased for 30 s.
    pub fn of(taker: Taker, capacity: usize) -> Self {
        Self {
            taker,
            queues: Vec::new(),
            tasks: None,
            capacity,
            lease_ttl: SignedDuration::from_secs(30),
            takeover_delay: SignedDuration::from_secs(60),
            last_turn: None,
            scope: ClaimScope::Everything,
            ahead: None,
            known_leases: None,
        }
    }

    /// Whether the worker has the task.
    pub fn has(&self, task: &TaskName) -> bool {
        self.tasks.as_ref().is_none_or(|tasks| tasks.contains(task))
    }
}

impl Claimed {
    /// A new attempt.
    pub fn begun(run: Run) -> Self {
        Self { run, adopted: false, orphaned_at: None }
    }

    /// An attempt that nobody had held since then.
    pub fn adopted(run: Run, orphaned_at: Timestamp) -> Self {
        Self { run, adopted: true, orphaned_at: Some(orphaned_at) }
    }

    /// What every later write about the attempt has to name.
    pub fn lease(&self) -> Lease {
        Lease { run: self.run.id, epoch: self.run.epoch }
    }
}
