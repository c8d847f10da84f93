//! How much may be done at a time with a tree that a program made.

use std::time::{Duration, Instant};

/// Between looks at the time.
const STRIDE: u32 = 64;

pub(in super::super) struct Budget {
    entries: u32,
    spent: u32,
    until: Instant,
}

impl Budget {
    pub fn new(entries: u32, time: Duration) -> Self {
        Self { entries, spent: 0, until: Instant::now() + time }
    }

    /// For one entry; answers whether there was enough left.
    pub fn spend(&mut self) -> bool {
        if self.spent == self.entries || (self.spent.is_multiple_of(STRIDE) && self.is_late()) {
            return false;
        }
        self.spent += 1;
        true
    }

    pub fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}
