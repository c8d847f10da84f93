//! The attempts under way in this worker.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::Task;
use super::slot_queue::{Released, SlotQueue, Waiting};
use crate::actions::NoSlot;
use crate::executor::{ControlSender, Order};
use crate::run::{QueueName, RunId, Stop};
use crate::store::{Claimed, Lease, Renewal};

/// So many outcomes beyond one for each slot may wait to be stored before slots wait for them.
const MOST_UNSTORED: usize = 1000;

/// One attempt under way.
pub(super) struct Slot {
    pub(super) lease: Lease,
    pub(super) queue: QueueName,
    pub(super) detachable: bool,
    pub(super) stop_grace: Duration,
    sender: ControlSender,
    why: Mutex<Option<Why>>,
    /// Whether the run was leased ahead of its start, and the store does not know yet that it has begun.
    ahead: AtomicBool,
    began: OnceLock<Instant>,
    /// Whether its work has ended while the store showed it as `queued`.
    ended_ahead: AtomicBool,
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
    pub(super) fn new(claimed: &Claimed, task: &Task, leased_ahead: bool, sender: ControlSender) -> Arc<Self> {
        Arc::new(Self {
            lease: claimed.lease(),
            queue: claimed.run.queue.clone(),
            detachable: task.executor.is_detachable(),
            stop_grace: task.stop_grace,
            sender,
            why: Mutex::default(),
            ahead: AtomicBool::new(leased_ahead),
            began: OnceLock::new(),
            ended_ahead: AtomicBool::new(false),
        })
    }

    /// The work begins.
    pub(super) fn begin(&self) {
        let _ = self.began.set(Instant::now());
    }

    /// How long ago the work began.
    pub(super) fn ran(&self) -> Duration {
        self.began.get().map(Instant::elapsed).unwrap_or_default()
    }

    /// Whether the store shows the run as `queued`, not as `running`.
    pub(super) fn is_ahead(&self) -> bool {
        self.ahead.load(Ordering::Relaxed)
    }

    fn has_begun(&self) -> bool {
        self.began.get().is_some()
    }

    fn has_ended_ahead(&self) -> bool {
        self.ended_ahead.load(Ordering::Relaxed)
    }

    /// How long ago the work began, if the store is to be told so.
    pub(super) fn unannounced(&self) -> Option<Duration> {
        (self.is_ahead() && self.has_begun() && !self.has_ended_ahead()).then(|| self.ran())
    }

    /// The store shows the run as `running`.
    pub(super) fn is_shown(&self) {
        self.ahead.store(false, Ordering::Relaxed);
    }

    /// Tells the work to stop. The first reason counts, except that a shutdown or a pause gives way to any other.
    pub(super) fn stop(&self, why: Why) {
        let mut current = lock(&self.why);
        let weak = matches!(*current, None | Some(Why::Shutdown | Why::Asked(Stop::Pause)));
        if weak && why != Why::Shutdown || current.is_none() {
            *current = Some(why);
        }
        drop(current);
        self.sender.order(Order::Stop { grace: self.stop_grace });
    }

    /// The worker is leaving: what can go on without it is left to others.
    pub(super) fn shut_down(&self) {
        if self.detachable { self.leave(Why::Shutdown) } else { self.stop(Why::Shutdown) }
    }

    /// Has nothing more to do with the work.
    pub(super) fn leave(&self, why: Why) {
        lock(&self.why).get_or_insert(why);
        self.sender.order(Order::Leave);
    }

    /// The lease is gone, whatever else was the matter.
    pub(super) fn lose(&self) {
        *lock(&self.why) = Some(Why::LeaseLost);
        self.sender.order(Order::Leave);
    }

    fn leased_until(&self) -> Instant {
        self.sender.leased_until()
    }

    pub(super) fn why(&self) -> Option<Why> {
        lock(&self.why).clone()
    }

    /// Takes in what a renewal, for a lease then good until `until`, was answered with.
    pub(super) fn renewed(&self, renewal: Renewal, until: Instant) {
        match renewal {
            Renewal::Renewed { stop } => {
                self.sender.extend(until);
                if let Some(stop) = stop {
                    self.stop(Why::Asked(stop));
                }
            }
            Renewal::LeaseLost => self.lose(),
            // There is time for another try: a lease lasts at least three heartbeats.
            Renewal::Busy => tracing::debug!(run = %self.lease.run, "the run is locked; its lease is renewed later"),
        }
    }

    /// Watches over the lease: if nobody extends it, the work is stopped `lead` before it can have run out, and left
    /// alone when it can. What runs on by itself watches its own lease, in the same way.
    pub(super) async fn guard_lease(&self, lead: Duration) {
        loop {
            let until = self.sender.leased_until();
            if !self.detachable {
                tokio::time::sleep_until(until - lead).await;
                if self.sender.leased_until() > until {
                    continue;
                }
                self.sender.order(Order::Stop { grace: lead });
            }
            tokio::time::sleep_until(until).await;
            if self.sender.leased_until() == until {
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
    pub(super) queue: SlotQueue,
    /// Every lease that has to be renewed: of runs that are executed, and whose outcome is not stored yet.
    table: Mutex<HashMap<Lease, Arc<Slot>>>,
    /// How many leases of the table are of runs whose work has ended before the store showed them as `running`.
    ended_ahead: AtomicUsize,
    /// When no more than so many wait, the claimer is woken up.
    low: AtomicUsize,
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
    /// Rung when a run that was leased ahead has been executed for long enough to be shown as `running`.
    announced: Notify,
}

impl Slots {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            queue: SlotQueue::new(capacity),
            table: Mutex::default(),
            ended_ahead: AtomicUsize::new(0),
            low: AtomicUsize::new(0),
            reserved: Mutex::default(),
            ending: AtomicUsize::new(0),
            beginning: watch::Sender::new(false),
            closed: AtomicBool::new(false),
            over: AtomicBool::new(false),
            freed: Notify::new(),
            announced: Notify::new(),
        }
    }

    /// Sets a slot aside, if there is one that is neither busy nor set aside, within the limit of the queue, too.
    pub(super) fn reserve(&self, run: RunId, queue: &QueueName, limit: Option<usize>) -> Result<(), NoSlot> {
        if self.is_closed() {
            return Err(NoSlot::Leaving);
        }
        let mut reserved = lock(&self.reserved);
        let mut taken = reserved.clone();
        let busy = |slot: &&Arc<Slot>| !slot.has_ended_ahead();
        taken.extend(lock(&self.table).values().filter(busy).map(|slot| (slot.lease.run, slot.queue.clone())));
        let in_queue = taken.values().filter(|other| *other == queue).count();
        if taken.len() >= self.capacity || limit.is_some_and(|limit| in_queue >= limit) {
            return Err(NoSlot::Full);
        }
        reserved.insert(run, queue.clone());
        Ok(())
    }

    /// Whether some are reserved: those come before what a piggybacked claim would get.
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
        self.queue.open();
    }

    /// Refuses reservations and claims from now on. Answers with the runs that were leased ahead and have to be given back.
    pub(super) fn close(&self) -> Vec<Lease> {
        self.closed.store(true, Ordering::SeqCst);
        self.queue.close()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Answers whether there is time for it: a claim may be answered when there is none any more.
    pub(super) fn enter(&self, slot: &Arc<Slot>) -> bool {
        lock(&self.table).insert(slot.lease, Arc::clone(slot));
        !self.over.load(Ordering::SeqCst)
    }

    /// Has the claimer look for more.
    pub(super) fn wake_claimer(&self) {
        self.freed.notify_one();
    }

    /// Wakes the claimer up when no more than so many wait that were leased ahead.
    pub(super) fn wake_at(&self, low: usize) {
        self.low.store(low, Ordering::Relaxed);
    }

    /// The runs that were leased ahead, have been executed for `long` and can be shown as `running`: never more than there are
    /// slots.
    pub(super) fn to_announce(&self, long: Duration) -> Vec<Arc<Slot>> {
        let table = lock(&self.table);
        let shown = table.values().filter(|slot| !slot.is_ahead()).count();
        let begun = table.values().filter(|slot| slot.unannounced().is_some_and(|ran| ran >= long));
        begun.take(self.capacity.saturating_sub(shown)).cloned().collect()
    }

    /// Has whoever renews leases say that a run has begun.
    pub(super) fn announce(&self) {
        self.announced.notify_one();
    }

    pub(super) async fn announced(&self) {
        self.announced.notified().await;
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

    /// The attempt is over. Answers whether its slot is free before the outcome is stored, since not too many outcomes wait for that.
    pub(super) fn end(&self, slot: &Slot) -> bool {
        let unstored = self.ending.fetch_add(1, Ordering::Relaxed);
        if slot.is_ahead() {
            slot.ended_ahead.store(true, Ordering::Relaxed);
            self.ended_ahead.fetch_add(1, Ordering::Relaxed);
        }
        unstored < self.capacity + MOST_UNSTORED
    }

    /// Assigns the slot of an attempt that is over to a run that waits for one, which is the answer.
    pub(super) fn release_slot(&self) -> Option<Waiting> {
        let Released { next, left } = self.queue.release_slot();
        let was_ahead = matches!(next, Some(Waiting::Ahead(_)));
        if was_ahead && left == self.low.load(Ordering::Relaxed) || next.is_none() {
            self.freed.notify_one();
        }
        next
    }

    /// The store knows what came of the attempt.
    pub(super) fn free(&self, slot: &Slot) {
        let left = {
            let mut table = lock(&self.table);
            table.remove(&slot.lease);
            table.len()
        };
        self.ending.fetch_sub(1, Ordering::Relaxed);
        if slot.has_ended_ahead() {
            self.ended_ahead.fetch_sub(1, Ordering::Relaxed);
            // Its slot was free before; only who waits for all of them need know.
            if left > 0 && !self.is_closed() {
                return;
            }
        }
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

    /// How many runs could begin at once, and be shown as `running`. What was leased ahead and whose outcome is not stored yet
    /// needs neither a slot nor is it shown.
    pub(super) fn room(&self) -> usize {
        self.capacity.saturating_sub(self.taken())
    }

    /// How many could begin once the outcomes of `ending` attempts are stored, of those that they free.
    pub(super) fn room_after(&self, ending: usize) -> usize {
        self.capacity.saturating_sub(self.taken().saturating_sub(ending)).min(ending)
    }

    fn taken(&self) -> usize {
        self.busy() + self.queue.leased_ahead()
    }

    /// How many leases are held.
    pub(super) fn held(&self) -> usize {
        lock(&self.table).len()
    }

    /// How many slots are busy.
    pub(super) fn busy(&self) -> usize {
        self.held().saturating_sub(self.ended_ahead.load(Ordering::Relaxed))
    }

    pub(super) fn busy_in(&self, queue: &QueueName) -> usize {
        lock(&self.table).values().filter(|slot| slot.queue == *queue).count()
    }

    /// Every lease that the worker knows of.
    pub(super) fn leases(&self) -> Vec<Lease> {
        let mut leases = self.queue.leases_ahead();
        leases.extend(lock(&self.table).values().map(|slot| slot.lease));
        leases
    }

    pub(super) fn all(&self) -> Vec<Arc<Slot>> {
        lock(&self.table).values().cloned().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
