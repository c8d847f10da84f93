//! Which problem an answer from below is.

use super::{Code, Problem};
use crate::actions::Refusal;
use crate::run::{RunId, Status, WorkspaceName};
use crate::store::StoreError;

/// Soon enough for a caller, seldom enough for a database that is starting.
const RETRY_STORE_SECONDS: u32 = 2;

/// Room comes as fast as runs end.
const RETRY_FULL_SECONDS: u32 = 1;

/// What may be given for an id.
pub(super) const NO_ID: &str = "give a full id, or at least 4 digits of its beginning or end, as the list shows them";

impl Problem {
    /// The path is right, the method is not.
    pub(in crate::http) fn method_not_allowed(method: &axum::http::Method, path: &str) -> Self {
        Self::new(Code::MethodNotAllowed, format!("{path} does not support {method}"))
            .hint("the Allow header lists the supported methods")
    }

    /// There is no such run here.
    pub(in crate::http) fn no_run(id: &str) -> Self {
        Self::new(Code::RunNotFound, format!("no run {id:?} in this workspace")).hint(NO_ID)
    }

    /// There is no such worker.
    pub(in crate::http) fn no_worker(id: &str) -> Self {
        Self::new(Code::WorkerNotFound, format!("no worker {id:?}")).hint(NO_ID)
    }

    /// There is no such token here.
    pub(in crate::http) fn no_token(id: &str) -> Self {
        Self::new(Code::TokenNotFound, format!("no token {id:?} in this workspace")).hint(NO_ID)
    }

    /// The run's status rules it out.
    pub(in crate::http) fn conflict(id: RunId, status: Status, verb: &str) -> Self {
        Self::new(Code::StatusConflict, format!("run {id} is {status}, so it cannot be {verb}"))
    }

    /// The workspace that the caller chose is not there.
    pub(in crate::http) fn no_workspace() -> Self {
        Self::new(Code::WorkspaceNotFound, "the workspace does not exist")
            .hint("`runlane workspaces list` shows those there are; `runlane workspaces create` makes one")
    }

    /// The workspace that a field or header names is not there.
    pub(in crate::http) fn no_workspace_called(name: &WorkspaceName) -> Self {
        Self::new(Code::WorkspaceNotFound, format!("there is no workspace {:?}", name.as_str()))
            .hint("`runlane workspaces list` shows those there are; `runlane workspaces create` makes one")
    }

    /// The bounded queue has no room.
    pub(in crate::http) fn queue_full() -> Self {
        Self::new(Code::RunQueueFull, "the queue is full: it holds queue_size live runs; nothing was stored")
            .hint("try again later, when some runs have ended")
            .retry_after(RETRY_FULL_SECONDS)
    }
}

impl From<&StoreError> for Problem {
    /// What the database said is for the log, not for the caller: it may name hosts, tables and values.
    fn from(error: &StoreError) -> Self {
        let problem = match error {
            StoreError::Ambiguous(_) => {
                let detail = "the connection to the database was lost while the change was being committed";
                Self::new(Code::OutcomeUnknown, detail).hint(
                    "check whether the change was made; a submission can be repeated with the same Idempotency-Key",
                )
            }
            StoreError::Contended { .. } => {
                Self::new(Code::StoreUnavailable, "other transactions kept changing the same rows; nothing was changed")
            }
            StoreError::Corrupt(_) => {
                return Self::new(Code::InternalError, "the database contains an invalid value");
            }
            StoreError::Database { .. } if error.blames_data() => {
                return Self::new(Code::InternalError, "the database refused the change");
            }
            _ => Self::new(Code::StoreUnavailable, "the database does not answer; nothing was changed"),
        };
        problem.retry_after(RETRY_STORE_SECONDS)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = error.in_full(), "a request failed in the database");
        Self::from(&error)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::UnknownTask { task, known } => {
                let problem =
                    Self::new(Code::UnknownTask, format!("there is no task {:?}", task.as_str())).field("task");
                if known.is_empty() { problem } else { problem.hint(format!("known tasks: {}", known.join(", "))) }
            }
            Refusal::InvalidPayload { pointer, reason } => {
                Self::new(Code::InvalidPayload, reason).field(format!("payload{}", pointer.unwrap_or_default()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_was_lost_is_not_called_a_failure() {
        let lost = StoreError::Ambiguous("the connection broke".into());
        assert_eq!(Problem::from(&lost).code(), Code::OutcomeUnknown);
        let gone = StoreError::Unreachable { address: "db:5432".into(), source: "refused".into() };
        let problem = Problem::from(&gone);
        assert_eq!(problem.code(), Code::StoreUnavailable);
        assert!(!problem.written("").detail.contains("db:5432"), "where the database is concerns nobody");
    }
}
