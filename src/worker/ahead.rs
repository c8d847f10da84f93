//! Decides how many runs to lease ahead of their start, so that no slot waits for the database where the work is short.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::attempt::LONGEST_WAIT;
use super::{Inner, attempt};
use crate::run::TaskName;
use crate::store::Ahead;

/// At most so many runs wait for slots. A worker with so many slots leases none ahead.
const MOST: usize = 2000;

/// At most what the slots execute in this time, well below the longest wait of a run that was leased ahead.
const LONGEST_QUEUE: Duration = Duration::from_millis(50);

/// No run is leased ahead for so long after a scan found fewer than asked for,
const PAUSE: Duration = Duration::from_millis(50);

/// and after some had to be given back, because the slots were slower than expected.
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// How often the pace is measured.
const MEASURED_EVERY: Duration = Duration::from_millis(5);

/// How often runs are looked for that have waited for a slot for too long.
const SWEPT_EVERY: Duration = Duration::from_millis(25);

/// Gives runs back that have waited for a slot for too long, for ever.
pub(super) async fn give_back_late(inner: Arc<Inner>) {
    loop {
        // While no run waits, this sleeps.
        inner.slots.queue.joined().await;
        tokio::time::sleep(SWEPT_EVERY).await;
        let late = inner.slots.queue.remove_late(LONGEST_WAIT - SWEPT_EVERY);
        if !late.ahead.is_empty() {
            inner.ahead.pause_long();
        }
        attempt::give_back(&inner, late.ahead);
        late.running.into_iter().for_each(|run| run.give_back(&inner));
    }
}

/// Knows how fast the slots have been lately.
pub(super) struct AheadPolicy {
    slots: usize,
    /// Runs asked for by claims under way.
    asked: AtomicUsize,
    /// Attempts that have ended.
    ended: AtomicU64,
    /// The slots of all workers.
    fleet: AtomicUsize,
    pace: Mutex<Pace>,
}

struct Pace {
    measured_at: Instant,
    /// How many attempts had ended by then.
    counted: u64,
    /// Attempts that end in a second.
    rate: f64,
    /// How long the store takes to end attempts and to claim others.
    round_trip: Duration,
    paused_until: Instant,
}

/// A claim ahead under way.
pub(super) struct Asked {
    policy: Arc<AheadPolicy>,
    pub(super) runs: usize,
    began: Instant,
}

impl Asked {
    /// Records how many were granted, and how long that took.
    pub(super) fn answered(self, got: usize) {
        let mut pace = self.policy.pace();
        pace.round_trip = (pace.round_trip * 3 + self.began.elapsed()) / 4;
        if got < self.runs {
            pace.paused_until = Instant::now() + PAUSE;
        }
    }

    /// As [`Self::answered`], for a claim that did not scan: `true` if one that does should follow.
    pub(super) fn answered_piggybacked(self, got: usize) -> bool {
        let mut pace = self.policy.pace();
        pace.round_trip = (pace.round_trip * 3 + self.began.elapsed()) / 4;
        got < self.runs
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.policy.asked.fetch_sub(self.runs, Ordering::Relaxed);
    }
}

impl AheadPolicy {
    pub(super) fn new(slots: usize) -> Self {
        let now = Instant::now();
        let pace =
            Pace { measured_at: now, counted: 0, rate: 0.0, round_trip: Duration::from_millis(2), paused_until: now };
        Self {
            slots,
            asked: AtomicUsize::new(0),
            ended: AtomicU64::new(0),
            fleet: AtomicUsize::new(slots),
            pace: Mutex::new(pace),
        }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An attempt has ended.
    pub(super) fn count_end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Ready runs beyond so many may be leased ahead.
    pub(super) fn set_fleet(&self, slots: usize) {
        self.fleet.store(slots.max(self.slots), Ordering::Relaxed);
    }

    /// How many to ask for, where so many wait already; `None` for none.
    pub(super) fn ask(self: &Arc<Self>, waiting: usize) -> Option<Asked> {
        if self.slots >= MOST {
            return None;
        }
        let now = Instant::now();
        let mut pace = self.pace();
        pace.measure(self.ended.load(Ordering::Relaxed), now);
        if now < pace.paused_until {
            return None;
        }
        let target = pace.target(self.slots);
        let missing = target.saturating_sub(waiting + self.asked.load(Ordering::Relaxed));
        // A claim of a few costs as much as one of many.
        if missing == 0 || missing < target / 4 {
            return None;
        }
        self.asked.fetch_add(missing, Ordering::Relaxed);
        Some(Asked { policy: Arc::clone(self), runs: missing, began: now })
    }

    /// The slots are slower than expected.
    pub(super) fn pause_long(&self) {
        self.pace().paused_until = Instant::now() + LONG_PAUSE;
    }

    /// The claimer asks for more when no more than so many wait.
    pub(super) fn low(&self) -> usize {
        self.pace().target(self.slots) / 2
    }

    pub(super) fn request(&self, tasks: Arc<[TaskName]>) -> Ahead {
        Ahead { tasks, spare: self.fleet.load(Ordering::Relaxed) }
    }
}

impl Pace {
    fn measure(&mut self, ended: u64, now: Instant) {
        let elapsed = now.duration_since(self.measured_at);
        if elapsed < MEASURED_EVERY {
            return;
        }
        let rate = (ended - self.counted) as f64 / elapsed.as_secs_f64();
        self.rate = if elapsed > 20 * MEASURED_EVERY { rate } else { (self.rate + rate) / 2.0 };
        (self.measured_at, self.counted) = (now, ended);
    }

    /// What the slots work off while the store answers some times: more than they got last time, so that they get more and more
    /// until they are what limits the rate.
    fn target(&self, slots: usize) -> usize {
        let ahead = (self.round_trip * 4 + Duration::from_millis(2)).min(LONGEST_QUEUE);
        let worked_off = (self.rate * ahead.as_secs_f64()).ceil() as usize;
        worked_off.clamp(slots.min(MOST), MOST)
    }
}
