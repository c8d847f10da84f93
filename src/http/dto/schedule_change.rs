//! What to change about a schedule.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{GrantTerms, Name, ScheduleDst, ScheduleOverlap, SubmitRetry};
use crate::run::{Json, LaneName, Priority, QueueName, TaskName};
use crate::schedule::{Dst, Overlap, ScheduleName};

/// A change to a schedule. Absent fields stay as they are; `null` resets a field to its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({"cron": "0 3 * * *", "timeout_seconds": null}))]
pub struct ScheduleChange {
    /// The version that the change is based on: if somebody has edited the schedule since, nothing is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Name>)]
    pub name: Option<Option<ScheduleName>>,
    /// The task to execute. The grant must allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub task: Option<TaskName>,
    /// The payload of each run.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Value)]
    pub payload: Option<Option<Json>>,
    /// The queue of its runs.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Name>)]
    pub queue: Option<Option<QueueName>>,
    /// The lane of its runs.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Name>)]
    pub lane: Option<Option<LaneName>>,
    /// From -1000 to 1000; higher runs first.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<i16>, minimum = -1000, maximum = 1000)]
    pub priority: Option<Option<Priority>>,
    /// Number of attempts of each run.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 65535)]
    pub max_attempts: Option<Option<NonZeroU16>>,
    /// Time limit of one attempt.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 2147483647)]
    pub timeout_seconds: Option<Option<NonZeroU32>>,
    /// The backoff between attempts of each run.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given_object")]
    #[schema(value_type = Option<SubmitRetry>)]
    pub retry: Option<Option<SubmitRetry>>,
    /// Metadata for every run, an object.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Option<Json>>,
    /// From now on: cron expression in local time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "0 3 * * *")]
    pub cron: Option<String>,
    /// Time zone of the cron expression.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub timezone: Option<Option<String>>,
    /// What happens on days when the clock changes.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<ScheduleDst>)]
    pub dst: Option<Option<Dst>>,
    /// From now on: fixed interval in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub every_seconds: Option<NonZeroU32>,
    /// The first slot of the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// From now on: due once, at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What happens if the previous run has not ended.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<ScheduleOverlap>)]
    pub overlap: Option<Option<Overlap>>,
    /// Maximum number of missed slots to catch up on.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u16>, minimum = 0, maximum = 1000)]
    pub catch_up_limit: Option<Option<u16>>,
    /// Maximum delay of a start: a run that is later does not start.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub start_within_seconds: Option<Option<NonZeroU32>>,
    /// Delays each run by up to this much.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 86400)]
    pub jitter_seconds: Option<Option<u32>>,
    /// Whether it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The grant it runs under from now on. Cannot be combined with `grant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<Uuid>,
    /// A new grant to create for it. Cannot be combined with `grant_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantTerms>,
}

/// A field that is present, even if it is `null`.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// As `given`, for what must be written as an object.
fn given_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    super::object::object(deserializer).map(Some)
}
