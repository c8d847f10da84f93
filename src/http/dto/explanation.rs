//! Why a run is not starting.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RunStatus;
use crate::{actions, run};

/// How a run stands, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// Where it stands.
    #[schema(value_type = RunStatus)]
    pub status: run::Status,
    /// In one sentence.
    #[schema(example = "queue \"images\" is paused")]
    pub summary: String,
    /// Everything that keeps it from starting, most telling first; empty if nothing does.
    pub reasons: Vec<Reason>,
}

/// One thing that keeps a run from starting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// For programs.
    #[schema(example = "queue_paused")]
    pub code: String,
    /// For people.
    pub message: String,
    /// What would end it.
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
