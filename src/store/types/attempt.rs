//! What a worker says about the attempts it holds.

use jiff::SignedDuration;

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

/// A lease to be extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renew {
    /// Which.
    pub lease: Lease,
    /// How long ago the work began, for a run that was leased ahead and is `running` from now on.
    pub began: Option<SignedDuration>,
}

impl From<Lease> for Renew {
    fn from(lease: Lease) -> Self {
        Self { lease, began: None }
    }
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
    /// Held, but not extended: somebody else has locked the run. Try again soon.
    Busy,
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
    /// How long ago the work began, by the worker's clock: counts for a run that was leased ahead.
    pub ran: SignedDuration,
}

impl Finish {
    /// The end of work that began with its claim, without a draw.
    pub fn of(lease: Lease, outcome: Outcome) -> Self {
        Self { lease, outcome, jitter: Jitter(0), ran: SignedDuration::ZERO }
    }
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
