//! The attempts under way in this worker.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::actions::NoSlot;
use crate::executor::{Grip, Order};
use crate::run::{QueueName, RunId, Stop};
use crate::store::{Lease, Renewal};

/// One attempt under way.
pub(super) struct Slot {
    pub(super) lease: Lease,
    pub(super) queue: QueueName,
    pub(super) detachable: bool,
    pub(super) stop_grace: Duration,
    grip: Grip,
    why: Mutex<Option<Why>>,
}

/// Why an attempt was told to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The worker is leaving.
    Shutdown,
    /// Somebody asked for it.
    Asked(Stop),
    /// It took too long.
    Timeout,
    /// It used up too much of this unit.
    UsageLimit { unit: String, limit: u64 },
    /// Nobody could renew its lease, or somebody else has the run now.
    LeaseLost,
}

impl Slot {
    pub(super) fn new(lease: Lease, queue: QueueName, detachable: bool, stop_grace: Duration, grip: Grip) -> Arc<Self> {
        Arc::new(Self { lease, queue, detachable, stop_grace, grip, why: Mutex::default() })
    }

    /// Tells the work to stop. The first reason counts, except that a shutdown or a pause gives way to any other.
    pub(super) fn stop(&self, why: Why) {
        let mut current = lock(&self.why);
        let weak = matches!(*current, None | Some(Why::Shutdown | Why::Asked(Stop::Pause)));
        if weak && why != Why::Shutdown || current.is_none() {
            *current = Some(why);
        }
        drop(current);
        self.grip.order(Order::Stop { grace: self.stop_grace });
    }

    /// The worker is leaving: what can go on without it is left to others.
    pub(super) fn shut_down(&self) {
        if self.detachable { self.leave(Why::Shutdown) } else { self.stop(Why::Shutdown) }
    }

    /// Has nothing more to do with the work.
    pub(super) fn leave(&self, why: Why) {
        lock(&self.why).get_or_insert(why);
        self.grip.order(Order::Leave);
    }

    /// The lease is gone, whatever else was the matter.
    pub(super) fn lose(&self) {
        *lock(&self.why) = Some(Why::LeaseLost);
        self.grip.order(Order::Leave);
    }

    fn leased_until(&self) -> Instant {
        self.grip.leased_until()
    }

    pub(super) fn why(&self) -> Option<Why> {
        lock(&self.why).clone()
    }

    /// Takes in what a renewal, for a lease then good until `until`, was answered with.
    pub(super) fn renewed(&self, renewal: Renewal, until: Instant) {
        match renewal {
            Renewal::Renewed { stop } => {
                self.grip.extend(until);
                if let Some(stop) = stop {
                    self.stop(Why::Asked(stop));
                }
            }
            Renewal::LeaseLost => self.lose(),
        }
    }

    /// Watches over the lease: if nobody extends it, the work is stopped `lead` before it can have run out, and left
    /// alone when it can. What runs on by itself watches its own lease, in the same way.
    pub(super) async fn guard_lease(&self, lead: Duration) {
        loop {
            let until = self.grip.leased_until();
            if !self.detachable {
                tokio::time::sleep_until(until - lead).await;
                if self.grip.leased_until() > until {
                    continue;
                }
                self.grip.order(Order::Stop { grace: lead });
            }
            tokio::time::sleep_until(until).await;
            if self.grip.leased_until() == until {
                return self.lose();
            }
        }
    }
}

/// Runs are being begun.
pub(super) struct Beginning<'a>(&'a watch::Sender<bool>);

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        self.0.send_replace(false);
    }
}

/// All of them.
pub(super) struct Slots {
    capacity: usize,
    table: Mutex<HashMap<Lease, Arc<Slot>>>,
    /// Set aside for runs that this worker is to get next. They keep nobody from claiming others: what was there before
    /// comes first, and those wait a little longer.
    reserved: Mutex<HashMap<RunId, QueueName>>,
    /// How many are about to be freed: what came of their work is being told to the store.
    ending: AtomicUsize,
    /// Whether claimed runs are just being begun, one after the other.
    beginning: watch::Sender<bool>,
    closed: AtomicBool,
    /// Whether there is no time left for what is under way.
    over: AtomicBool,
    freed: Notify,
}

impl Slots {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            table: Mutex::default(),
            reserved: Mutex::default(),
            ending: AtomicUsize::new(0),
            beginning: watch::Sender::new(false),
            closed: AtomicBool::new(false),
            over: AtomicBool::new(false),
            freed: Notify::new(),
        }
    }

    /// Sets a slot aside, if there is one that is neither busy nor set aside, within the limit of the queue, too.
    pub(super) fn reserve(&self, run: RunId, queue: &QueueName, limit: Option<usize>) -> Result<(), NoSlot> {
        if self.is_closed() {
            return Err(NoSlot::Leaving);
        }
        let mut reserved = lock(&self.reserved);
        let mut taken = reserved.clone();
        taken.extend(lock(&self.table).values().map(|slot| (slot.lease.run, slot.queue.clone())));
        let in_queue = taken.values().filter(|other| *other == queue).count();
        if taken.len() >= self.capacity || limit.is_some_and(|limit| in_queue >= limit) {
            return Err(NoSlot::Full);
        }
        reserved.insert(run, queue.clone());
        Ok(())
    }

    /// Whether some are set aside: those who wait for them come before what would come along.
    pub(super) fn any_reserved(&self) -> bool {
        !lock(&self.reserved).is_empty()
    }

    pub(super) fn give_up(&self, run: RunId) {
        lock(&self.reserved).remove(&run);
    }

    /// Slots are there to be filled, again if need be.
    pub(super) fn open(&self) {
        self.closed.store(false, Ordering::SeqCst);
        self.over.store(false, Ordering::SeqCst);
    }

    /// No slot is set aside any more, and none filled along with an end.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Answers whether there is time for it: a claim may be answered when there is none any more.
    pub(super) fn enter(&self, slot: &Arc<Slot>) -> bool {
        lock(&self.table).insert(slot.lease, Arc::clone(slot));
        !self.over.load(Ordering::SeqCst)
    }

    /// There is no time left for what is under way, which is the answer, nor for what comes.
    pub(super) fn end_all(&self) -> Vec<Arc<Slot>> {
        self.over.store(true, Ordering::SeqCst);
        self.all()
    }

    /// Waits until whatever is under way can go on without this process.
    pub(super) async fn only_detachable(&self) {
        while self.all().iter().any(|slot| !slot.detachable) {
            self.freed().await;
        }
    }

    /// Waits until no slot that is taken has a lease any more; for ever if none is taken.
    pub(super) async fn leases_over(&self) {
        loop {
            let Some(last) = self.all().iter().map(|slot| slot.leased_until()).max() else {
                return std::future::pending().await;
            };
            if last <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(last).await;
        }
    }

    /// Whether no lease, each good for `ttl` from its renewal, was renewed within `silence`.
    pub(super) fn unrenewed_for(&self, silence: Duration, ttl: Duration) -> bool {
        let renewed_since = Instant::now() + ttl.saturating_sub(silence);
        self.all().iter().all(|slot| slot.leased_until() < renewed_since)
    }

    /// The attempt is over; its slot is freed when the store knows.
    pub(super) fn end(&self) {
        self.ending.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn free(&self, lease: Lease) {
        lock(&self.table).remove(&lease);
        self.ending.fetch_sub(1, Ordering::Relaxed);
        self.freed.notify_one();
    }

    /// Waits while more slots are about to be freed, until there is room for most of what a claim takes. Not for all of it:
    /// of those that began together a few end apart, and would have the others wait for their company.
    pub(super) async fn gather(&self) {
        while self.room() < self.capacity * 3 / 8 && self.ending.load(Ordering::Relaxed) > 0 {
            self.freed().await;
        }
    }

    /// Says that runs are being begun, as long as the answer is kept.
    pub(super) fn beginning(&self) -> Beginning<'_> {
        self.beginning.send_replace(true);
        Beginning(&self.beginning)
    }

    /// Waits while claimed runs are being begun.
    pub(super) async fn all_begun(&self) {
        let _ = self.beginning.subscribe().wait_for(|beginning| !beginning).await;
    }

    /// Waits until a slot was freed since the last time.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    pub(super) fn room(&self) -> usize {
        self.capacity.saturating_sub(lock(&self.table).len())
    }

    pub(super) fn busy(&self) -> usize {
        lock(&self.table).len()
    }

    pub(super) fn busy_in(&self, queue: &QueueName) -> usize {
        lock(&self.table).values().filter(|slot| slot.queue == *queue).count()
    }

    pub(super) fn all(&self) -> Vec<Arc<Slot>> {
        lock(&self.table).values().cloned().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
