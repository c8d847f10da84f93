//! Fills the free slots: one claim at a time, when there is room and something may be waiting. Where more is waiting than there are
//! slots, most are filled along with the ends that free them (`store_desks.rs`), or from what was leased ahead (`ahead.rs`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ahead::Asked;
use super::{Inner, Served, attempt};
use crate::run::{QueueName, WorkspaceName};
use crate::store::{Ahead, Claim, ClaimRequest, Reach, Result};

/// The first wait after a look at an empty queue; it doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// So many slots are worth filling by halves.
const MANY: usize = 64;

/// How long slots that are being freed may gather before a claim.
const GATHERING: Duration = Duration::from_millis(20);

/// How long a claim under way is waited for when the worker is told to stop.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Claims and starts attempts until told to stop.
pub(super) async fn claim_until(inner: Arc<Inner>, stop: CancellationToken) {
    let mut claimer = Claimer { told: false, wait: FIRST_WAIT, inner };
    let mut ready = claimer.inner.store.ready_signal();
    while !stop.is_cancelled() {
        // Seen before the look: what becomes ready during it leads to another.
        ready.take();
        let was_short = claimer.is_short();
        let found = tokio::select! {
            found = claimer.fill() => found,
            // A claim that hangs is not waited for when leaving; what it may have got is found by its lease.
            () = async { stop.cancelled().await; tokio::time::sleep(LAST_WAIT).await } => return,
        };
        // Looked at once: a slot that is freed between two looks would leave nothing to be waited for.
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
                if claimer.inner.slots.line.waiting() == 0 {
                    claimer.let_room_gather().await;
                }
            }
            () = ready.changed(), if !full => {
                (claimer.told, claimer.wait) = (true, FIRST_WAIT);
            }
            () = tokio::time::sleep(wait), if !full => {}
        }
    }
}

/// What claims say about those to come.
#[derive(Default)]
pub(super) struct Outlook {
    last_turn: Mutex<Option<WorkspaceName>>,
    /// Whether the last claim got all that it asked for, so that more may be waiting.
    more: AtomicBool,
}

impl Outlook {
    fn last_turn(&self) -> MutexGuard<'_, Option<WorkspaceName>> {
        self.last_turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether more is probably waiting.
    fn is_more(&self) -> bool {
        self.more.load(Ordering::Relaxed)
    }
}

/// What there was to claim, as far as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// There was no room to ask for anything.
    Nothing,
    /// Less than was asked for.
    Less,
    /// All that was asked for, so that there may be more.
    More,
}

struct Claimer {
    inner: Arc<Inner>,
    /// Whether it was just told that something is ready.
    told: bool,
    wait: Duration,
}

impl Claimer {
    /// Claims what there is room for.
    async fn fill(&mut self) -> Found {
        let mut found = Found::Nothing;
        for (queues, capacity) in self.shares() {
            let known = if std::mem::take(&mut self.told) { self.claim_known(&queues, capacity).await } else { 0 };
            found = found.max(match self.claim(queues, capacity - known).await {
                // By now there is no room.
                Ok((0, _)) if known == 0 => Found::Nothing,
                Ok((asked, taken)) => {
                    if taken > 0 {
                        self.wait = FIRST_WAIT;
                    }
                    if taken == asked { Found::More } else { Found::Less }
                }
                Err(error) => {
                    tracing::warn!(error = error.in_full(), "cannot claim; retrying");
                    Found::Less
                }
            });
        }
        if found != Found::Nothing {
            self.inner.outlook.more.store(found == Found::More, Ordering::Relaxed);
        }
        self.claim_ahead().await;
        found
    }

    /// Leases runs ahead, if the ends of attempts did not bring enough of them along. A look everywhere only if it must be.
    async fn claim_ahead(&self) {
        let Some((asked, ahead)) = ask_ahead(&self.inner) else { return };
        let mut got = 0;
        for reach in [Reach::Known, Reach::All] {
            let (request, until) = request(&self.inner, served(&self.inner), asked.runs - got);
            let request = ClaimRequest { reach, ahead: Some(ahead.clone()), ..request };
            match self.inner.store.claim(&request).await {
                Ok(claim) => got += take(&self.inner, claim, until),
                Err(error) => tracing::debug!(error = error.in_full(), "cannot claim ahead"),
            }
            if got == asked.runs {
                break;
            }
        }
        asked.answered(got);
    }

    /// Where attempts end by the hundred, one slot that is free is soon followed by more: a claim for all of them costs
    /// little more than a claim for one.
    async fn let_room_gather(&self) {
        let _ = tokio::time::timeout(GATHERING, self.inner.slots.gather()).await;
    }

    /// Which queues to ask for together, and how many runs of them there is room for. A queue with a limit of its own
    /// is asked for apart.
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
        Ok((request.capacity, take(&self.inner, claim, until)))
    }

    /// A first claim, of what needs no look around: that is on its way sooner. Should it fail, the next one will say why.
    async fn claim_known(&mut self, queues: &[QueueName], capacity: usize) -> usize {
        let Some((request, until)) = self.request(queues.to_vec(), capacity) else { return 0 };
        match self.inner.store.claim(&ClaimRequest { reach: Reach::Known, ..request }).await {
            Ok(claim) => {
                let taken = take(&self.inner, claim, until);
                // First what was claimed, then the look around.
                tokio::task::yield_now().await;
                taken
            }
            Err(_) => 0,
        }
    }

    /// What to ask for, and until when it is ours if it is granted.
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

/// What is asked for along with the end of attempts.
pub(super) struct Next {
    pub(super) request: ClaimRequest,
    until: Instant,
    asked: Option<Asked>,
}

impl Next {
    /// Starts what was granted, or has it wait for a slot.
    pub(super) fn answered(self, inner: &Arc<Inner>, claim: Claim) {
        let got = take(inner, claim, self.until);
        if self.asked.is_some_and(|asked| asked.answered_along(got)) {
            inner.slots.wake_claimer();
        }
    }
}

/// What to ask for along with the end of so many attempts that are shown as `running`: runs ahead, where the work is short and
/// more is waiting; otherwise what the slots that become free can be filled with.
pub(super) fn next_along(inner: &Inner, ending: usize) -> Next {
    let more = inner.outlook.is_more();
    if more && let Some((asked, ahead)) = ask_ahead(inner) {
        let (request, until) = request(inner, served(inner), asked.runs);
        let request = ClaimRequest { reach: Reach::Known, ahead: Some(ahead), ..request };
        return Next { request, until, asked: Some(asked) };
    }
    let (request, until) = request(inner, served(inner), inner.slots.room_after(ending));
    let reach = if more { Reach::Known } else { Reach::Lanes };
    Next { request: ClaimRequest { reach, ..request }, until, asked: None }
}

fn ask_ahead(inner: &Inner) -> Option<(Asked, Ahead)> {
    if !inner.outlook.is_more() || !inner.takes_over() {
        return None;
    }
    let short =
        inner.meters.short_tasks(|task| inner.tasks.get(task).is_some_and(|task| !task.executor.is_detachable()));
    if short.is_empty() {
        return None;
    }
    let asked = inner.ahead.ask(inner.slots.line.waiting())?;
    inner.slots.wake_at(inner.ahead.low());
    Some((asked, inner.ahead.request(short)))
}

fn served(inner: &Inner) -> Vec<QueueName> {
    inner.settings.queues.iter().map(|served| served.queue.clone()).collect()
}

/// A claim for so many runs, and until when they are ours if it is granted: reckoned from before the call, since the store
/// counts the lease from a later moment.
fn request(inner: &Inner, queues: Vec<QueueName>, capacity: usize) -> (ClaimRequest, Instant) {
    let settings = &inner.settings;
    let request = ClaimRequest {
        taker: inner.taker(),
        queues,
        tasks: Some(inner.tasks.shared_names()),
        capacity,
        lease_ttl: signed(settings.lease_ttl),
        takeover_delay: signed(settings.takeover_delay),
        last_turn: inner.outlook.last_turn().clone(),
        reach: Reach::All,
        ahead: None,
    };
    (request, Instant::now() + settings.lease_ttl)
}

/// Starts what was granted together; answers how much that was.
fn take(inner: &Arc<Inner>, Claim { runs, last_turn }: Claim, until: Instant) -> usize {
    if last_turn.is_some() {
        *inner.outlook.last_turn() = last_turn;
    }
    let (taken, _beginning) = (runs.len(), inner.slots.beginning());
    for claimed in runs {
        attempt::begin(inner, claimed, until);
    }
    taken
}

/// Of many slots no more than half: while what came of one half is being stored, the other is claimed.
fn most_at_once(slots: usize) -> usize {
    if slots < MANY { slots } else { slots.div_ceil(2) }
}

pub(super) fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
