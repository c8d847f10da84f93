//! Asks for a run.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;

use super::usage::one_with_usage;
use super::{direct, intake, outcome, show};
use crate::actions::submit_runs;
use crate::http::auth::Caller;
use crate::http::dto::{BatchOutcome, Name, RunOrId, SubmitRun, Submitted};
use crate::http::extract::{Body, Preferences};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::lifecycle;
use crate::run::{NewRun, RunId};
use crate::store::StoreError;

/// What came of a submission: `created`, `replaced`, `kept` or `existing`. The status alone does not tell a
/// run that took the request on from one that was left as it was.
const OUTCOME: HeaderName = HeaderName::from_static("x-runlane-outcome");

/// Submit a run
///
/// The server answers after the commit, so an acknowledged run is never lost. With `Prefer: wait=N` it waits up to N
/// seconds for the run to end; with `Prefer: return=minimal` it returns only the id.
///
/// In direct mode (no queue) the server executes the run immediately and answers when it has ended. If every slot is busy,
/// it answers `concurrency_limit`.
#[utoipa::path(post, path = "/v1/runs", tag = "runs", request_body = SubmitRun,
    params(
        ("Idempotency-Key" = Option<Name>, Header, description = "Identifies this request: a repeated request returns the first run"),
        ("Prefer" = Option<String>, Header, description = "`wait=N`, `return=minimal`", example = "wait=1"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context, stored in the metadata",
            example = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ),
    responses(
        (status = 201, description = "Created; in direct mode, also executed", body = RunOrId),
        (status = 200, description = "The existing run, from the same request or with the same run key", body = RunOrId),
    ))]
pub(super) async fn submit_run(
    State(server): State<Server>,
    caller: Caller,
    prefer: Preferences,
    headers: HeaderMap,
    Body(body): Body<SubmitRun>,
) -> Result<Response, Problem> {
    let slots = server.api.direct.as_deref();
    if slots.is_some() {
        direct::check(&body)?;
    }
    let request = intake::request(&server.api, &caller, &headers, body, None)?;
    if let Some(slots) = slots {
        let slot = direct::reserve(slots, request.id, &request.queue)?;
        let submission = {
            let server = server.clone();
            async move { store(&server, &request).await.map(|(settled, _)| settled) }
        };
        // In boxes, here and below, so that the usual way is not as large as these.
        return Box::pin(direct::execute(&server, &caller, prefer, slot, submission)).await;
    }
    let ((outcome, id), at) = store(&server, &request).await?;
    let otherwise = prefer.minimal || prefer.wait.is_some();
    match at.filter(|_| outcome == BatchOutcome::Created && is_known(&request) && !otherwise) {
        Some(at) => {
            let run = lifecycle::submit(&request, 0, false, at);
            Ok(respond(outcome, id, RunOrId::Run(Box::new(run.into()))))
        }
        None => Box::pin(answer(&server, &caller, prefer, outcome, id)).await,
    }
}

/// What it led to, and when, if that is known.
async fn store(server: &Server, request: &NewRun) -> Result<((BatchOutcome, RunId), Option<Timestamp>), Problem> {
    let submission = submit_runs(server.store(), std::slice::from_ref(request), server.api.admission).await?;
    let outcome = submission.outcomes.first().copied();
    let outcome = outcome.ok_or_else(|| StoreError::Corrupt("no answer to a submission".into()))?;
    Ok((outcome::answer(request.id, outcome)?, submission.at))
}

/// Whether what was stored is known without a look: neither a lane nor other runs had a say in it.
fn is_known(request: &NewRun) -> bool {
    request.lane.is_none() && request.after.is_empty()
}

/// The run, as far as the caller wants to see it.
pub(in crate::http::api) async fn answer(
    server: &Server,
    caller: &Caller,
    prefer: Preferences,
    outcome: BatchOutcome,
    id: RunId,
) -> Result<Response, Problem> {
    let found = if prefer.minimal { None } else { show::look(server, &caller.workspace, id, prefer.wait).await? };
    let body = match found {
        Some(run) => RunOrId::Run(Box::new(one_with_usage(server, run).await?)),
        // Not wanted, or remembered by its idempotency key longer than by itself.
        None => RunOrId::Id(Submitted { id: id.0 }),
    };
    Ok(respond(outcome, id, body))
}

/// As `Json` would, into a buffer in which most runs have room.
fn respond(outcome: BatchOutcome, id: RunId, body: RunOrId) -> Response {
    let mut text = Vec::with_capacity(1024);
    if let Err(error) = serde_json::to_writer(&mut text, &body) {
        return Problem::new(Code::InternalError, error.to_string()).into_response();
    }
    let json = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let mut response = (outcome::status(outcome), json, text).into_response();
    response.headers_mut().insert(OUTCOME, HeaderValue::from_static(outcome.as_str()));
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/runs/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
