//! Asks for many runs at once.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;

use super::{direct, intake, outcome};
use crate::actions::submit_runs;
use crate::http::auth::Caller;
use crate::http::dto::{BatchItem, BatchOutcome, BatchResult, SubmitBatch};
use crate::http::extract::Body;
use crate::http::frame::RequestId;
use crate::http::problem::{Code, Problem};
use crate::http::state::{Limits, Server};
use crate::run::{NewRun, RunId};
use crate::store::SubmitOutcome;

/// Submit up to 10,000 runs
///
/// The runs are stored in one transaction, and each submission succeeds or fails on its own. A batch with a malformed
/// submission is refused as a whole. With an `Idempotency-Key`, the batch can be repeated safely.
#[utoipa::path(post, path = "/v1/runs/batch", tag = "runs", request_body = SubmitBatch,
    params(("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 190,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "Identifies this batch: a repeated batch returns the runs that were created first")),
    responses((status = 200, description = "The result of each submission", body = BatchResult)))]
pub(super) async fn submit_batch(
    State(server): State<Server>,
    caller: Caller,
    Extension(RequestId(request_id)): Extension<RequestId>,
    headers: HeaderMap,
    Body(batch): Body<SubmitBatch>,
) -> Result<Json<BatchResult>, Problem> {
    if server.api.direct.is_some() {
        return Err(direct::no_queue("the runs of a batch would have to wait"));
    }
    let requests = requests(&server, &caller, &headers, batch)?;
    let submission = submit_runs(server.store(), &requests, server.api.admission).await?;
    let answers = requests.iter().zip(submission.outcomes);
    let data = answers.map(|(request, outcome)| item(request.id, outcome, &request_id)).collect();
    Ok(Json(counted(data)))
}

fn requests(server: &Server, caller: &Caller, headers: &HeaderMap, batch: SubmitBatch) -> Result<Vec<NewRun>, Problem> {
    check_size(batch.runs.len(), &server.api.limits)?;
    let bodies = batch.runs.into_iter().enumerate();
    let request = |(item, body)| {
        intake::request(&server.api, caller, headers, body, Some(item))
            .map_err(|problem| problem.within(&format!("runs[{item}]")))
    };
    bodies.map(request).collect()
}

fn check_size(runs: usize, limits: &Limits) -> Result<(), Problem> {
    if (1..=limits.batch_runs).contains(&runs) {
        return Ok(());
    }
    let detail = format!("a batch of {runs} runs; give 1 to {}", limits.batch_runs);
    Err(Problem::new(Code::InvalidField, detail).field("runs"))
}

fn item(asked: RunId, outcome: SubmitOutcome, request_id: &str) -> BatchItem {
    match outcome::answer(asked, outcome) {
        Ok((outcome, id)) => BatchItem { outcome, id: Some(id.0), error: None },
        Err(problem) => {
            BatchItem { outcome: BatchOutcome::Refused, id: None, error: Some(problem.written(request_id)) }
        }
    }
}

fn counted(data: Vec<BatchItem>) -> BatchResult {
    let count = |wanted| data.iter().filter(|item| item.outcome == wanted).count();
    BatchResult { created: count(BatchOutcome::Created), refused: count(BatchOutcome::Refused), data }
}
