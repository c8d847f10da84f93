//! What a worker shows of itself: metrics and one span for each attempt.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use metrics::{
    Counter, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use tracing::Span;

use super::{Inner, trace};
use crate::run::{QueueName, Run, Status, TaskName};
use crate::store::Claimed;

/// Tells the recorder in use what the metrics mean.
pub fn describe() {
    describe_counter!("runlane_submitted_total", "Submissions, by task, queue and outcome");
    describe_counter!("runlane_started_total", "Attempts started, without adopted ones, by task and queue");
    describe_counter!("runlane_adopted_total", "Attempts adopted, by task and queue");
    describe_counter!(
        "runlane_finished_total",
        "Attempts whose outcome was stored, by task, queue and resulting status of the run"
    );
    describe_counter!("runlane_retries_total", "Attempts after the first, by task and queue");
    describe_counter!("runlane_leases_lost_total", "Attempts whose lease was lost before their outcome was stored");
    describe_histogram!("runlane_wait_seconds", Unit::Seconds, "From when a run was ready to its first start");
    describe_histogram!("runlane_duration_seconds", Unit::Seconds, "Duration of attempts in this worker");
    describe_histogram!("runlane_attempts", "Number of attempts of finished runs");
    describe_gauge!("runlane_slots", "Slots of this worker");
    describe_gauge!("runlane_slots_busy", "Busy slots of this worker");
}

/// The span of an attempt.
pub(super) fn span(inner: &Inner, run: &Run, traceparent: Option<&str>) -> Span {
    tracing::info_span!(
        "attempt",
        run = %run.id,
        task = %run.task,
        attempt = run.attempt,
        epoch = run.epoch,
        worker = %inner.id,
        trace_id = traceparent.and_then(trace::trace_id),
    )
}

/// Work that takes no longer than this on average is short.
const SHORT: Duration = Duration::from_millis(50);

/// So many attempts tell how long a task takes.
const ENOUGH: u64 = 20;

/// How long it is taken for granted which tasks are short, and that none is.
const REVIEWED_EVERY: Duration = Duration::from_millis(100);
const LOOKED_FOR_EVERY: Duration = Duration::from_millis(2);

/// The metrics of attempts, by task and queue, looked up once for each and not for every attempt.
#[derive(Default)]
pub(super) struct Meters {
    by_name: RwLock<HashMap<(TaskName, QueueName), Arc<Meter>>>,
    short: Mutex<Option<(Instant, Arc<[TaskName]>)>>,
}

impl Meters {
    pub(super) fn of(&self, run: &Run) -> Arc<Meter> {
        let name = (run.task.clone(), run.queue.clone());
        if let Some(meter) = self.by_name.read().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Arc::clone(meter);
        }
        let mut meters = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(meters.entry(name).or_insert_with(|| Arc::new(Meter::of(run))))
    }

    /// The tasks of `kind` whose attempts were short lately, in every queue.
    pub(super) fn short_tasks(&self, kind: impl Fn(&TaskName) -> bool) -> Arc<[TaskName]> {
        let mut short = self.short.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, tasks)) = &*short
            && at.elapsed() < if tasks.is_empty() { LOOKED_FOR_EVERY } else { REVIEWED_EVERY }
        {
            return Arc::clone(tasks);
        }
        let mut tasks: BTreeMap<TaskName, Option<Duration>> = BTreeMap::new();
        for ((task, _), meter) in &*self.by_name.read().unwrap_or_else(PoisonError::into_inner) {
            let longest = tasks.entry(task.clone()).or_default();
            *longest = meter.usual().max(*longest);
        }
        let is_short = |(task, usual): (TaskName, Option<Duration>)| {
            (usual.is_some_and(|usual| usual <= SHORT) && kind(&task)).then_some(task)
        };
        let tasks: Arc<[TaskName]> = tasks.into_iter().filter_map(is_short).collect();
        *short = Some((Instant::now(), Arc::clone(&tasks)));
        tasks
    }
}

/// The metrics of one task in one queue.
pub(super) struct Meter {
    labels: [(&'static str, String); 2],
    started: Counter,
    succeeded: Counter,
    wait: Histogram,
    duration: Histogram,
    attempts: Histogram,
    timed: AtomicU64,
    /// How long an attempt takes, on an average in which the latest weigh most.
    usual_nanos: AtomicU64,
}

impl Meter {
    fn of(run: &Run) -> Self {
        let labels = [("task", run.task.to_string()), ("queue", run.queue.to_string())];
        Self {
            started: counter!("runlane_started_total", &labels),
            succeeded: finished(&labels, Status::Succeeded),
            wait: histogram!("runlane_wait_seconds", &labels),
            duration: histogram!("runlane_duration_seconds", &labels),
            attempts: histogram!("runlane_attempts", &labels),
            timed: AtomicU64::new(0),
            usual_nanos: AtomicU64::new(0),
            labels,
        }
    }

    /// Takes the duration of an attempt into the average. One that gets lost because two end at once does no harm.
    pub(super) fn timed(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX) / 8;
        let usual = self.usual_nanos.load(Ordering::Relaxed);
        let first = self.timed.fetch_add(1, Ordering::Relaxed) == 0;
        self.usual_nanos.store(if first { took * 8 } else { usual - usual / 8 + took }, Ordering::Relaxed);
    }

    /// How long an attempt takes, once that is known.
    fn usual(&self) -> Option<Duration> {
        let known = self.timed.load(Ordering::Relaxed) >= ENOUGH;
        known.then(|| Duration::from_nanos(self.usual_nanos.load(Ordering::Relaxed)))
    }

    pub(super) fn started(&self, claimed: &Claimed) {
        let run = &claimed.run;
        if claimed.adopted {
            counter!("runlane_adopted_total", &self.labels).increment(1);
            tracing::info!("adopted");
            return;
        }
        self.started.increment(1);
        if run.attempt > 1 {
            counter!("runlane_retries_total", &self.labels).increment(1);
        } else if let Some(execution) = run.execution() {
            self.wait.record(seconds(run.available_at, execution.by.started_at));
        }
        tracing::debug!("started");
    }

    pub(super) fn finished(&self, run: &Run, status: Status, took: Duration) {
        self.duration.record(took.as_secs_f64());
        if status.is_terminal() {
            self.attempts.record(f64::from(run.attempt));
        }
        match status {
            Status::Succeeded => self.succeeded.increment(1),
            other => finished(&self.labels, other).increment(1),
        }
    }

    pub(super) fn lost(&self) {
        counter!("runlane_leases_lost_total", &self.labels).increment(1);
    }
}

fn finished([task, queue]: &[(&'static str, String); 2], status: Status) -> Counter {
    counter!("runlane_finished_total", &[task.clone(), queue.clone(), ("status", status.to_string())])
}

pub(super) fn slots(slots: u32, busy: u32) {
    gauge!("runlane_slots").set(f64::from(slots));
    gauge!("runlane_slots_busy").set(f64::from(busy));
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0)
}
