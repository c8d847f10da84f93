//! Why a run is not starting.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RunStatus;
use crate::{actions, run};

/// A run's status, and why it is not starting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// The run's status.
    #[schema(value_type = RunStatus)]
    pub status: run::Status,
    /// The explanation in one sentence.
    #[schema(example = "queue \"images\" is paused")]
    pub summary: String,
    /// Everything that keeps the run from starting, most important first; empty if nothing does.
    pub reasons: Vec<Reason>,
}

/// One thing that keeps a run from starting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// A stable code for programs.
    #[schema(example = "queue_paused")]
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// What would remove this reason.
    pub remedy: String,
}

impl From<actions::Explanation> for Explanation {
    fn from(explanation: actions::Explanation) -> Self {
        let actions::Explanation { status, summary, reasons } = explanation;
        let reason = |reason| {
            let actions::Reason { code, message, remedy } = reason;
            Reason { code, message, remedy }
        };
        Self { status, summary, reasons: reasons.into_iter().map(reason).collect() }
    }
}
