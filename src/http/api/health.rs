//! Whether the server lives, whether it can serve, and what it measures.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::http::dto::{Health, Readiness};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;

/// Longer than a database that can be used takes.
const PATIENCE: Duration = Duration::from_secs(2);

const RETRY_SECONDS: u32 = 2;

/// Check liveness
///
/// Does not check the database, because a process that waits for its database need not be restarted.
#[utoipa::path(get, path = "/healthz", tag = "health", security(()),
    responses((status = 200, description = "The process is alive", body = Health)))]
pub(super) async fn healthz() -> Json<Health> {
    Json(Health::ok())
}

/// Check readiness
#[utoipa::path(get, path = "/readyz", tag = "health", security(()),
    responses((status = 200, description = "The server can serve requests", body = Readiness)))]
pub(super) async fn readyz(State(server): State<Server>) -> Result<Json<Readiness>, Problem> {
    if server.stopping.is_cancelled() || server.api.draining.is_cancelled() {
        return Err(Problem::new(Code::ShuttingDown, "the server is shutting down").retry_after(RETRY_SECONDS));
    }
    match tokio::time::timeout(PATIENCE, server.store().workspaces()).await {
        Ok(Ok(_)) => Ok(Json(ready(&server))),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => {
            Err(Problem::new(Code::StoreUnavailable, "the database did not answer in time").retry_after(RETRY_SECONDS))
        }
    }
}

fn ready(server: &Server) -> Readiness {
    let database = server.api.database;
    Readiness {
        status: "ready".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        database: database.map(|database| database.kind.to_owned()),
        schema_version: database.map(|database| database.schema_version),
    }
}

/// Get Prometheus metrics
#[utoipa::path(get, path = "/metrics", tag = "health",
    responses((status = 200, description = "The process's metrics", body = String, content_type = "text/plain")))]
pub(super) async fn metrics(State(server): State<Server>) -> Result<Response, Problem> {
    let Some(scrape) = &server.api.metrics else {
        return Err(Problem::new(Code::RouteNotFound, "this server records no metrics"));
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], scrape()).into_response())
}
