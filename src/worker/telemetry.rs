//! What a worker shows of itself: metrics and one span for each attempt.

use std::time::Duration;

use jiff::Timestamp;
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use tracing::Span;

use super::{Inner, trace};
use crate::run::{Run, Status};
use crate::store::Claimed;

/// Tells the recorder in use what the metrics mean.
pub fn describe() {
    describe_counter!("runlane_submitted_total", "Submissions, by task, queue and outcome");
    describe_counter!("runlane_started_total", "Attempts started, adopted ones not among them, by task and queue");
    describe_counter!("runlane_adopted_total", "Attempts adopted, by task and queue");
    describe_counter!(
        "runlane_finished_total",
        "Attempts whose end was stored, by task, queue and what the run became"
    );
    describe_counter!("runlane_retries_total", "Attempts after the first, by task and queue");
    describe_counter!("runlane_leases_lost_total", "Attempts whose lease was lost before their end was stored");
    describe_histogram!("runlane_wait_seconds", Unit::Seconds, "From the time a run was available to its first start");
    describe_histogram!("runlane_duration_seconds", Unit::Seconds, "How long attempts took in this worker");
    describe_histogram!("runlane_attempts", "How many attempts finished runs took");
    describe_gauge!("runlane_slots", "How many runs this worker can execute at once");
    describe_gauge!("runlane_slots_busy", "How many runs this worker executes now");
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

pub(super) fn started(claimed: &Claimed) {
    let run = &claimed.run;
    let labels = labels(run);
    if claimed.adopted {
        counter!("runlane_adopted_total", &labels).increment(1);
        tracing::info!("adopted");
        return;
    }
    counter!("runlane_started_total", &labels).increment(1);
    if run.attempt > 1 {
        counter!("runlane_retries_total", &labels).increment(1);
    } else if let Some(execution) = run.execution() {
        histogram!("runlane_wait_seconds", &labels).record(seconds(run.available_at, execution.by.started_at));
    }
    tracing::debug!("started");
}

pub(super) fn finished(run: &Run, status: Status, took: Duration) {
    let [task, queue] = labels(run);
    histogram!("runlane_duration_seconds", &[task.clone(), queue.clone()]).record(took.as_secs_f64());
    if status.is_terminal() {
        histogram!("runlane_attempts", &[task.clone(), queue.clone()]).record(f64::from(run.attempt));
    }
    counter!("runlane_finished_total", &[task, queue, ("status", status.to_string())]).increment(1);
}

pub(super) fn lost(run: &Run) {
    counter!("runlane_leases_lost_total", &labels(run)).increment(1);
}

pub(super) fn slots(slots: u32, busy: u32) {
    gauge!("runlane_slots").set(f64::from(slots));
    gauge!("runlane_slots_busy").set(f64::from(busy));
}

fn labels(run: &Run) -> [(&'static str, String); 2] {
    [("task", run.task.to_string()), ("queue", run.queue.to_string())]
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0)
}
