//! One try of a run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{RunFailure, RunStatus};
use crate::run;

/// One try of a run: under way, or ended one way or another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attempt {
    /// From 1 upwards. An interrupted attempt does not count, so its number appears again.
    #[schema(example = 1)]
    pub number: u32,
    /// The epoch of its last lease.
    #[schema(example = 1)]
    pub epoch: i64,
    /// The worker that held it last.
    pub worker: Uuid,
    /// The machine the work ran on.
    #[schema(example = "worker-1")]
    pub host: String,
    /// When it was claimed.
    pub started_at: Timestamp,
    /// When it ended.
    #[schema(required)]
    pub finished_at: Option<Timestamp>,
    /// What the run became by it; `null` while it is under way.
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
