//! Assigns slots to claimed runs: at once while there are free ones, then first in, first out.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::attempt::Ready;
use crate::store::{Claimed, Lease};

/// A claimed run that waits for a slot.
pub(super) enum Waiting {
    /// It was leased ahead. Nobody renews its lease, which lasts far longer than it may wait.
    Ahead(Box<LeasedAhead>),
    /// The store shows it as `running`. It waits only if a run that was leased ahead took its slot while it was being claimed.
    Running(Ready),
}

/// A run as it was leased ahead.
pub(super) struct LeasedAhead {
    pub(super) claimed: Claimed,
    /// When its lease ends.
    pub(super) until: Instant,
    /// Since when it waits.
    pub(super) since: Instant,
}

/// The slots of a worker, and the runs that wait for one.
pub(super) struct SlotQueue {
    capacity: usize,
    state: Mutex<QueueState>,
    /// Notified when the first run begins to wait.
    joined: Notify,
}

#[derive(Default)]
struct QueueState {
    executing: usize,
    running: VecDeque<Ready>,
    ahead: VecDeque<Box<LeasedAhead>>,
    /// The worker is leaving.
    closed: bool,
}

impl QueueState {
    fn next(&mut self) -> Option<Waiting> {
        let running = self.running.pop_front().map(Waiting::Running);
        running.or_else(|| self.ahead.pop_front().map(Waiting::Ahead))
    }
}

/// What became of a slot that was released.
pub(super) struct Released {
    /// The run that has it now.
    pub(super) next: Option<Waiting>,
    /// How many runs still wait that were leased ahead.
    pub(super) left: usize,
}

/// Runs that have waited too long.
#[derive(Default)]
pub(super) struct Late {
    pub(super) ahead: Vec<Lease>,
    pub(super) running: Vec<Ready>,
}

impl SlotQueue {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, state: Mutex::default(), joined: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a free slot for the run, which is the answer then, or queues it. The error is the lease of a run that was leased
    /// ahead, if the worker is leaving.
    pub(super) fn take_slot(&self, run: Waiting) -> Result<Option<Waiting>, Lease> {
        let mut state = self.state();
        match run {
            Waiting::Ahead(run) if state.closed => return Err(run.claimed.lease()),
            run if state.executing < self.capacity => {
                state.executing += 1;
                return Ok(Some(run));
            }
            Waiting::Ahead(run) => state.ahead.push_back(run),
            Waiting::Running(run) => state.running.push_back(run),
        }
        if state.ahead.len() + state.running.len() == 1 {
            self.joined.notify_one();
        }
        Ok(None)
    }

    /// Assigns the slot to the next run, or frees it if none waits.
    pub(super) fn release_slot(&self) -> Released {
        let mut state = self.state();
        let next = state.next();
        if next.is_none() {
            state.executing -= 1;
        }
        Released { next, left: state.ahead.len() }
    }

    /// Waits until a run has to wait.
    pub(super) async fn joined(&self) {
        while self.is_empty() {
            self.joined.notified().await;
        }
    }

    fn is_empty(&self) -> bool {
        let state = self.state();
        state.ahead.is_empty() && state.running.is_empty()
    }

    /// How many runs wait that were leased ahead.
    pub(super) fn leased_ahead(&self) -> usize {
        self.state().ahead.len()
    }

    pub(super) fn leases_ahead(&self) -> Vec<Lease> {
        self.state().ahead.iter().map(|run| run.claimed.lease()).collect()
    }

    /// Runs may be leased ahead, again if need be.
    pub(super) fn open(&self) {
        self.state().closed = false;
    }

    /// Removes the runs that were leased ahead and have no slot yet, and refuses any more.
    pub(super) fn close(&self) -> Vec<Lease> {
        let mut state = self.state();
        state.closed = true;
        state.ahead.drain(..).map(|run| run.claimed.lease()).collect()
    }

    /// Removes the runs that have waited for so long.
    pub(super) fn remove_late(&self, longest: Duration) -> Late {
        let mut state = self.state();
        let ahead = state.ahead.iter().take_while(|run| run.since.elapsed() >= longest).count();
        let running = state.running.iter().take_while(|run| run.since.elapsed() >= longest).count();
        Late {
            ahead: state.ahead.drain(..ahead).map(|run| run.claimed.lease()).collect(),
            running: state.running.drain(..running).collect(),
        }
    }
}
