//! Leaving: what is under way may finish; what cannot in time is left to be adopted, or stopped and given back.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Inner;
use super::slots::Why;
use crate::run::Status;

/// Waits for what is under way, up to the grace; then leaves the rest behind in good order.
pub(super) async fn drain(inner: &Inner) -> Summary {
    let grace = inner.settings.shutdown_grace;
    let under_way = inner.slots.busy();
    tracing::info!(worker = %inner.id, under_way, ?grace, "draining: no more runs are claimed");
    inner.attempts.close();
    if tokio::time::timeout(grace, inner.attempts.wait()).await.is_err() {
        for slot in inner.slots.all() {
            if slot.detachable { slot.leave(Why::Shutdown) } else { slot.stop(Why::Shutdown) }
        }
        inner.attempts.wait().await;
    }
    inner.tally.summary()
}

/// What a worker did in its time.
#[derive(Default)]
pub(super) struct Tally {
    finished: AtomicU64,
    released: AtomicU64,
    left: AtomicU64,
    lost: AtomicU64,
}

impl Tally {
    /// Counts an attempt by what its run became.
    pub(super) fn count(&self, status: Status, for_adoption: bool) {
        let counter = match status {
            _ if for_adoption => &self.left,
            Status::Queued => &self.released,
            _ => &self.finished,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    fn summary(&self) -> Summary {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Summary {
            finished: read(&self.finished),
            released: read(&self.released),
            left: read(&self.left),
            lost: read(&self.lost),
        }
    }
}

/// What came of the attempts of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Their outcome was stored.
    pub finished: u64,
    /// They were interrupted and queued again.
    pub released: u64,
    /// They run on, to be adopted.
    pub left: u64,
    /// Their lease was lost.
    pub lost: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { finished, released, left, lost } = self;
        write!(f, "{finished} finished, {released} released, {left} left to adopt, {lost} lost")
    }
}
