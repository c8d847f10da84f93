//! Freeing runs whose time has come.

use jiff::SignedDuration;

/// What a pass did, and when the next one has something to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promoted {
    /// How many runs were freed.
    pub runs: usize,
    /// How many runs ended because their start deadline had passed.
    pub too_late: usize,
    /// How long it is, by the store's clock, until the next run is due or its start deadline passes: nothing if that holds for more
    /// than the pass was to take, `None` if no run waits for either. A run that comes in later may be sooner.
    pub next_due: Option<SignedDuration>,
}
