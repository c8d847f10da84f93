//! Submits runs, and counts what came of it.

use std::collections::HashMap;

use metrics::counter;

use crate::run::{NewRun, QueueName, TaskName};
use crate::store::{Admission, Result, Store, Submission, SubmitOutcome};

/// Stores the requests in one transaction; each is answered by itself, after the commit.
pub async fn submit_runs(store: &dyn Store, requests: &[NewRun], admission: Admission) -> Result<Submission> {
    let submission = store.submission(requests, admission).await?;
    count(requests, &submission.outcomes);
    Ok(submission)
}

fn count(requests: &[NewRun], outcomes: &[SubmitOutcome]) {
    let mut counts: HashMap<(&TaskName, &QueueName, &'static str), u64> = HashMap::new();
    for (request, outcome) in requests.iter().zip(outcomes) {
        *counts.entry((&request.task, &request.queue, name(outcome))).or_default() += 1;
    }
    for ((task, queue, outcome), count) in counts {
        let labels = [("task", task.to_string()), ("queue", queue.to_string()), ("outcome", outcome.to_owned())];
        counter!("runlane_submitted_total", &labels).increment(count);
    }
}

fn name(outcome: &SubmitOutcome) -> &'static str {
    match outcome {
        SubmitOutcome::Created => "created",
        SubmitOutcome::Replaced(_) => "replaced",
        SubmitOutcome::Kept(_) => "kept",
        SubmitOutcome::Existing(_) => "existing",
        SubmitOutcome::IdempotencyMismatch(_) => "idempotency_mismatch",
        SubmitOutcome::DuplicateId => "duplicate_id",
        SubmitOutcome::QueueFull => "queue_full",
        SubmitOutcome::UnknownWorkspace => "unknown_workspace",
        SubmitOutcome::UnknownUpstream(_) => "unknown_upstream",
        SubmitOutcome::CircularWait(_) => "circular_wait",
    }
}
