//! Many submissions at once.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::object::objects;
use super::{Problem, SubmitRun};

/// Submissions that are stored in one transaction, each judged by itself.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitBatch {
    /// At most 10,000.
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 10000)]
    pub runs: Vec<SubmitRun>,
}

/// What came of a batch.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchResult {
    /// One for each submission, in their order.
    pub data: Vec<BatchItem>,
    /// How many runs were created.
    #[schema(example = 1)]
    pub created: usize,
    /// How many submissions were refused.
    #[schema(example = 0)]
    pub refused: usize,
}

/// What came of one submission.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchItem {
    /// In a word.
    pub outcome: BatchOutcome,
    /// The run, unless refused.
    #[schema(required)]
    pub id: Option<Uuid>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

/// What came of one submission, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchOutcome {
    /// There is a new run.
    Created,
    /// The run with the same key took on the request.
    Replaced,
    /// The run with the same key stays as it is.
    Kept,
    /// The same request was made before, under the same idempotency key.
    Existing,
    /// Nothing was stored for it.
    Refused,
}

impl BatchOutcome {
    /// The word.
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
