//! Leaving: what is under way may finish; what cannot in time is left to be adopted, or stopped and given back.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::attempt::Verdict;
use super::{HandOver, Inner};
use crate::run::lifecycle::Release;

/// How long the store may take to hear of what was stopped or left at the end.
const LAST_WORD: Duration = Duration::from_secs(5);

/// How long work that is stopped here has, where the store is away and would not hear of its end.
const PARTING: Duration = Duration::from_secs(1);

/// The store is taken to be away when no lease could be renewed for so many heartbeats.
const MISSED_BEATS: u32 = 2;

/// Waits for what is under way, up to the grace; then leaves the rest behind in good order.
pub(super) async fn drain(inner: &Inner) -> Summary {
    let grace = inner.settings.shutdown_grace;
    let under_way = inner.slots.held();
    tracing::info!(worker = %inner.id, under_way, ?grace, "draining: claiming has stopped");
    inner.attempts.close();
    let finished = async {
        match inner.settings.hand_over {
            HandOver::AfterGrace => inner.attempts.wait().await,
            HandOver::AtOnce => inner.slots.only_detachable().await,
        }
    };
    let _ = tokio::time::timeout(grace, or_leases_over(inner, finished)).await;
    let away = inner.slots.unrenewed_for(inner.settings.heartbeat * MISSED_BEATS, inner.settings.lease_ttl);
    let rest = inner.slots.end_all();
    rest.iter().for_each(|slot| slot.shut_down());
    let stopped_here = rest.iter().filter(|slot| !slot.detachable);
    let longest = stopped_here.map(|slot| slot.stop_grace).max().unwrap_or_default();
    let told = or_leases_over(inner, inner.attempts.wait());
    let _ = tokio::time::timeout(if away { PARTING } else { longest + LAST_WORD }, told).await;
    if inner.slots.held() > 0 {
        tracing::error!(attempts = inner.slots.held(), "exiting before every outcome was stored");
    }
    let mut summary = inner.tally.summary();
    summary.lost += inner.slots.held() as u64;
    summary
}

/// Waits, but no longer than there are leases: without the store they run out, and others find the runs.
async fn or_leases_over(inner: &Inner, waited_for: impl Future<Output = ()>) {
    tokio::select! {
        () = waited_for => {}
        () = inner.slots.leases_over() => tracing::warn!("the leases expired: the database could not be reached"),
    }
}

/// What came of an attempt.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Finished,
    Released,
    Left,
    Lost,
}

impl Kind {
    pub(super) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Finish(_) => Kind::Finished,
            Verdict::Release(Release::ForAdoption) => Kind::Left,
            Verdict::Release(_) => Kind::Released,
            Verdict::Silence => Kind::Lost,
        }
    }
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
    pub(super) fn count(&self, kind: Kind) {
        let counter = match kind {
            Kind::Finished => &self.finished,
            Kind::Released => &self.released,
            Kind::Left => &self.left,
            Kind::Lost => &self.lost,
        };
        counter.fetch_add(1, Ordering::Relaxed);
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
    /// They were interrupted, and queued again or paused.
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
