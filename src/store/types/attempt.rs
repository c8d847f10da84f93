//! What a worker says about the attempts it holds.

use crate::run::lifecycle::{Outcome, Release};
use crate::run::{Jitter, RunId, Status, Stop};

/// The right to speak about a run: refused once another epoch began or the lease ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Lease {
    /// The run.
    pub run: RunId,
    /// The claim or adoption it comes from.
    pub epoch: i64,
}

/// What came of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Renewal {
    /// Extended.
    Renewed {
        /// What was asked of the run.
        stop: Option<Stop>,
    },
    /// Not held any more: stop the work.
    LeaseLost,
}

/// The end of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// By which right.
    pub lease: Lease,
    /// How it ended.
    pub outcome: Outcome,
    /// The draw for the wait before a retry.
    pub jitter: Jitter,
}

/// What came of a finish or release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FinishOutcome {
    /// Accepted; the run has become this.
    Accepted(Status),
    /// Not held any more: the outcome was refused.
    LeaseLost,
}

/// An attempt given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseLease {
    /// By which right.
    pub lease: Lease,
    /// What becomes of the work.
    pub how: Release,
}
