//! Submits runs, and counts what came of it.

use std::collections::HashMap;

use metrics::counter;

use crate::run::{KeyMode, NewRun, QueueName, TaskName};
use crate::store::{Admission, Result, Store, StoreError, Submission, SubmitOutcome};

/// Stores the requests in one transaction; each is answered by itself, after the commit.
///
/// If the connection broke during the commit, the same is submitted once more: what had been stored is recognised by its
/// id. Only a request that replaces a run by key cannot be repeated blindly, since that run may have started meanwhile.
pub async fn submit_runs(store: &dyn Store, requests: &[NewRun], admission: Admission) -> Result<Submission> {
    let submission = match store.submission(requests, admission).await {
        Err(StoreError::Ambiguous(_)) if requests.iter().all(repeatable) => {
            let again = store.submission(requests, admission).await.map_err(still_ambiguous)?;
            let outcomes = requests.iter().zip(again.outcomes).map(|(request, outcome)| settled(request, outcome));
            Submission { outcomes: outcomes.collect(), ..again }
        }
        answer => answer?,
    };
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

fn repeatable(request: &NewRun) -> bool {
    request.key.as_ref().is_none_or(|(_, mode)| *mode == KeyMode::Keep)
}

/// The first try may have been stored, whatever the second one met.
fn still_ambiguous(error: StoreError) -> StoreError {
    StoreError::Ambiguous(Box::new(error))
}

/// What the second try found under the request's own id, the first one stored.
fn settled(request: &NewRun, again: SubmitOutcome) -> SubmitOutcome {
    match again {
        SubmitOutcome::DuplicateId => SubmitOutcome::Created,
        SubmitOutcome::Existing(id) | SubmitOutcome::Kept(id) if id == request.id => SubmitOutcome::Created,
        other => other,
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
