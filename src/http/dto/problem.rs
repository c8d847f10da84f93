//! A problem as it is written down.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went wrong, as RFC 9457 has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Names the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "urn:runlane:problem:run_queue_full")]
    pub kind: String,
    /// What the code means, the same each time.
    #[schema(example = "The queue is full.")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 429)]
    pub status: u16,
    /// Stable, for machines.
    #[schema(example = "run_queue_full")]
    pub code: String,
    /// What it is this time, for people.
    pub detail: String,
    /// The field, parameter or header at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// By which the server's log knows the request; also in the header `X-Request-Id`.
    pub request_id: String,
}
