//! What surrounds every request: its id, its line in the log, its metrics, and problems written down.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use tracing::Instrument;
use uuid::Uuid;

use super::hosts;
use super::problem::{Code, Problem};
use super::state::Server;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// By which the log knows a request.
#[derive(Clone, Debug)]
pub(in crate::http) struct RequestId(pub(in crate::http) String);

/// The outermost layer.
pub(super) async fn frame(State(server): State<Server>, mut request: Request, next: Next) -> Response {
    let id = request_id(&request);
    let path = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    let address = request.uri().path().to_owned();
    request.extensions_mut().insert(RequestId(id.clone()));
    let span = tracing::info_span!("request", %method, path = address, request_id = id);
    let began = Instant::now();
    let response = match hosts::check(&server.api, &request) {
        Ok(()) => {
            let answer = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
            answer.unwrap_or_else(|panic| span.in_scope(|| panicked(&*panic)))
        }
        Err(problem) => problem.into_response(),
    };
    let response = with_problem(response, &id, &method, &address);
    let (status, took) = (response.status(), began.elapsed());
    span.in_scope(|| tracing::debug!(status = status.as_u16(), ?took, "answered"));
    server.meters.answered(&method, path.as_ref().map_or("unknown", MatchedPath::as_str), status, took);
    marked(response, &id)
}

/// What a panic becomes. What it said is for the log.
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let words = panic.downcast_ref::<String>().cloned();
    let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned())).unwrap_or_default();
    tracing::error!(panic = words, "a request panicked");
    Problem::new(Code::InternalError, "the server failed to handle the request").into_response()
}

/// The caller's own, if it can be shown and searched for; a new one otherwise.
fn request_id(request: &Request) -> String {
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let usable = |id: &&str| {
        (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:/".contains(&b))
    };
    given.filter(usable).map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

/// Writes a problem down; the router's own refusals, which have no words yet, become problems.
fn with_problem(mut response: Response, id: &str, method: &Method, path: &str) -> Response {
    let problem = match (response.extensions_mut().remove::<Problem>(), response.status()) {
        (Some(problem), _) => problem,
        (None, StatusCode::NOT_FOUND) => {
            Problem::new(Code::RouteNotFound, format!("there is no route {path}")).hint("/docs lists every route")
        }
        (None, StatusCode::METHOD_NOT_ALLOWED) => Problem::method_not_allowed(method, path),
        _ => return response,
    };
    let Ok(body) = serde_json::to_vec(&problem.written(id)) else { return response };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    let body = if *method == Method::HEAD { Body::empty() } else { Body::from(body) };
    *response.body_mut() = body;
    response
}

/// Answers are for the caller alone and are what their type says.
fn marked(mut response: Response, id: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
