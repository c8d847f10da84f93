//! Answers to requests that scripts repeat: what is asked for, and whether that changed anything.

use axum::Json;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The header that says it: `changed` or `unchanged`.
const HEADER: HeaderName = HeaderName::from_static("x-runlane-outcome");

/// A body, and whether the request changed anything.
pub(in crate::http) struct Changed<T> {
    pub(in crate::http) body: T,
    pub(in crate::http) changed: bool,
}

impl<T: Serialize> IntoResponse for Changed<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.body).into_response();
        let word = if self.changed { "changed" } else { "unchanged" };
        response.headers_mut().insert(HEADER, HeaderValue::from_static(word));
        response
    }
}
