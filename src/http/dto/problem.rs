//! A problem as it is written down.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An error in the format of RFC 9457.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Identifies the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "urn:runlane:problem:run_queue_full")]
    pub kind: String,
    /// A summary of the code, the same for every occurrence.
    #[schema(example = "The queue is full.")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 429)]
    pub status: u16,
    /// A stable code for programs.
    #[schema(example = "run_queue_full")]
    pub code: String,
    /// What went wrong this time, for people.
    pub detail: String,
    /// The field, parameter or header at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The id under which the server logs the request; also in the header `X-Request-Id`.
    pub request_id: String,
}
