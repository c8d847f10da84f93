//! Submits runs, and counts what came of it.

use metrics::counter;

use crate::run::{KeyMode, NewRun};
use crate::store::{Admission, Result, Store, StoreError, SubmitOutcome};

/// Stores the requests in one transaction; each is answered by itself, after the commit.
///
/// If the connection broke during the commit, the same is submitted once more: what had been stored is recognised by its
/// id. Only a request that replaces a run by key cannot be repeated blindly, since that run may have started meanwhile.
pub async fn submit_runs(store: &dyn Store, requests: &[NewRun], admission: Admission) -> Result<Vec<SubmitOutcome>> {
    let outcomes = match store.submit(requests, admission).await {
        Err(StoreError::Ambiguous(_)) if requests.iter().all(repeatable) => {
            let again = store.submit(requests, admission).await.map_err(still_ambiguous)?;
            requests.iter().zip(again).map(|(request, outcome)| settled(request, outcome)).collect()
        }
        answer => answer?,
    };
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
