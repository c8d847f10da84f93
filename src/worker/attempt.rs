//! One attempt, from the claim to the outcome: begin, execute, judge, conclude.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;

use tokio::time::Instant;
use tracing::Instrument;

use super::claimer::signed;
use super::drain::Kind;
use super::outcomes::Ended;
use super::permit::{own_words, permit};
use super::reporter::SlotReporter;
use super::slot_queue::{LeasedAhead, Waiting};
use super::slots::{Slot, Why};
use super::tasks::{self, AtShutdown, Task};
use super::telemetry::Meter;
use super::{Inner, absent, telemetry, trace};
use crate::clock::later;
use crate::executor::native::panic_message;
use crate::executor::{Completion, Control, Order, Work};
use crate::run::lifecycle::{self, Outcome, Release, Retry};
use crate::run::{Jitter, Run, RunError, State, Stop, Tenure};
use crate::store::{Claimed, Finish, FinishOutcome, Lease, ReleaseLease};

/// How long a run that was leased ahead may wait for a slot.
pub(super) const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// A run that was leased ahead is shown as `running` when it has been executed for so long.
pub(super) const ANNOUNCED_AFTER: Duration = Duration::from_millis(50);

/// A claimed run, ready to be executed as soon as there is a slot for it.
pub(super) struct Ready {
    attempt: Box<Attempt>,
    control: Control,
    /// Since when it waits for its slot.
    pub(super) since: Instant,
}

/// Sees a claimed run through, whose lease is good until `until`. One that was leased ahead may have to wait for a slot.
pub(super) fn begin(inner: &Arc<Inner>, claimed: Claimed, until: Instant) {
    let run = match claimed.run.state {
        State::Leased(_) => Waiting::Ahead(Box::new(LeasedAhead { claimed, until, since: Instant::now() })),
        _ => Waiting::Running(Ready::new(inner, claimed, until, false)),
    };
    match inner.slots.queue.take_slot(run) {
        Ok(Some(run)) => start(inner, run),
        Ok(None) => {}
        Err(lease) => give_back(inner, vec![lease]),
    }
}

/// Executes the run, in a slot that it has.
fn start(inner: &Arc<Inner>, run: Waiting) {
    let Ready { attempt, control, .. } = match run {
        Waiting::Running(ready) => ready,
        Waiting::Ahead(run) => Ready::new(inner, run.claimed, run.until, true),
    };
    attempt.slot.begin();
    let span = telemetry::span(inner, &attempt.claimed.run, attempt.work.traceparent.as_deref());
    inner.attempts.spawn(Box::pin(attempt.attend(control)).instrument(span));
}

/// Gives runs back that were leased ahead and have not begun.
pub(super) fn give_back(inner: &Arc<Inner>, leases: Vec<Lease>) {
    for lease in leases {
        let owner = Arc::clone(inner);
        inner.attempts.spawn(async move {
            let release = ReleaseLease { lease, how: Release::Unbegun };
            owner.releases.store(release).await;
        });
    }
}

impl Ready {
    fn new(inner: &Arc<Inner>, mut claimed: Claimed, until: Instant, ahead: bool) -> Self {
        if let Some(execution) = claimed.run.execution().filter(|_| ahead) {
            let leased_at = execution.by.started_at;
            // As it is from now on.
            claimed.run = lifecycle::begin(claimed.run, leased_at);
        }
        let run = &claimed.run;
        let found = inner.tasks.get(&run.task);
        let is_absent = found.is_none();
        let task = found.unwrap_or_else(tasks::absent);
        let reporter = Arc::new(SlotReporter::new(inner, &claimed, &task));
        let (sender, control) = Control::new(until, Arc::clone(&reporter) as _);
        let slot = Slot::new(&claimed, &task, ahead, sender);
        reporter.watch(&slot);
        if !inner.slots.enter(&slot) {
            slot.shut_down();
        }
        let work = work_of(run);
        let meter = inner.meters.of(run);
        // In a box, because it is large and handed on several times before it runs.
        let attempt =
            Box::new(Attempt { inner: Arc::clone(inner), meter, claimed, task, work, slot, reporter, is_absent });
        Self { attempt, control, since: Instant::now() }
    }

    /// Gives the run back, which did not get a slot in time.
    pub(super) fn give_back(self, inner: &Arc<Inner>) {
        inner.attempts.spawn(async move {
            let Attempt { inner, slot, .. } = &*self.attempt;
            inner.slots.end(slot);
            self.attempt.store(Verdict::Release(Release::Unbegun)).await;
            inner.slots.free(slot);
        });
    }
}

pub(super) fn work_of(run: &Run) -> Work {
    Work {
        run: run.id,
        workspace: run.workspace.clone(),
        task: run.task.clone(),
        queue: run.queue.clone(),
        attempt: run.attempt,
        max_attempts: run.max_attempts,
        epoch: run.epoch,
        payload: run.payload.clone(),
        traceparent: trace::child_of(run.metadata.as_ref()),
        grant: None,
    }
}

struct Attempt {
    inner: Arc<Inner>,
    meter: Arc<Meter>,
    claimed: Claimed,
    task: Task,
    work: Work,
    slot: Arc<Slot>,
    reporter: Arc<SlotReporter>,
    /// This worker lacks the task.
    is_absent: bool,
}

/// What the store is to do when the execution is over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Finish(Outcome),
    Release(Release),
    /// Nothing: it is not ours any more.
    Silence,
}

impl Verdict {
    /// What went wrong, for the log.
    fn failure(&self) -> Option<RunError> {
        match self {
            Verdict::Finish(Outcome::Failed { error, .. }) => Some(error.clone()),
            Verdict::Finish(Outcome::TimedOut { .. }) => {
                Some(RunError::new("timed_out", "the attempt took longer than its time limit"))
            }
            Verdict::Finish(Outcome::Lost | Outcome::Missing { .. }) => Some(RunError::lost()),
            _ => None,
        }
    }
}

impl Attempt {
    async fn attend(self: Box<Self>, control: Control) {
        if self.is_absent {
            self.conclude(absent::verdict(&self.inner, &self.claimed)).await;
            return;
        }
        self.meter.started(&self.claimed);
        // A stop that was asked for before this worker took the run over.
        if let Some(stop) = self.claimed.run.execution().and_then(|execution| execution.stop) {
            self.slot.stop(Why::Asked(stop));
        }
        // A panic of the executor, too, ends this attempt and nothing else.
        let completion = AssertUnwindSafe(self.execute(control)).catch_unwind().await.unwrap_or_else(|cause| {
            Completion::failed("panicked", format!("the executor panicked: {}", panic_message(&*cause)))
        });
        tracing::debug!(?completion, why = ?self.slot.why(), "executed");
        let verdict = match (judge(completion, self.slot.why(), &self.task), self.stopped_by()) {
            (Verdict::Finish(Outcome::Lost), Some(stopped_by)) => Verdict::Finish(Outcome::Missing { stopped_by }),
            (verdict, _) => verdict,
        };
        if self.conclude(verdict).await {
            self.task.executor.discard(&self.work).await;
        }
    }

    /// Runs the executor beside those who may have to stop it: the time limit and the guard of the lease.
    async fn execute(&self, control: Control) -> Completion {
        let timeout = async {
            match self.time_left() {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
            self.slot.stop(Why::Timeout);
            std::future::pending().await
        };
        let guard = async {
            self.slot.guard_lease(self.inner.settings.lead(self.task.stop_grace)).await;
            std::future::pending().await
        };
        let announce = async {
            if self.slot.is_ahead() {
                tokio::time::sleep(ANNOUNCED_AFTER).await;
                self.inner.slots.announce();
            }
            std::future::pending().await
        };
        let execution = async {
            // In boxes, so that the usual way is not as large as these.
            match self.claimed.adopted {
                true => Box::pin(self.adopt(control)).await,
                false if self.claimed.run.scheduled.is_some() => Box::pin(self.start_if_permitted(control)).await,
                false => match control.order() {
                    Order::GoOn => own_words(self.task.executor.start(&self.work, control).await),
                    _ => Completion::NotBegun,
                },
            }
        };
        tokio::select! {
            // What ends at once needs no watch over it.
            biased;
            completion = execution => completion,
            // However much of its turn the execution uses up.
            never = tokio::task::unconstrained(timeout) => never,
            never = tokio::task::unconstrained(guard) => never,
            never = announce => never,
        }
    }

    async fn adopt(&self, control: Control) -> Completion {
        let mut left = control.clone();
        tokio::select! {
            () = self.reporter.catch_up() => own_words(self.task.executor.adopt(&self.work, control).await),
            () = left.left() => Completion::Left,
        }
    }

    async fn start_if_permitted(&self, control: Control) -> Completion {
        let mut orders = control.clone();
        let permitted = tokio::select! {
            permitted = permit(&*self.inner.store, &self.claimed.run, &self.work) => permitted,
            _ = orders.ordered() => Err(Completion::NotBegun),
        };
        match permitted {
            Ok(work) => own_words(self.task.executor.start(&work, control).await),
            Err(completion) => completion,
        }
    }

    /// When adopted work that goes on without its worker has stopped, wherever it may be.
    fn stopped_by(&self) -> Option<Timestamp> {
        let orphaned_at = self.claimed.orphaned_at.filter(|_| self.slot.detachable)?;
        Some(later(orphaned_at, signed(self.inner.settings.takeover_delay)))
    }

    /// How long the attempt may still take. An adopted one began earlier; the store's own times say when.
    fn time_left(&self) -> Option<Duration> {
        let run = &self.claimed.run;
        let limit = run.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into())).or(self.task.timeout)?;
        let execution = run.execution()?;
        let Tenure::Leased { until } = execution.tenure else { return Some(limit) };
        let elapsed = Duration::try_from(until.duration_since(execution.by.started_at)).unwrap_or_default();
        Some(limit.saturating_sub(elapsed.saturating_sub(self.inner.settings.lease_ttl)))
    }

    /// Gives the slot to the next run and stores how this one ended; until that is done, the lease is renewed. Answers whether the
    /// attempt is over, so that nothing of it is needed any more.
    async fn conclude(&self, verdict: Verdict) -> bool {
        let (left, kind) = (verdict == Verdict::Release(Release::ForAdoption), Kind::of(&verdict));
        let failure = verdict.failure();
        let took = self.slot.ran();
        self.meter.timed(took);
        self.inner.ahead.count_end();
        let at_once = self.inner.slots.end(&self.slot);
        if at_once {
            self.release_slot();
        }
        let answer = self.store(verdict).await;
        self.inner.slots.free(&self.slot);
        if !at_once {
            self.release_slot();
        }
        self.inner.ended.ring(self.slot.lease.run);
        match answer {
            Some(FinishOutcome::Accepted(status)) => {
                match failure {
                    Some(RunError { code, message, .. }) => {
                        tracing::warn!(%status, code, error = message, "the attempt failed")
                    }
                    None if left => tracing::info!(%status, "left running for adoption"),
                    None => tracing::info!(%status, "finished"),
                }
                self.meter.finished(&self.claimed.run, status, took);
                self.inner.tally.count(kind);
                !left
            }
            _ => {
                tracing::warn!("the lease was lost; the outcome of the attempt is discarded");
                self.meter.lost();
                self.inner.tally.count(Kind::Lost);
                false
            }
        }
    }

    fn release_slot(&self) {
        if let Some(next) = self.inner.slots.release_slot() {
            start(&self.inner, next);
        }
    }

    async fn store(&self, verdict: Verdict) -> Option<FinishOutcome> {
        let lease = self.slot.lease;
        let finish = |outcome| Ended {
            finish: Finish { jitter: Jitter(fastrand::u32(..)), ..Finish::of(lease, outcome) },
            slot: Arc::clone(&self.slot),
        };
        match verdict {
            Verdict::Finish(outcome) => match self.inner.finishes.store(finish(outcome)).await {
                None => {
                    let error = RunError::new("outcome_refused", "the database refused to store the outcome");
                    self.inner.finishes.store(finish(Outcome::Failed { error, retry: Retry::Never })).await
                }
                answer => answer,
            },
            Verdict::Release(how) => self.inner.releases.store(ReleaseLease { lease, how }).await,
            Verdict::Silence => None,
        }
    }
}

/// What the end of an execution means for its attempt.
fn judge(completion: Completion, why: Option<Why>, task: &Task) -> Verdict {
    let interrupted = match task.at_shutdown {
        AtShutdown::Requeue => Release::ToQueue,
        AtShutdown::Pause => Release::ToPaused,
    };
    match (completion, why) {
        (Completion::Left, None | Some(Why::LeaseLost)) => Verdict::Silence,
        // Whoever adopts it will find the same reason to stop it.
        (Completion::Left, Some(_)) => Verdict::Release(Release::ForAdoption),
        // Whether it was stopped for it or ended just then: too much is too much.
        (_, Some(Why::UsageLimit { unit, limit })) => Verdict::Finish(Outcome::Failed {
            error: RunError::new("usage_limit", format!("the attempt used more than its limit of {limit} {unit}")),
            retry: Retry::Never,
        }),
        (Completion::Succeeded { output }, _) => Verdict::Finish(Outcome::Succeeded { output }),
        (Completion::Failed { error, retry }, _) => Verdict::Finish(Outcome::Failed { error, retry }),
        (_, Some(Why::LeaseLost)) => Verdict::Silence,
        (Completion::NotFound, _) => Verdict::Finish(Outcome::Lost),
        (Completion::Stopped | Completion::NotBegun, Some(Why::Asked(Stop::Cancel))) => {
            Verdict::Finish(Outcome::Cancelled)
        }
        (Completion::Stopped | Completion::NotBegun, Some(Why::Asked(Stop::Pause))) => Verdict::Finish(Outcome::Paused),
        (Completion::Stopped | Completion::NotBegun, Some(Why::Timeout)) => {
            let limit_seconds = task.timeout.and_then(|limit| u32::try_from(limit.as_secs()).ok());
            Verdict::Finish(Outcome::TimedOut { limit_seconds })
        }
        // Stopped by the guard of the lease, which was then renewed after all, is no fault of the work either.
        (Completion::Stopped, Some(Why::Shutdown) | None) => Verdict::Release(interrupted),
        (Completion::NotBegun, Some(Why::Shutdown) | None) => Verdict::Release(Release::Unbegun),
    }
}
