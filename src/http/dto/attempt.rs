//! One try of a run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{RunFailure, RunStatus};
use crate::run;

/// One try of a run, running or ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attempt {
    /// Counts from 1. An interrupted attempt burns no attempt, so its number appears again.
    #[schema(example = 1)]
    pub number: u32,
    /// The epoch of its last lease.
    #[schema(example = 1)]
    pub epoch: i64,
    /// The worker that held it last.
    pub worker: Uuid,
    /// The host that executed it.
    #[schema(example = "worker-1")]
    pub host: String,
    /// When it was claimed.
    pub started_at: Timestamp,
    /// When it ended.
    #[schema(required)]
    pub finished_at: Option<Timestamp>,
    /// The run's status after it; `null` while it is running.
    #[schema(required, value_type = Option<RunStatus>)]
    pub status: Option<run::Status>,
    /// Why it failed.
    #[schema(required, value_type = Option<RunFailure>)]
    pub error: Option<run::RunError>,
}

impl From<run::Attempt> for Attempt {
    fn from(attempt: run::Attempt) -> Self {
        let run::Attempt { number, epoch, by, ended } = attempt;
        let (finished_at, status, error) = match ended {
            Some(end) => (Some(end.at), Some(end.status), end.error),
            None => (None, None, None),
        };
        Self {
            number,
            epoch,
            worker: by.worker.0,
            host: by.host.to_string(),
            started_at: by.started_at,
            finished_at,
            status,
            error,
        }
    }
}
