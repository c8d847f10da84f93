//! Puts the routes together, with what every request passes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use tokio_util::sync::CancellationToken;

use super::state::{Api, Shared};
use super::{api, auth, frame, openapi};

/// The whole API. Needs a runtime. Cancel `stopping` when the server is to stop, so that nobody goes on waiting in it.
pub fn router(api: Api, stopping: CancellationToken) -> Router {
    let server = Shared::new(api, stopping);
    let (routes, _) = api::routes(&server.api.limits).split_for_parts();
    routes
        .route_layer(from_fn_with_state(server.clone(), auth::authorise))
        .merge(openapi::routes())
        // Together: every layer by itself copies what is below it for each request.
        .layer((from_fn_with_state(server.clone(), frame::frame), DefaultBodyLimit::max(server.api.limits.body_bytes)))
        .with_state(server)
}
