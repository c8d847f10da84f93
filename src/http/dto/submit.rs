//! A submission.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Name, Run, SubmitRetry};
use crate::run::{Json, KeyMode, LaneName, Priority, QueueName, RunKey, TaskName};

/// A request for a run. Only `task` is required.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"task": "echo", "payload": {"hello": "world"}, "priority": 10, "lane": "customer-17"}))]
pub struct SubmitRun {
    /// The task to execute.
    #[schema(value_type = Name, example = "echo")]
    pub task: TaskName,
    /// The payload; `null` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub payload: Option<Json>,
    /// The queue to join; by default the task's, or `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub queue: Option<QueueName>,
    /// From -1000 to 1000; higher runs first. 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i16>, minimum = -1000, maximum = 1000)]
    pub priority: Option<Priority>,
    /// Its lane, a serial key: runs of one lane execute one at a time, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub lane: Option<LaneName>,
    /// Earliest start time. Cannot be combined with `delay_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_at: Option<Timestamp>,
    /// Delay before it may start, in seconds. Cannot be combined with `available_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 315360000)]
    pub delay_seconds: Option<f64>,
    /// When it ends as `cancelled` unless it has begun. Cannot be combined with `start_within_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_by: Option<Timestamp>,
    /// As `start_by`, in seconds after its earliest start time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 315360000)]
    pub start_within_seconds: Option<std::num::NonZeroU32>,
    /// Number of attempts; by default the task's, or 3. With 1 it is executed at most once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 65535)]
    pub max_attempts: Option<std::num::NonZeroU16>,
    /// Time limit of one attempt; by default the task's, or no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 2147483647)]
    pub timeout_seconds: Option<std::num::NonZeroU32>,
    /// The backoff between attempts; by default the task's, or 1 to 60 s.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "super::object::object")]
    pub retry: Option<SubmitRetry>,
    /// Whether to create it `pending`, so that it waits for `enqueue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<bool>,
    /// Runs that must succeed before it starts; if one does not, it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 1000)]
    pub after: Option<Vec<Uuid>>,
    /// Its run key, which identifies the work until it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub key: Option<RunKey>,
    /// What to do if a run that has not started has the same run key: `keep` it, `replace` it, or replace it but keep its due
    /// time (`preserve_available_at`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SubmitKeyMode>)]
    pub key_mode: Option<KeyMode>,
    /// Metadata of the caller, an object; Runlane does not interpret it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Json>,
}

/// The response to a submission: the run, or with `Prefer: return=minimal` only its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum RunOrId {
    /// The complete run.
    Run(Box<Run>),
    /// Only its id.
    Id(Submitted),
}

/// The response to a submission with `Prefer: return=minimal`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Submitted {
    /// The id of the run.
    pub id: Uuid,
}

/// What to do with the run that has the same key.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum SubmitKeyMode {
    Keep,
    Replace,
    PreserveAvailableAt,
}

impl SubmitRun {
    /// A run of `task` with this input, as the task has it otherwise.
    pub fn of(task: TaskName, payload: Option<Json>) -> Self {
        Self {
            task,
            payload,
            queue: None,
            priority: None,
            lane: None,
            available_at: None,
            delay_seconds: None,
            start_by: None,
            start_within_seconds: None,
            max_attempts: None,
            timeout_seconds: None,
            retry: None,
            hold: None,
            after: None,
            key: None,
            key_mode: None,
            metadata: None,
        }
    }
}
