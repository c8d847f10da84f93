//! Hands slots to runs: at once while there are any, then one after the other to those that wait.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::attempt::Ready;
use crate::store::{Claimed, Lease};

/// A claimed run that waits for a slot.
pub(super) enum Waiting {
    /// It was leased ahead. Nobody renews its lease, which is far longer than it may wait.
    Ahead(Box<LeasedAhead>),
    /// It counts as running, and only has to wait for one that was leased ahead and got its slot meanwhile.
    Running(Box<Ready>),
}

/// A run as it was leased ahead.
pub(super) struct LeasedAhead {
    pub(super) claimed: Claimed,
    /// When its lease ends.
    pub(super) until: Instant,
    /// Since when it waits.
    pub(super) since: Instant,
}

/// The slots of a worker, and who waits for them.
pub(super) struct Line {
    capacity: usize,
    turns: Mutex<Turns>,
    /// Rung when a run begins to wait that was leased ahead.
    joined: Notify,
}

/// Runs are in boxes, since they are handed on several times.
#[derive(Default)]
struct Turns {
    executing: usize,
    running: VecDeque<Box<Ready>>,
    ahead: VecDeque<Box<LeasedAhead>>,
    closed: bool,
}

impl Turns {
    fn next(&mut self) -> Option<Waiting> {
        let running = self.running.pop_front().map(Waiting::Running);
        running.or_else(|| self.ahead.pop_front().map(Waiting::Ahead))
    }
}

/// Who gets the slot that became free.
pub(super) struct Handed {
    pub(super) next: Option<Waiting>,
    /// How many wait that were leased ahead.
    pub(super) left: usize,
}

impl Line {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, turns: Mutex::default(), joined: Notify::new() }
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for the run, which is the answer then, or has it wait. The error is the lease of one that was
    /// leased ahead for a worker that is about to leave.
    pub(super) fn take_slot(&self, run: Waiting) -> Result<Option<Waiting>, Lease> {
        let mut turns = self.turns();
        match run {
            Waiting::Ahead(run) if turns.closed => return Err(run.claimed.lease()),
            run if turns.executing < self.capacity => {
                turns.executing += 1;
                return Ok(Some(run));
            }
            Waiting::Ahead(run) => {
                turns.ahead.push_back(run);
                if turns.ahead.len() == 1 {
                    self.joined.notify_one();
                }
            }
            Waiting::Running(run) => turns.running.push_back(run),
        }
        Ok(None)
    }

    /// Hands a slot on, or frees it if nobody waits.
    pub(super) fn hand_on(&self) -> Handed {
        let mut turns = self.turns();
        let next = turns.next();
        if next.is_none() {
            turns.executing -= 1;
        }
        Handed { next, left: turns.ahead.len() }
    }

    /// Waits until a run waits that was leased ahead, or has done so lately.
    pub(super) async fn joined(&self) {
        self.joined.notified().await;
    }

    /// How many wait that were leased ahead.
    pub(super) fn waiting(&self) -> usize {
        self.turns().ahead.len()
    }

    /// Runs may be leased ahead, again if need be.
    pub(super) fn open(&self) {
        self.turns().closed = false;
    }

    /// Answers with the leases of the runs that were leased ahead and wait; no more will.
    pub(super) fn close(&self) -> Vec<Lease> {
        let mut turns = self.turns();
        turns.closed = true;
        turns.ahead.drain(..).map(|run| run.claimed.lease()).collect()
    }

    /// Takes the runs out that were leased ahead and have waited for so long.
    pub(super) fn late(&self, longest: Duration) -> Vec<Lease> {
        let mut turns = self.turns();
        let late = turns.ahead.iter().take_while(|run| run.since.elapsed() >= longest).count();
        turns.ahead.drain(..late).map(|run| run.claimed.lease()).collect()
    }
}
