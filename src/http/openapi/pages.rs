//! The routes of the documentation, which anybody may read.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use utoipa_swagger_ui::Config;

use super::document;
use crate::http::state::Server;

pub(in crate::http) fn routes() -> Router<Server> {
    Router::new()
        .route("/openapi.json", get(json))
        .route("/docs", get(|| async { Redirect::permanent("/docs/") }))
        .route("/docs/", get(|| async { page("index.html") }))
        .route("/docs/{*file}", get(|Path(file): Path<String>| async move { page(&file) }))
}

static JSON: LazyLock<String> = LazyLock::new(|| document().to_json().unwrap_or_default());

static PAGES: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::from("/openapi.json").try_it_out_enabled(true)));

async fn json() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], JSON.as_str()).into_response()
}

/// A file of the page for people; its scripts come from this server, and it may talk to no other.
fn page(file: &str) -> Response {
    const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                          frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
    match utoipa_swagger_ui::serve(file, PAGES.clone()) {
        Ok(Some(found)) => {
            let headers =
                [(header::CONTENT_TYPE, found.content_type), (header::CONTENT_SECURITY_POLICY, POLICY.into())];
            (headers, titled(file, found.bytes.into_owned())).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The title names this API instead of the tool that renders it.
fn titled(file: &str, bytes: Vec<u8>) -> Vec<u8> {
    match file {
        "index.html" => String::from_utf8_lossy(&bytes)
            .replace("<title>Swagger UI</title>", "<title>Runlane API</title>")
            .into_bytes(),
        _ => bytes,
    }
}
