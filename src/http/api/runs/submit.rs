//! Asks for a run.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{direct, intake, outcome, show};
use crate::http::auth::Caller;
use crate::http::dto::{Run, SubmitRun, Submitted};
use crate::http::extract::{Body, Preferences};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::{NewRun, RunId};

/// Submit a run
///
/// Answered once it is stored: an acknowledged run is never lost. With `Prefer: wait=N` the answer waits up to N seconds
/// for the run to end; with `Prefer: return=minimal` it has the id alone.
///
/// A server without a queue (direct mode) executes the run at once, answers when it has ended, and refuses it with
/// `concurrency_limit` when every slot is taken.
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
    let slots = server.api.direct.as_deref();
    if slots.is_some() {
        direct::check(&body)?;
    }
    let request = intake::request(&server.api, &caller, &headers, body, None)?;
    if let Some(slots) = slots {
        let slot = direct::reserve(slots, request.id, &request.queue)?;
        let submission = store(server.clone(), request);
        return direct::execute(&server, &caller, prefer, slot, submission).await;
    }
    let (outcome, id) = store(server.clone(), request).await?;
    answer(&server, &caller, prefer, outcome::status(outcome), id).await
}

async fn store(server: Server, request: NewRun) -> direct::Settled {
    outcome::settle(request.id, server.desk.submit(request).await?)
}

/// The run, as far as the caller wants to see it.
pub(super) async fn answer(
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
            Some(run) => (status, Json(Run::from(run))).into_response(),
            // Remembered by its idempotency key longer than by itself.
            None => (status, Json(Submitted { id: id.0 })).into_response(),
        }
    };
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/runs/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}
