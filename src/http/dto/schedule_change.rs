//! What to change about a schedule.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{GrantTerms, Name, ScheduleDst, ScheduleOverlap, SubmitRetry};
use crate::run::{Json, LaneName, Priority, QueueName, TaskName};
use crate::schedule::{Dst, Overlap, ScheduleName};

/// What to change about a schedule. What is absent stays; `null` brings back what it would be without the field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({"cron": "0 3 * * *", "timeout_seconds": null}))]
pub struct ScheduleChange {
    /// The version that was seen: if somebody has edited the schedule since, nothing is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Name>)]
    pub name: Option<Option<ScheduleName>>,
    /// The kind of work. Its grant must allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub task: Option<TaskName>,
    /// The input of each run.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Value)]
    pub payload: Option<Option<Json>>,
    /// The stream its runs join.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Name>)]
    pub queue: Option<Option<QueueName>>,
    /// The serial key of its runs.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Name>)]
    pub lane: Option<Option<LaneName>>,
    /// From -1000 to 1000; higher goes first.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<i16>, minimum = -1000, maximum = 1000)]
    pub priority: Option<Option<Priority>>,
    /// How many attempts each run has.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 65535)]
    pub max_attempts: Option<Option<NonZeroU16>>,
    /// How long one attempt may take.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 2147483647)]
    pub timeout_seconds: Option<Option<NonZeroU32>>,
    /// How long each run waits between attempts.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given_object")]
    #[schema(value_type = Option<SubmitRetry>)]
    pub retry: Option<Option<SubmitRetry>>,
    /// The caller's notes on every run, an object.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Option<Json>>,
    /// From now on, due whenever the clock on the wall suits this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "0 3 * * *")]
    pub cron: Option<String>,
    /// Whose clock.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub timezone: Option<Option<String>>,
    /// What happens on the days that clock is changed.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<ScheduleDst>)]
    pub dst: Option<Option<Dst>>,
    /// From now on, due again and again after so many seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub every_seconds: Option<NonZeroU32>,
    /// The first of these slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// From now on, due once, then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What happens when it is due and the run before has not ended.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<ScheduleOverlap>)]
    pub overlap: Option<Option<Overlap>>,
    /// How many missed slots are made up for at most.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u16>, minimum = 0, maximum = 1000)]
    pub catch_up_limit: Option<Option<u16>>,
    /// How late a run may start at most.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub starting_deadline_seconds: Option<Option<NonZeroU32>>,
    /// By how much a slot's run may be put off.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 86400)]
    pub jitter_seconds: Option<Option<u32>>,
    /// Whether it is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The grant it runs under from now on. Excludes `grant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<Uuid>,
    /// A grant to be made for it. Excludes `grant_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantTerms>,
}

/// A field that is there, if only to say `null`.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// As `given`, for what must be written as an object.
fn given_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    super::object::object(deserializer).map(Some)
}
