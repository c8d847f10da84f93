//! Puts the routes together, with what every request passes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use super::state::{Api, Shared};
use super::{api, auth, frame, hosts, openapi};

/// The whole API. Needs a runtime. Cancel `stopping` when the server is to stop, so that nobody goes on waiting in it.
pub fn router(api: Api, stopping: CancellationToken) -> Router {
    let server = Shared::new(api, stopping);
    let (routes, _) = api::routes(&server.api.limits).split_for_parts();
    routes
        .route_layer(from_fn_with_state(server.clone(), auth::authorise))
        .merge(openapi::routes())
        .layer(from_fn_with_state(server.clone(), hosts::check))
        .layer(DefaultBodyLimit::max(server.api.limits.body_bytes))
        .layer(CatchPanicLayer::custom(frame::panicked))
        .layer(from_fn(frame::frame))
        .with_state(server)
}
