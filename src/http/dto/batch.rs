//! Many submissions at once.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::object::objects;
use super::{Problem, SubmitRun};

/// Submissions that are stored in one transaction. Each succeeds or fails on its own.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitBatch {
    /// The submissions, at most 10,000.
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 10000)]
    pub runs: Vec<SubmitRun>,
}

/// The result of a batch.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchResult {
    /// One result per submission, in the same order.
    pub data: Vec<BatchItem>,
    /// Number of runs created.
    #[schema(example = 1)]
    pub created: usize,
    /// Number of submissions refused.
    #[schema(example = 0)]
    pub refused: usize,
}

/// The result of one submission.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchItem {
    /// The outcome.
    pub outcome: BatchOutcome,
    /// The run, unless refused.
    #[schema(required)]
    pub id: Option<Uuid>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

/// The outcome of one submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchOutcome {
    /// A new run was created.
    Created,
    /// The run with the same key was replaced by this request.
    Replaced,
    /// The run with the same key was kept unchanged.
    Kept,
    /// The same request was made before with the same idempotency key.
    Existing,
    /// The submission was refused, and nothing was stored for it.
    Refused,
}

impl BatchOutcome {
    /// Its name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            BatchOutcome::Created => "created",
            BatchOutcome::Replaced => "replaced",
            BatchOutcome::Kept => "kept",
            BatchOutcome::Existing => "existing",
            BatchOutcome::Refused => "refused",
        }
    }
}
