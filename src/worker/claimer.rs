//! Claims runs for free slots: one call at a time, when there are free slots and runs may be ready. In a backlog, most runs are
//! claimed in the transaction that stores outcomes (`outcomes.rs`), or leased ahead (`ahead.rs`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::{Notify, RwLock, RwLockReadGuard};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::ahead::Asked;
use super::{Inner, Served, attempt};
use crate::run::{QueueName, WorkspaceName};
use crate::store::{Ahead, Claim, ClaimRequest, ClaimScope, Result, StoreError};

/// The first poll interval after an empty claim; it doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// With so many slots, a claim fills half of them at a time.
const MANY: usize = 64;

/// How long a claim waits for more slots to become free.
const GATHERING: Duration = Duration::from_millis(20);

/// How long other claims are waited for before what an unanswered one got is given back; else that is tried again.
const ALONE_WITHIN: Duration = Duration::from_secs(1);

/// Far longer than it takes to start a run that was leased ahead.
const ON_ITS_WAY: Duration = Duration::from_millis(50);

/// How long a claim under way is waited for when the worker is told to stop.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Claims and starts attempts until told to stop.
pub(super) async fn claim_until(inner: Arc<Inner>, stop: CancellationToken) {
    let mut claimer = Claimer { notified: false, wait: FIRST_WAIT, inner };
    let mut ready = claimer.inner.store.ready_signal();
    while !stop.is_cancelled() {
        // Cleared before the claim: a notification during it leads to another claim.
        ready.take();
        let was_short = claimer.is_short();
        let found = tokio::select! {
            found = claimer.fill() => found,
            // A claim that hangs is not waited for when leaving; what it may have got is found by its lease.
            () = async { stop.cancelled().await; tokio::time::sleep(LAST_WAIT).await } => return,
        };
        // Read once: if a slot were freed between two reads, no wake-up would come.
        let full = claimer.inner.slots.room() == 0;
        if found == Found::More && !full {
            claimer.let_room_gather().await;
            continue;
        }
        let short = full || was_short || found == Found::Nothing || claimer.is_short();
        let wait = claimer.next_wait(found);
        tokio::select! {
            () = stop.cancelled() => return,
            () = claimer.inner.slots.freed(), if short => {
                if claimer.inner.slots.queue.leased_ahead() == 0 {
                    claimer.let_room_gather().await;
                }
            }
            () = ready.changed(), if !full => {
                (claimer.notified, claimer.wait) = (true, FIRST_WAIT);
            }
            () = claimer.inner.backlog.lost_answer.notified() => {}
            () = tokio::time::sleep(wait), if !full => {}
        }
    }
}

/// What the last claims tell about the backlog.
#[derive(Default)]
pub(super) struct Backlog {
    last_turn: Mutex<Option<WorkspaceName>>,
    /// Whether the last claim got all that it asked for, so that more may be waiting.
    more: AtomicBool,
    /// Whether a claim was not answered, so that the worker may hold leases that it does not know of.
    unanswered: AtomicBool,
    /// Notified when that happens.
    lost_answer: Notify,
    /// Held, shared, by whoever claims, until what it got is in the table of slots.
    claiming: RwLock<()>,
}

impl Backlog {
    fn last_turn(&self) -> MutexGuard<'_, Option<WorkspaceName>> {
        self.last_turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be held by whoever claims with outcomes until the answer is in.
    pub(super) async fn claiming(&self) -> RwLockReadGuard<'_, ()> {
        self.claiming.read().await
    }

    /// Notes whether the claim may have got what it does not know of.
    pub(super) fn failed(&self, error: &StoreError) {
        if matches!(error, StoreError::Ambiguous(_)) {
            self.unanswered.store(true, Ordering::SeqCst);
            self.lost_answer.notify_one();
        }
    }

    /// Whether more runs are probably ready.
    fn is_more(&self) -> bool {
        self.more.load(Ordering::Relaxed)
    }
}

/// What there was to claim, as far as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// No slot was free, so nothing was asked for.
    Nothing,
    /// Less than was asked for.
    Less,
    /// All that was asked for, so that there may be more.
    More,
}

struct Claimer {
    inner: Arc<Inner>,
    /// Whether a notification has just come that something is ready.
    notified: bool,
    wait: Duration,
}

impl Claimer {
    /// Claims as many runs as there are free slots.
    async fn fill(&mut self) -> Found {
        if self.inner.backlog.unanswered.load(Ordering::SeqCst) {
            self.give_back_unknown().await;
        }
        let mut found = Found::Nothing;
        for (queues, capacity) in self.shares() {
            let known = if std::mem::take(&mut self.notified) { self.claim_known(&queues, capacity).await } else { 0 };
            found = found.max(match self.claim(queues, capacity - known).await {
                // The slots were taken meanwhile.
                Ok((0, _)) if known == 0 => Found::Nothing,
                Ok((asked, taken)) => {
                    if taken > 0 {
                        self.wait = FIRST_WAIT;
                    }
                    if taken == asked { Found::More } else { Found::Less }
                }
                Err(error) => {
                    self.inner.backlog.failed(&error);
                    tracing::warn!(error = error.in_full(), "cannot claim; retrying");
                    Found::Less
                }
            });
        }
        if found != Found::Nothing {
            self.inner.backlog.more.store(found == Found::More, Ordering::Relaxed);
        }
        self.claim_ahead().await;
        found
    }

    /// Gives back what a claim without an answer got, while no other claim is under way.
    async fn give_back_unknown(&self) {
        let backlog = &self.inner.backlog;
        let Ok(_alone) = timeout(ALONE_WITHIN, backlog.claiming.write()).await else {
            backlog.lost_answer.notify_one();
            return;
        };
        // Twice, since one that was leased ahead may be on its way from the queue to a slot, and then is in neither.
        let mut known = self.inner.slots.leases();
        tokio::time::sleep(ON_ITS_WAY).await;
        known.extend(self.inner.slots.leases());
        let (request, _) = request(&self.inner, served(&self.inner), 0);
        match self.inner.store.claim(&ClaimRequest { known_leases: Some(known.into()), ..request }).await {
            Ok(_) => backlog.unanswered.store(false, Ordering::SeqCst),
            Err(error) => tracing::debug!(error = error.in_full(), "cannot give back what an unanswered claim got"),
        }
    }

    /// Leases runs ahead, if those that were claimed with outcomes are not enough. Scans only if the known streams have too few.
    async fn claim_ahead(&self) {
        let Some((asked, ahead)) = ask_ahead(&self.inner) else { return };
        let mut got = 0;
        for scope in [ClaimScope::KnownStreams, ClaimScope::Everything] {
            let (request, until) = request(&self.inner, served(&self.inner), asked.runs - got);
            let request = ClaimRequest { scope, ahead: Some(ahead.clone()), ..request };
            match self.inner.store.claim(&request).await {
                Ok(claim) => got += start(&self.inner, claim, until),
                Err(error) => {
                    self.inner.backlog.failed(&error);
                    tracing::debug!(error = error.in_full(), "cannot claim ahead");
                }
            }
            if got == asked.runs {
                break;
            }
        }
        asked.answered(got);
    }

    /// Where attempts end by the hundred, more slots become free within moments: one claim for all of them costs little more than a
    /// claim for one.
    async fn let_room_gather(&self) {
        let _ = tokio::time::timeout(GATHERING, self.inner.slots.gather()).await;
    }

    /// Which queues one claim asks for, and how many runs of them. A queue with a limit of its own has a claim of its own.
    fn shares(&self) -> Vec<(Vec<QueueName>, usize)> {
        if !self.inner.has_tasks() {
            return Vec::new();
        }
        let (slots, served) = (&self.inner.slots, &self.inner.settings.queues);
        let room = slots.room().min(most_at_once(self.inner.settings.concurrency));
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

    /// Answers how many it asked for, which is what there is room for, and how many it got.
    async fn claim(&mut self, queues: Vec<QueueName>, capacity: usize) -> Result<(usize, usize)> {
        let Some((request, until)) = self.request(queues, capacity) else { return Ok((0, 0)) };
        let claim = self.inner.store.claim(&request).await?;
        Ok((request.capacity, start(&self.inner, claim, until)))
    }

    /// A first claim, only from the streams that this process knows: it needs no scan, so runs start sooner. Should it fail, the
    /// next claim reports why.
    async fn claim_known(&mut self, queues: &[QueueName], capacity: usize) -> usize {
        let Some((request, until)) = self.request(queues.to_vec(), capacity) else { return 0 };
        match self.inner.store.claim(&ClaimRequest { scope: ClaimScope::KnownStreams, ..request }).await {
            Ok(claim) => {
                let taken = start(&self.inner, claim, until);
                // What was claimed starts before the scan.
                tokio::task::yield_now().await;
                taken
            }
            Err(error) => {
                self.inner.backlog.failed(&error);
                0
            }
        }
    }

    /// The request, and until when the leases last if it is granted.
    fn request(&self, queues: Vec<QueueName>, capacity: usize) -> Option<(ClaimRequest, Instant)> {
        let capacity = capacity.min(self.inner.slots.room());
        (capacity > 0).then(|| request(&self.inner, queues, capacity))
    }

    /// Longer each time that there was little, and never the same for two workers.
    fn next_wait(&mut self, found: Found) -> Duration {
        let wait = self.wait;
        if found == Found::Less {
            self.wait = (wait * 2).min(self.inner.settings.poll);
        }
        wait.min(self.inner.settings.poll).mul_f64(0.75 + fastrand::f64() / 2.0)
    }
}

/// The claim that goes into the transaction that stores outcomes.
pub(super) struct Next {
    pub(super) request: ClaimRequest,
    until: Instant,
    asked: Option<Asked>,
}

impl Next {
    /// Starts the runs, or queues them for a slot.
    pub(super) fn answered(self, inner: &Arc<Inner>, claim: Claim) {
        let got = start(inner, claim, self.until);
        if self.asked.is_some_and(|asked| asked.answered_piggybacked(got)) {
            inner.slots.wake_claimer();
        }
    }
}

/// The claim to piggyback on the outcomes of `ending` attempts that are shown as `running`: runs leased ahead, where handlers are
/// short and there is a backlog; otherwise a run for each slot that becomes free.
pub(super) fn piggybacked_claim(inner: &Inner, ending: usize) -> Next {
    let more = inner.backlog.is_more();
    if more && let Some((asked, ahead)) = ask_ahead(inner) {
        let (request, until) = request(inner, served(inner), asked.runs);
        let request = ClaimRequest { scope: ClaimScope::KnownStreams, ahead: Some(ahead), ..request };
        return Next { request, until, asked: Some(asked) };
    }
    let (request, until) = request(inner, served(inner), inner.slots.room_after(ending));
    let scope = if more { ClaimScope::KnownStreams } else { ClaimScope::FreedLanes };
    Next { request: ClaimRequest { scope, ..request }, until, asked: None }
}

fn ask_ahead(inner: &Inner) -> Option<(Asked, Ahead)> {
    if !inner.backlog.is_more() || !inner.takes_over() {
        return None;
    }
    let short =
        inner.meters.short_tasks(|task| inner.tasks.get(task).is_some_and(|task| !task.executor.is_detachable()));
    if short.is_empty() {
        return None;
    }
    let asked = inner.ahead.ask(inner.slots.queue.leased_ahead())?;
    inner.slots.wake_at(inner.ahead.low());
    Some((asked, inner.ahead.request(short)))
}

fn served(inner: &Inner) -> Vec<QueueName> {
    inner.settings.queues.iter().map(|served| served.queue.clone()).collect()
}

/// A claim for so many runs, and until when the leases last: counted from before the call, since the store counts from a later
/// moment.
fn request(inner: &Inner, queues: Vec<QueueName>, capacity: usize) -> (ClaimRequest, Instant) {
    let settings = &inner.settings;
    let request = ClaimRequest {
        taker: inner.taker(),
        queues,
        tasks: Some(inner.tasks.shared_names()),
        capacity,
        lease_ttl: signed(settings.lease_ttl),
        takeover_delay: signed(settings.takeover_delay),
        last_turn: inner.backlog.last_turn().clone(),
        scope: ClaimScope::Everything,
        ahead: None,
        known_leases: None,
    };
    (request, Instant::now() + settings.lease_ttl)
}

/// Starts the claimed runs, or queues them; answers how many they are.
fn start(inner: &Arc<Inner>, Claim { runs, last_turn }: Claim, until: Instant) -> usize {
    if last_turn.is_some() {
        *inner.backlog.last_turn() = last_turn;
    }
    let (taken, _beginning) = (runs.len(), inner.slots.beginning());
    for claimed in runs {
        attempt::begin(inner, claimed, until);
    }
    taken
}

/// Half of the slots, if they are many: the outcomes of one half are stored while the other half is claimed.
fn most_at_once(slots: usize) -> usize {
    if slots < MANY { slots } else { slots.div_ceil(2) }
}

pub(super) fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
