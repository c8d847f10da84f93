//! What went wrong, as RFC 9457 has it: `application/problem+json` with a stable code, the field and a hint.
//!
//! A handler answers with a [`Problem`]; the outermost layer of the router (`frame`) writes it down, because only there
//! the request's id is known.

mod code;
mod from;
mod schedule;

pub use code::{Code, markdown};

use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

use super::dto;

/// A request that could not be served, and why.
#[derive(Clone, Debug)]
pub struct Problem {
    code: Code,
    detail: String,
    field: Option<String>,
    hint: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// A problem of this kind; `detail` says what it is this time.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), field: None, hint: None, headers: Vec::new() }
    }

    /// Names the field, parameter or header at fault.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says of which part the field is.
    pub fn within(mut self, part: &str) -> Self {
        self.field = self.field.map(|field| format!("{part}.{field}"));
        self
    }

    /// Says what would help.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a header to the answer.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Says when to try again.
    pub fn retry_after(self, seconds: u32) -> Self {
        self.header(axum::http::header::RETRY_AFTER, seconds.into())
    }

    /// What kind it is.
    pub fn code(&self) -> Code {
        self.code
    }

    /// As it is written down.
    pub fn written(&self, request_id: &str) -> dto::Problem {
        dto::Problem {
            kind: format!("urn:runlane:problem:{}", self.code.as_str()),
            title: self.code.title().to_owned(),
            status: self.code.status().as_u16(),
            code: self.code.as_str().to_owned(),
            detail: self.detail.clone(),
            field: self.field.clone(),
            hint: self.hint.clone(),
            request_id: request_id.to_owned(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.headers_mut().extend(self.headers.iter().cloned());
        response.extensions_mut().insert(self);
        response
    }
}
