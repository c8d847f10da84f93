//! Submission.

use jiff::Timestamp;

use crate::run::RunId;

/// What limits admission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Admission {
    /// At most so many live runs in the whole store; unlimited, and unpaid for, when unset.
    pub queue_size: Option<u64>,
}

/// What came of a batch of requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// Of each by itself, in the order given.
    pub outcomes: Vec<SubmitOutcome>,
    /// When they were judged, and so when what was created was requested; unknown where nothing was, or the answer was lost.
    pub at: Option<Timestamp>,
}

/// What came of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SubmitOutcome {
    /// Stored under the id it asked for.
    Created,
    /// A run with the same key that had not started took on the request.
    Replaced(RunId),
    /// A live run has the same key and stays as it is.
    Kept(RunId),
    /// The same request was made before, under the same idempotency key.
    Existing(RunId),
    /// The idempotency key was used before, for another request.
    IdempotencyMismatch(RunId),
    /// A run with this id exists.
    DuplicateId,
    /// The queue is full.
    QueueFull,
    /// There is no such workspace.
    UnknownWorkspace,
    /// It is to wait for a run that does not exist in its workspace.
    UnknownUpstream(RunId),
    /// The run it would replace may not wait for this one: it is the same run, or others wait for the run, and this
    /// one could be among those they wait with.
    CircularWait(RunId),
}

/// What came of a rerun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RerunOutcome {
    /// The new run's submission went so.
    Submitted(SubmitOutcome),
    /// There is no such run in this workspace.
    NotFound,
}
