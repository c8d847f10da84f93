//! Schedules.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{GrantTerms, Name, RunRetry, SubmitRetry};
use crate::run::{Json, LaneName, Priority, QueueName, TaskName};
use crate::schedule::{self, Disabled, Dst, Overlap, ScheduleName, Timing};

/// A request for a schedule: a task, exactly one of `cron`, `every_seconds` and `at`, and optionally a grant. Without a
/// grant it gets its own: in the caller's name, for this task, charged to an account named after the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "nightly report", "task": "report", "payload": {"format": "pdf"}, "cron": "30 2 * * *",
    "timezone": "Europe/Berlin", "overlap": "forbid"}))]
pub struct NewSchedule {
    /// Its name; by default the task's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub name: Option<ScheduleName>,
    /// The task to execute.
    #[schema(value_type = Name, example = "report")]
    pub task: TaskName,
    /// The payload of each run; `null` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub payload: Option<Json>,
    /// The queue of its runs; by default the task's, or `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub queue: Option<QueueName>,
    /// The lane of its runs. By default, runs that must not overlap share a lane of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub lane: Option<LaneName>,
    /// From -1000 to 1000; higher runs first. 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i16>, minimum = -1000, maximum = 1000)]
    pub priority: Option<Priority>,
    /// Number of attempts of each run; by default the task's, or 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 65535)]
    pub max_attempts: Option<NonZeroU16>,
    /// Time limit of one attempt; by default the task's, or no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 2147483647)]
    pub timeout_seconds: Option<NonZeroU32>,
    /// The backoff between attempts of each run; by default the task's, or 1 to 60 s.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "super::object::object")]
    pub retry: Option<SubmitRetry>,
    /// Metadata for every run, an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Json>,
    /// Cron expression in local time: five fields (minute, hour, day of month, month, day of week) or a nickname such as
    /// `@daily`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "30 2 * * *", max_length = 200)]
    pub cron: Option<String>,
    /// IANA name of the time zone; `UTC` by default. Only with `cron`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// What happens on days when the clock changes. Only with `cron`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleDst>)]
    pub dst: Option<Dst>,
    /// Fixed interval in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub every_seconds: Option<NonZeroU32>,
    /// The first slot; one interval from now by default. Only with `every_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// Due once, at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What happens if the previous run has not ended: the slot is skipped (`forbid`, the default), both run (`allow`), or the
    /// previous run is cancelled (`replace`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleOverlap>)]
    pub overlap: Option<Overlap>,
    /// Maximum number of missed slots to catch up on, latest first to count; 0 by default. Not with `replace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000)]
    pub catch_up_limit: Option<u16>,
    /// Maximum delay of a start: a run that is later does not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub start_within_seconds: Option<NonZeroU32>,
    /// Delays each run by up to this much, so that not everything starts on the hour; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86400)]
    pub jitter_seconds: Option<u32>,
    /// Whether it is enabled; `true` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The grant it runs under. Cannot be combined with `grant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<Uuid>,
    /// A new grant to create for it. Cannot be combined with `grant_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantTerms>,
}

/// A schedule: it submits a run of a task at recurring times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    /// Its id.
    pub id: Uuid,
    /// The workspace.
    #[schema(example = "default")]
    pub workspace: String,
    /// Its name.
    #[schema(example = "nightly report")]
    pub name: String,
    /// The task to execute.
    #[schema(example = "report")]
    pub task: String,
    /// The payload of each run.
    #[schema(value_type = Value, example = json!({"format": "pdf"}))]
    pub payload: Json,
    /// The queue of its runs.
    #[schema(example = "default")]
    pub queue: String,
    /// The lane of its runs.
    #[schema(required, example = json!(null))]
    pub lane: Option<String>,
    /// From -1000 to 1000; higher runs first.
    pub priority: i16,
    /// Number of attempts of each run.
    #[schema(example = 3)]
    pub max_attempts: u16,
    /// Time limit of one attempt.
    #[schema(required, example = json!(null))]
    pub timeout_seconds: Option<u32>,
    /// The backoff between attempts of each run; `null` for the default, 1 to 60 s.
    #[serde(default)]
    #[schema(required, example = json!(null))]
    pub retry: Option<RunRetry>,
    /// Metadata for every run.
    #[schema(required, value_type = Value, example = json!(null))]
    pub metadata: Option<Json>,
    /// Cron expression in local time.
    #[schema(required, example = "30 2 * * *")]
    pub cron: Option<String>,
    /// Time zone of the cron expression.
    #[schema(required, example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// What happens on days when the clock changes.
    #[schema(required, value_type = Option<ScheduleDst>)]
    pub dst: Option<Dst>,
    /// Fixed interval in seconds.
    #[schema(required, example = json!(null))]
    pub every_seconds: Option<u32>,
    /// The first slot of the interval.
    #[schema(required, example = json!(null))]
    pub starts_at: Option<Timestamp>,
    /// Due once, at this time.
    #[schema(required, example = json!(null))]
    pub at: Option<Timestamp>,
    /// What happens if the previous run has not ended.
    #[schema(value_type = ScheduleOverlap)]
    pub overlap: Overlap,
    /// Maximum number of missed slots to catch up on.
    pub catch_up_limit: u16,
    /// Maximum delay of a start: a run that is later does not start.
    #[schema(required, example = json!(null))]
    pub start_within_seconds: Option<u32>,
    /// Delays each run by up to this much.
    pub jitter_seconds: u32,
    /// Whether it is enabled.
    #[schema(example = true)]
    pub enabled: bool,
    /// Why it is disabled.
    #[schema(required, value_type = Option<ScheduleDisabled>)]
    pub disabled: Option<Disabled>,
    /// The next slot, or the one whose run is waiting to start.
    #[schema(required)]
    pub next_slot: Option<Timestamp>,
    /// The latest slot whose run has started.
    #[schema(required)]
    pub last_slot: Option<Timestamp>,
    /// The grant it runs under.
    pub grant_id: Uuid,
    /// Rises by one with every edit.
    #[schema(example = 1)]
    pub version: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last edited, enabled or disabled.
    pub updated_at: Timestamp,
}

impl Schedule {
    /// As it is at `now`.
    pub fn of(schedule: schedule::Schedule, now: Timestamp) -> Self {
        let next_slot = schedule.next_slot(now);
        let spec = schedule.spec;
        let mut shown = Self {
            id: schedule.id.0,
            workspace: schedule.workspace.to_string(),
            name: spec.name.to_string(),
            task: spec.task.to_string(),
            payload: spec.payload,
            queue: spec.queue.to_string(),
            lane: spec.lane.map(|lane| lane.to_string()),
            priority: spec.priority.get(),
            max_attempts: spec.max_attempts.get(),
            timeout_seconds: spec.timeout_seconds.map(NonZeroU32::get),
            retry: spec.retry.map(RunRetry::from),
            metadata: spec.metadata,
            cron: None,
            timezone: None,
            dst: None,
            every_seconds: None,
            starts_at: None,
            at: None,
            overlap: spec.overlap,
            catch_up_limit: spec.catch_up_limit,
            start_within_seconds: spec.start_within_seconds.map(NonZeroU32::get),
            jitter_seconds: spec.jitter_seconds,
            enabled: schedule.disabled.is_none(),
            disabled: schedule.disabled,
            next_slot,
            last_slot: schedule.last_slot,
            grant_id: schedule.grant.0,
            version: schedule.version,
            created_at: schedule.created_at,
            updated_at: schedule.updated_at,
        };
        match spec.timing {
            Timing::Cron { cron, zone, dst } => {
                (shown.cron, shown.timezone) = (Some(cron.as_str().to_owned()), Some(zone.as_str().to_owned()));
                shown.dst = Some(dst);
            }
            Timing::Every { seconds, from } => {
                (shown.every_seconds, shown.starts_at) = (Some(seconds.get()), Some(from));
            }
            Timing::Once { at } => shown.at = Some(at),
        }
        shown
    }
}

/// What happens if a slot is due and the previous run has not ended.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum ScheduleOverlap {
    Forbid,
    Allow,
    Replace,
}

/// What happens to slots on days when the clock changes. An expression whose hour is `*` or `*/n` follows elapsed time
/// instead.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) struct ScheduleDst {
    /// If the clock skips the time: due right `after` the gap, or not at all (`skip`).
    #[schema(required = false)]
    gap: ScheduleGap,
    /// If the clock shows the time twice: due the `first` time, the `second`, or `both`.
    #[schema(required = false)]
    overlap: ScheduleFold,
}

/// If the clock skips the time.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum ScheduleGap {
    After,
    Skip,
}

/// If the clock shows the time twice.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum ScheduleFold {
    First,
    Second,
    Both,
}

/// Why a schedule is disabled.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) struct ScheduleDisabled {
    /// Stable: `paused`, `completed`, `grant_expired`, `grant_revoked`, `grant_scope`.
    #[schema(example = "grant_revoked")]
    code: String,
    /// What happened, in a sentence.
    message: String,
}
