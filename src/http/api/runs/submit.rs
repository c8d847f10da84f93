//! Asks for a run.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::usage::one_with_usage;
use super::{intake, outcome, show};
use crate::http::auth::Caller;
use crate::http::dto::{Run, SubmitRun, Submitted};
use crate::http::extract::{Body, Preferences};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::RunId;

/// Submit a run
///
/// Answered once it is stored: an acknowledged run is never lost. With `Prefer: wait=N` the answer waits up to N seconds
/// for the run to end; with `Prefer: return=minimal` it has the id alone.
#[utoipa::path(post, path = "/v1/runs", tag = "runs", request_body = SubmitRun,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Names this request: made again, it is answered with the first run"),
        ("Prefer" = Option<String>, Header, description = "`wait=N`, `return=minimal`"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context, kept in the metadata"),
    ),
    responses(
        (status = 201, description = "Created", body = Run),
        (status = 200, description = "The run that was there: the same request before, or one with the same key", body = Run),
    ))]
pub(super) async fn submit_run(
    State(server): State<Server>,
    caller: Caller,
    prefer: Preferences,
    headers: HeaderMap,
    Body(body): Body<SubmitRun>,
) -> Result<Response, Problem> {
    let request = intake::request(&server.api, &caller, &headers, body, None)?;
    let asked = request.id;
    let (outcome, id) = outcome::settle(asked, server.desk.submit(request).await?)?;
    answer(&server, &caller, prefer, outcome::status(outcome), id).await
}

/// The run, as far as the caller wants to see it.
pub(in crate::http::api) async fn answer(
    server: &Server,
    caller: &Caller,
    prefer: Preferences,
    status: StatusCode,
    id: RunId,
) -> Result<Response, Problem> {
    let mut response = if prefer.minimal {
        (status, Json(Submitted { id: id.0 })).into_response()
    } else {
        match show::look(server, &caller.workspace, id, prefer.wait).await? {
            Some(run) => (status, Json(one_with_usage(server, run).await?)).into_response(),
            // Remembered by its idempotency key longer than by itself.
            None => (status, Json(Submitted { id: id.0 })).into_response(),
        }
    };
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/runs/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}
