//! Fills the free slots: one claim at a time, when there is room and something may be waiting.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Inner, Served, attempt};
use crate::run::{QueueName, WorkspaceName};
use crate::store::{Claim, ClaimRequest, Result};

/// The first wait after a look at an empty queue; it doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// How long a claim under way is waited for when the worker is told to stop.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Claims and starts attempts until told to stop.
pub(super) async fn claim_until(inner: Arc<Inner>, stop: CancellationToken) {
    let mut claimer = Claimer { last_turn: None, wait: FIRST_WAIT, inner };
    let mut ready = claimer.inner.store.ready_signal();
    while !stop.is_cancelled() {
        // Seen before the look: what becomes ready during it leads to another.
        ready.take();
        let more = tokio::select! {
            more = claimer.fill() => more,
            // A claim that hangs is not waited for when leaving; what it may have got is found by its lease.
            () = async { stop.cancelled().await; tokio::time::sleep(LAST_WAIT).await } => return,
        };
        if more && claimer.inner.slots.room() > 0 {
            continue;
        }
        let (full, short, wait) = (claimer.inner.slots.room() == 0, claimer.is_short(), claimer.next_wait());
        tokio::select! {
            () = stop.cancelled() => return,
            () = claimer.inner.slots.freed(), if short => {}
            () = ready.changed(), if !full => claimer.wait = FIRST_WAIT,
            () = tokio::time::sleep(wait), if !full => {}
        }
    }
}

struct Claimer {
    inner: Arc<Inner>,
    last_turn: Option<WorkspaceName>,
    wait: Duration,
}

impl Claimer {
    /// Claims what there is room for; answers whether there may be more.
    async fn fill(&mut self) -> bool {
        let mut more = false;
        for (queues, capacity) in self.shares() {
            match self.claim(queues, capacity).await {
                Ok(taken) => {
                    more |= taken == capacity;
                    if taken > 0 {
                        self.wait = FIRST_WAIT;
                    }
                }
                Err(error) => tracing::warn!(error = error.in_full(), "cannot claim; trying again"),
            }
        }
        more
    }

    /// Which queues to ask for together, and how many runs of them there is room for. A queue with a limit of its own
    /// is asked for apart.
    fn shares(&self) -> Vec<(Vec<QueueName>, usize)> {
        let (slots, served) = (&self.inner.slots, &self.inner.settings.queues);
        let room = slots.room();
        let mut shares = Vec::new();
        for queue in served {
            if let Some(limit) = queue.concurrency {
                shares.push((vec![queue.queue.clone()], limit.saturating_sub(slots.busy_in(&queue.queue)).min(room)));
            }
        }
        let others: Vec<QueueName> =
            served.iter().filter(|queue| queue.concurrency.is_none()).map(|queue| queue.queue.clone()).collect();
        if served.is_empty() || !others.is_empty() {
            shares.push((others, room));
        }
        shares.retain(|(_, capacity)| *capacity > 0);
        // Not always the same first, or a backlog of the first would starve the others.
        fastrand::shuffle(&mut shares);
        shares
    }

    /// Whether there may be runs that only wait for a slot of this worker.
    fn is_short(&self) -> bool {
        let slots = &self.inner.slots;
        let at_limit = |served: &Served| served.concurrency.is_some_and(|limit| slots.busy_in(&served.queue) >= limit);
        slots.room() == 0 || self.inner.settings.queues.iter().any(at_limit)
    }

    async fn claim(&mut self, queues: Vec<QueueName>, capacity: usize) -> Result<usize> {
        let (inner, settings) = (&self.inner, &self.inner.settings);
        let capacity = capacity.min(inner.slots.room());
        if capacity == 0 {
            return Ok(0);
        }
        let request = ClaimRequest {
            taker: inner.taker(),
            queues,
            capacity,
            lease_ttl: signed(settings.lease_ttl),
            takeover_delay: signed(settings.takeover_delay),
            last_turn: self.last_turn.take(),
        };
        // Taken before the call: the store counts the lease from a later moment.
        let until = Instant::now() + settings.lease_ttl;
        let Claim { runs, last_turn } = inner.store.claim(&request).await?;
        self.last_turn = last_turn.or(request.last_turn);
        let taken = runs.len();
        for claimed in runs {
            attempt::begin(inner, claimed, until);
        }
        Ok(taken)
    }

    /// Longer each time, and never the same for two workers.
    fn next_wait(&mut self) -> Duration {
        let wait = self.wait;
        self.wait = (wait * 2).min(self.inner.settings.poll);
        wait.min(self.inner.settings.poll).mul_f64(0.75 + fastrand::f64() / 2.0)
    }
}

pub(super) fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
