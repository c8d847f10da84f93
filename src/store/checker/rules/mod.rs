//! Judges a recording by what a store promises.

mod admission;
mod endings;
mod facts;
mod lanes;
mod leases;
mod queues;
mod running;
#[cfg(test)]
mod tests;

use super::{FinalState, Recording};
use facts::Facts;

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// How, for a person to read. Times are the microseconds of the recording.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.message)
    }
}

/// The promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// At most one lease of a run is live.
    OneHolder,
    /// Epochs rise by one with every claim and adoption; an adoption is the same attempt.
    Epochs,
    /// A write under an old epoch, or about an attempt that was ended, is refused.
    StaleEpoch,
    /// A write under a lease that ran out is refused.
    Expiry,
    /// Another host takes over only after the takeover delay.
    Takeover,
    /// A life ends once; only a resume starts another.
    OneEnding,
    /// What has ended does not start, unless resumed; what succeeded or was cancelled never does.
    StaysEnded,
    /// The run shows the outcome that was accepted.
    OutcomeKept,
    /// No more attempts than were granted.
    Attempts,
    /// Two runs of a lane never run at once.
    LaneOverlap,
    /// Runs of a lane start in order of submission.
    LaneOrder,
    /// A queue's concurrency limit holds at every instant.
    QueueLimit,
    /// Nothing starts in a paused queue.
    QueuePaused,
    /// What was acknowledged exists.
    Lost,
    /// One idempotency key, one run.
    Idempotency,
    /// Live runs never exceed the queue's size.
    QueueSize,
    /// At most one live run has a key.
    RunKey,
}

/// Every promise that the recording, with the state it led to, breaks for certain.
pub fn check(recording: &Recording, last: &FinalState) -> Vec<Violation> {
    let facts = Facts::of(recording, last);
    let mut verdict = Verdict::default();
    leases::check(&facts, &mut verdict);
    endings::check(&facts, &mut verdict);
    lanes::check(&facts, &mut verdict);
    queues::check(&facts, &mut verdict);
    admission::check(&facts, &mut verdict);
    verdict.0
}

#[derive(Default)]
struct Verdict(Vec<Violation>);

impl Verdict {
    fn broken(&mut self, rule: Rule, message: String) {
        self.0.push(Violation { rule, message });
    }
}
