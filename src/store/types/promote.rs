//! Freeing runs whose time has come.

use jiff::SignedDuration;

/// What a pass did, and when the next one has something to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promoted {
    /// How many runs were freed.
    pub runs: usize,
    /// How long it is, by the store's clock, until the next run that waits for its time is due: nothing if more are due
    /// than the pass was to free, `None` if no run waits for its time. A run that comes in later may be due sooner.
    pub next_due: Option<SignedDuration>,
}
