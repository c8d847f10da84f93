//! A run as every user sees it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::RunRetry;
use crate::actions::UnitSums;
use crate::run::{self, Json, Tenure};

/// One requested execution: its payload, its status and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// The run's id.
    pub id: Uuid,
    /// The workspace.
    #[schema(example = "default")]
    pub workspace: String,
    /// The task to execute.
    #[schema(example = "resize")]
    pub task: String,
    /// The queue it is in.
    #[schema(example = "default")]
    pub queue: String,
    /// Its lane, a serial key.
    #[schema(required, example = json!(null))]
    pub lane: Option<String>,
    /// Its status.
    #[schema(value_type = RunStatus)]
    pub status: run::Status,
    /// Why it is waiting but not ready: `upstream`, `available_at`, `lane` or `worker`.
    #[schema(required, value_type = Option<RunBlockedBy>, example = json!(null))]
    pub blocked_by: Option<run::BlockedBy>,
    /// From -1000 to 1000; higher runs first.
    pub priority: i16,
    /// The payload.
    #[schema(value_type = Value, example = json!({"width": 100}))]
    pub payload: Json,
    /// Attempts started so far.
    #[schema(example = 1)]
    pub attempt: u32,
    /// Maximum number of attempts.
    #[schema(example = 3)]
    pub max_attempts: u32,
    /// Number of times its work asked to be tried later, which burns no attempt; at most 100.
    #[serde(default)]
    #[schema(example = 0)]
    pub postponements: u32,
    /// Time limit of one attempt; `null` without limit.
    #[schema(required, example = json!(null))]
    pub timeout_seconds: Option<u32>,
    /// Its backoff between attempts; `null` for the default, 1 to 60 s.
    #[serde(default)]
    #[schema(required, example = json!(null))]
    pub retry: Option<RunRetry>,
    /// Its run key, which identifies the work until it starts.
    #[schema(required, example = json!(null))]
    pub key: Option<String>,
    /// Earliest start time.
    pub available_at: Timestamp,
    /// When it ends as `cancelled` unless its first attempt has begun.
    #[serde(default)]
    #[schema(required, example = json!(null))]
    pub start_by: Option<Timestamp>,
    /// When it was stored.
    pub requested_at: Timestamp,
    /// When its first attempt began.
    #[schema(required)]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[schema(required)]
    pub finished_at: Option<Timestamp>,
    /// The worker that executes it, and when the lease expires.
    #[schema(required)]
    pub lease: Option<Lease>,
    /// Whether it is running and a cancel has been requested.
    pub cancel_requested: bool,
    /// Why the latest attempt failed.
    #[schema(required, value_type = Option<RunFailure>)]
    pub error: Option<run::RunError>,
    /// Its result.
    #[serde(with = "nullable")]
    #[schema(required, value_type = Value, example = json!({"bytes": 4096}))]
    pub output: Option<Json>,
    /// Usage of all its attempts, by unit.
    #[serde(default)]
    #[schema(required, value_type = std::collections::BTreeMap<String, u64>, example = json!({"tokens": 120}))]
    pub usage: UnitSums,
    /// The schedule that created it.
    #[schema(required)]
    pub schedule_id: Option<Uuid>,
    /// Its slot in the schedule; `null` if it was triggered.
    #[schema(required)]
    pub slot: Option<Timestamp>,
    /// The grant it runs under, checked before every attempt.
    #[serde(default)]
    #[schema(required)]
    pub grant_id: Option<Uuid>,
    /// The build it uses.
    #[schema(required)]
    pub build_id: Option<Uuid>,
    /// The caller's metadata.
    #[serde(with = "nullable")]
    #[schema(required, value_type = Value, example = json!({"team": "images"}))]
    pub metadata: Option<Json>,
}

/// A worker's temporary ownership of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Lease {
    /// The worker.
    pub owner: Uuid,
    /// Rises with every claim and adoption.
    pub epoch: i64,
    /// When it expires unless it is renewed.
    pub expires_at: Timestamp,
}

/// A stable code and a message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) struct RunFailure {
    /// Stable: `lost`, `timed_out`, `upstream_failed`, or a code of the executor.
    #[schema(example = "exit")]
    code: String,
    /// What happened, in a sentence.
    message: String,
}

/// The status of a run.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum RunStatus {
    Pending,
    Queued,
    Running,
    Retrying,
    Paused,
    Succeeded,
    Failed,
    TimedOut,
    Cancelled,
}

/// Why a run is waiting but not ready.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum RunBlockedBy {
    Upstream,
    AvailableAt,
    Lane,
}

impl From<run::Run> for Run {
    fn from(run: run::Run) -> Self {
        let execution = run.execution();
        Self {
            status: run.status(),
            blocked_by: run.blocked_by(),
            finished_at: run.finished_at(),
            lease: execution.and_then(|execution| lease(execution, run.epoch)),
            cancel_requested: execution.is_some_and(|execution| execution.stop == Some(run::Stop::Cancel)),
            id: run.id.0,
            workspace: run.workspace.to_string(),
            task: run.task.to_string(),
            queue: run.queue.to_string(),
            lane: run.lane.map(|lane| lane.to_string()),
            priority: run.priority.get(),
            payload: run.payload,
            attempt: run.attempt,
            max_attempts: run.max_attempts,
            postponements: run.postponements,
            timeout_seconds: run.timeout_seconds,
            retry: run.retry.map(RunRetry::from),
            key: run.key.map(|key| key.to_string()),
            available_at: run.available_at,
            start_by: run.start_by,
            requested_at: run.requested_at,
            started_at: run.started_at,
            error: run.error,
            output: run.output,
            usage: UnitSums::new(),
            schedule_id: run.scheduled.map(|scheduled| scheduled.schedule.0),
            slot: run.scheduled.and_then(|scheduled| scheduled.slot),
            grant_id: run.scheduled.map(|scheduled| scheduled.grant.0),
            build_id: None,
            metadata: run.metadata,
        }
    }
}

/// Nobody vouches for an orphaned attempt, so it shows none.
fn lease(execution: &run::Execution, epoch: i64) -> Option<Lease> {
    match execution.tenure {
        Tenure::Leased { until } => Some(Lease { owner: execution.by.worker.0, epoch, expires_at: until }),
        Tenure::Orphaned { .. } => None,
    }
}

/// What is absent is written as `null`, and `null` is read as absent: raw JSON alone would read it as the value `null`.
mod nullable {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::run::Json;

    pub fn serialize<S: Serializer>(json: &Option<Json>, serializer: S) -> Result<S::Ok, S::Error> {
        json.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
        let json = Json::deserialize(deserializer)?;
        Ok((json.as_str() != "null").then_some(json))
    }
}
