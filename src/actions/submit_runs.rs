//! Submits runs, and counts what came of it.

use metrics::counter;

use crate::run::NewRun;
use crate::store::{Admission, Result, Store, SubmitOutcome};

/// Stores the requests in one transaction; each is answered by itself, after the commit.
pub async fn submit_runs(store: &dyn Store, requests: &[NewRun], admission: Admission) -> Result<Vec<SubmitOutcome>> {
    let outcomes = store.submit(requests, admission).await?;
    for (request, outcome) in requests.iter().zip(&outcomes) {
        let labels = [
            ("task", request.task.to_string()),
            ("queue", request.queue.to_string()),
            ("outcome", name(outcome).to_owned()),
        ];
        counter!("runlane_submitted_total", &labels).increment(1);
    }
    Ok(outcomes)
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
