//! What the API refuses, and servers that do not answer, as a person would wish to be told.

use std::error::Error;
use std::fmt;

use reqwest::Response;
use reqwest::header::RETRY_AFTER;
use serde::Deserialize;
use serde_json::Value;

/// Why a request came to nothing.
#[derive(Debug)]
pub(in crate::cli) enum ApiError {
    /// The address is none.
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A header cannot carry what an option says.
    Unsendable {
        /// Which option.
        option: String,
    },
    /// Nobody answers there.
    Unreachable {
        /// Where.
        url: String,
        /// What the network said.
        source: reqwest::Error,
    },
    /// Somebody answers, but not this API.
    Foreign {
        /// Where.
        url: String,
        /// What gives it away.
        reason: String,
    },
    /// The API says no.
    Refused(Box<Problem>),
}

/// RFC 9457, with what this API adds to it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::cli) struct Problem {
    pub(super) status: u16,
    pub(super) code: String,
    title: String,
    detail: Option<String>,
    field: Option<String>,
    hint: Option<String>,
    request_id: Option<String>,
    /// Seconds to wait before asking again.
    #[serde(skip)]
    pub(super) retry_after: Option<u64>,
    /// As it came.
    #[serde(skip)]
    pub(super) document: Value,
}

impl ApiError {
    /// Reads why a response is not a success.
    pub(super) async fn refused(url: &str, response: Response) -> Self {
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let bytes = response.bytes().await.unwrap_or_default();
        match serde_json::from_slice::<Value>(&bytes).ok().and_then(Problem::read) {
            Some(problem) => ApiError::Refused(Box::new(Problem { status: status.as_u16(), retry_after, ..problem })),
            None => ApiError::Foreign {
                url: url.to_owned(),
                reason: format!("it answered {status}, and not as Runlane does"),
            },
        }
    }

    /// The API's own words, if it was the API that refused.
    pub(super) fn problem(&self) -> Option<&Problem> {
        match self {
            ApiError::Refused(problem) => Some(problem),
            _ => None,
        }
    }
}

impl Problem {
    /// A document that has a code or a title; anything else is somebody else's.
    pub(super) fn read(document: Value) -> Option<Self> {
        let problem = Problem::deserialize(&document).ok()?;
        let ours = !problem.code.is_empty() || !problem.title.is_empty();
        ours.then_some(Problem { document, ..problem })
    }

    /// What it is about.
    pub(super) fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// In one line, for a report that has many.
    pub(super) fn in_short(&self) -> String {
        let detail = self.detail.as_deref().unwrap_or(&self.title);
        // `runs[7].priority` is named if `priority` is.
        let last = |field: &str| field.rsplit('.').next().unwrap_or_default().to_owned();
        match &self.field {
            Some(field) if !detail.contains(&last(field)) => format!("{field}: {detail}"),
            _ => detail.to_owned(),
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiError::Url { url, reason } => {
                write!(out, "{url:?} is no address of a server: {reason}\n  hint: write it as in http://127.0.0.1:8080")
            }
            ApiError::Unsendable { option } => {
                write!(out, "{option} contains a line break or another control character; give printable text")
            }
            ApiError::Unreachable { url, source } => {
                let cause = if source.is_timeout() { "it did not answer in time".into() } else { root_of(source) };
                write!(out, "no server answers at {url}\n  because: {cause}")?;
                write!(out, "\n  hint: `runlane dev` starts one here; --url or RUNLANE_URL names another")
            }
            ApiError::Foreign { url, reason } => {
                write!(
                    out,
                    "what answers at {url} is not a Runlane server: {reason}\n  hint: check --url or RUNLANE_URL"
                )
            }
            ApiError::Refused(problem) => problem.fmt(out),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.detail.as_deref().unwrap_or(&self.title))?;
        if let Some(field) = self.field.as_ref().filter(|_| self.status != 401) {
            write!(out, "\n  field: {}", option_of(field))?;
        }
        if let Some(hint) = self.hint() {
            write!(out, "\n  hint: {hint}")?;
        }
        write!(out, "\n  code: {}", if self.code.is_empty() { "unknown" } else { &self.code })?;
        match &self.request_id {
            Some(id) => write!(out, " (request {id})"),
            None => Ok(()),
        }
    }
}

impl Problem {
    /// The server's, except where it speaks of headers, which nobody here has in hand.
    fn hint(&self) -> Option<&str> {
        match self.status {
            401 => Some("give one that is good by --token or RUNLANE_TOKEN; `runlane tokens create` makes them"),
            _ => self.hint.as_deref(),
        }
    }
}

impl Error for ApiError {}

/// What people here write for a header.
pub(super) fn option_of(field: &str) -> &str {
    match field {
        "X-Runlane-Workspace" => "--workspace",
        "Idempotency-Key" => "--idempotency-key",
        other => other,
    }
}

/// The innermost cause is the one that says what happened.
fn root_of(error: &dyn Error) -> String {
    let mut root = error;
    while let Some(cause) = root.source() {
        root = cause;
    }
    let words = root.to_string();
    // "Connection refused (os error 111)": the number helps nobody.
    words.split(" (os error").next().unwrap_or(&words).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_problem_says_what_where_and_what_to_do() {
        let document = json!({"type": "about:blank", "title": "Unprocessable", "status": 422, "code": "invalid_field",
            "detail": "priority is 5000; −1000 to 1000 are allowed", "field": "priority", "hint": "leave it out for 0",
            "request_id": "r1"});
        let problem = Problem::read(document).expect("a problem");
        assert_eq!(
            problem.to_string(),
            "priority is 5000; −1000 to 1000 are allowed\n  field: priority\n  hint: leave it out for 0\n  \
             code: invalid_field (request r1)"
        );
        assert_eq!(problem.in_short(), "priority is 5000; −1000 to 1000 are allowed");
    }

    #[test]
    fn what_others_answer_is_not_taken_for_ours() {
        assert!(Problem::read(json!({"message": "Not Found"})).is_none());
        assert!(Problem::read(json!("nope")).is_none());
    }
}
