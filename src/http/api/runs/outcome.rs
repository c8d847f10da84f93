//! What a submission's outcome means to its caller.

use axum::http::StatusCode;

use crate::http::dto::BatchOutcome;
use crate::http::problem::{Code, Problem};
use crate::run::RunId;
use crate::store::SubmitOutcome;

/// The answer to a request for the run `asked`: what was done, and the run that there is now.
pub(in crate::http::api) fn answer(asked: RunId, outcome: SubmitOutcome) -> Result<(BatchOutcome, RunId), Problem> {
    match outcome {
        SubmitOutcome::Created => Ok((BatchOutcome::Created, asked)),
        SubmitOutcome::Replaced(id) => Ok((BatchOutcome::Replaced, id)),
        SubmitOutcome::Kept(id) => Ok((BatchOutcome::Kept, id)),
        SubmitOutcome::Existing(id) => Ok((BatchOutcome::Existing, id)),
        SubmitOutcome::IdempotencyMismatch(id) => {
            let detail = format!("the key was already used for a different request, which created run {id}");
            Err(Problem::new(Code::IdempotencyMismatch, detail)
                .field("Idempotency-Key")
                .hint("use a new key for each new request"))
        }
        SubmitOutcome::QueueFull => Err(Problem::queue_full()),
        SubmitOutcome::UnknownWorkspace => Err(Problem::no_workspace()),
        SubmitOutcome::UnknownUpstream(id) => {
            Err(Problem::new(Code::UnknownUpstream, format!("no run {id} in this workspace")).field("after"))
        }
        SubmitOutcome::CircularWait(id) => {
            let detail = format!("the replaced run cannot wait for run {id}, which may be waiting for it");
            Err(Problem::new(Code::CircularWait, detail).field("after"))
        }
        // The ids are ours, and new.
        SubmitOutcome::DuplicateId => Err(Problem::new(Code::InternalError, format!("run {asked} exists already"))),
    }
}

/// 201 for a new run, 200 for one that was there.
pub(in crate::http::api) fn status(outcome: BatchOutcome) -> StatusCode {
    if outcome == BatchOutcome::Created { StatusCode::CREATED } else { StatusCode::OK }
}
