//! Every transition of a run, and nothing else. A transition takes the run and the time, and answers with the run
//! as it is afterwards, or with why not; storing it is somebody else's work.
//!
//! Stores write some transitions as one SQL statement for a whole batch. What such a statement does is defined
//! here, and the model tests compare the two.

mod attempt;
mod command;
mod enter;
mod lease;
#[cfg(any(test, feature = "conformance"))]
mod sample;
#[cfg(any(test, feature = "conformance"))]
pub mod table;
#[cfg(test)]
mod tests;

pub use attempt::{
    FREE_INTERRUPTIONS, FREE_POSTPONEMENTS, Outcome, Release, Retry, end_if_too_late, finish, overdue, refuse, release,
    take_back,
};
pub use command::{Command, CommandOutcome, command, dismissable, rerun, upstream_failed};
pub use enter::{enter, is_too_late, replace, started, submit, unblock};
pub use lease::{
    Taker, abandoned_after, adopt, begin, claim, claim_ahead, holds, may_adopt, may_be_claimed_ahead, orphan, renew,
};

use super::{Attempt, Run};

/// A run after a transition, with the attempt that ended without ending the run, if one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The run as it is now.
    pub run: Run,
    /// The attempt to keep a row of.
    pub ended: Option<Attempt>,
}

impl Step {
    fn to(run: Run) -> Self {
        Self { run, ended: None }
    }
}

/// The caller does not hold the run, or no longer: another epoch, an expired lease, or not running at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lease is lost")]
pub struct LeaseLost;
