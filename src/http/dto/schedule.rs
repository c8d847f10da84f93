//! Schedules.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{GrantTerms, Name, RunRetry, SubmitRetry};
use crate::run::{Json, LaneName, Priority, QueueName, TaskName};
use crate::schedule::{self, Disabled, Dst, Overlap, ScheduleName, Timing};

/// A request for a schedule: a task, when it is due (exactly one of `cron`, `every_seconds` and `at`), and under whose
/// permission it runs. What says nothing of a grant gets one of its own: for the caller, for this task, paid for by the
/// workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "nightly report", "task": "report", "payload": {"format": "pdf"}, "cron": "30 2 * * *",
    "timezone": "Europe/Berlin", "overlap": "forbid"}))]
pub struct NewSchedule {
    /// What people call it; the task unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub name: Option<ScheduleName>,
    /// The kind of work.
    #[schema(value_type = Name, example = "report")]
    pub task: TaskName,
    /// The input of each run; `null` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub payload: Option<Json>,
    /// The stream its runs join; what the task says, or `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub queue: Option<QueueName>,
    /// The serial key of its runs. Without one, runs that may not overlap share a lane of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub lane: Option<LaneName>,
    /// From -1000 to 1000; higher goes first. 0 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i16>, minimum = -1000, maximum = 1000)]
    pub priority: Option<Priority>,
    /// How many attempts each run has; what the task says, or 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 65535)]
    pub max_attempts: Option<NonZeroU16>,
    /// How long one attempt may take; what the task says, or without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 2147483647)]
    pub timeout_seconds: Option<NonZeroU32>,
    /// How long each run waits between attempts; what the task says, or from 1 s up to 60 s.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "super::object::object")]
    pub retry: Option<SubmitRetry>,
    /// The caller's notes on every run, an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Json>,
    /// Due whenever the clock on the wall suits this: five fields (minute, hour, day of month, month, day of week) or a
    /// nickname such as `@daily`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "30 2 * * *", max_length = 200)]
    pub cron: Option<String>,
    /// Whose clock, by its IANA name; `UTC` unless given. With `cron` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// What happens on the days that clock is changed. With `cron` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleDst>)]
    pub dst: Option<Dst>,
    /// Due again and again after so many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub every_seconds: Option<NonZeroU32>,
    /// The first of these slots; one interval from now unless given. With `every_seconds` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// Due once, then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What happens when it is due and the run before has not ended: the slot is skipped (`forbid`, unless given), both run
    /// (`allow`), or the one before is cancelled (`replace`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleOverlap>)]
    pub overlap: Option<Overlap>,
    /// How many missed slots are made up for at most, the latest of them; 0 unless given. Not with `replace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000)]
    pub catch_up_limit: Option<u16>,
    /// How late a run may start at most; later, it does not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub starting_deadline_seconds: Option<NonZeroU32>,
    /// By how much a slot's run may be put off, so that not everything begins on the hour; 0 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86400)]
    pub jitter_seconds: Option<u32>,
    /// Whether it begins at once; `true` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The grant it runs under. Excludes `grant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<Uuid>,
    /// A grant to be made for it. Excludes `grant_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantTerms>,
}

/// A schedule: work that is to be done again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    /// Names it.
    pub id: Uuid,
    /// The tenant.
    #[schema(example = "default")]
    pub workspace: String,
    /// What people call it.
    #[schema(example = "nightly report")]
    pub name: String,
    /// The kind of work.
    #[schema(example = "report")]
    pub task: String,
    /// The input of each run.
    #[schema(value_type = Value, example = json!({"format": "pdf"}))]
    pub payload: Json,
    /// The stream its runs join.
    #[schema(example = "default")]
    pub queue: String,
    /// The serial key of its runs.
    #[schema(required, example = json!(null))]
    pub lane: Option<String>,
    /// From -1000 to 1000; higher goes first.
    pub priority: i16,
    /// How many attempts each run has.
    #[schema(example = 3)]
    pub max_attempts: u16,
    /// How long one attempt may take.
    #[schema(required, example = json!(null))]
    pub timeout_seconds: Option<u32>,
    /// How long each run waits between attempts; `null` for the usual, from 1 s up to 60 s.
    #[serde(default)]
    #[schema(required, example = json!(null))]
    pub retry: Option<RunRetry>,
    /// The caller's notes on every run.
    #[schema(required, value_type = Value, example = json!(null))]
    pub metadata: Option<Json>,
    /// Due whenever the clock on the wall suits this.
    #[schema(required, example = "30 2 * * *")]
    pub cron: Option<String>,
    /// Whose clock.
    #[schema(required, example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// What happens on the days that clock is changed.
    #[schema(required, value_type = Option<ScheduleDst>)]
    pub dst: Option<Dst>,
    /// Due again and again after so many seconds.
    #[schema(required, example = json!(null))]
    pub every_seconds: Option<u32>,
    /// The first of these slots.
    #[schema(required, example = json!(null))]
    pub starts_at: Option<Timestamp>,
    /// Due once, then.
    #[schema(required, example = json!(null))]
    pub at: Option<Timestamp>,
    /// What happens when it is due and the run before has not ended.
    #[schema(value_type = ScheduleOverlap)]
    pub overlap: Overlap,
    /// How many missed slots are made up for at most.
    pub catch_up_limit: u16,
    /// How late a run may start at most.
    #[schema(required, example = json!(null))]
    pub starting_deadline_seconds: Option<u32>,
    /// By how much a slot's run may be put off.
    pub jitter_seconds: u32,
    /// Whether it is at work.
    #[schema(example = true)]
    pub enabled: bool,
    /// Why it is not.
    #[schema(required, value_type = Option<ScheduleDisabled>)]
    pub disabled: Option<Disabled>,
    /// The slot that comes next, or waits for its run to start.
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
    /// When it was made.
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
            starting_deadline_seconds: spec.starting_deadline_seconds.map(NonZeroU32::get),
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

/// What happens when a slot is due and the run before has not ended.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum ScheduleOverlap {
    Forbid,
    Allow,
    Replace,
}

/// What becomes of slots on the days the clock is changed. An expression whose hour is `*` or `*/n` goes by elapsed time
/// instead.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) struct ScheduleDst {
    /// For times that the clock skips: due right `after` the gap, or not at all (`skip`).
    #[schema(required = false)]
    gap: ScheduleGap,
    /// For times that it shows twice: due the `first` time, the `second`, or `both`.
    #[schema(required = false)]
    overlap: ScheduleFold,
}

/// For times that the clock skips.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum ScheduleGap {
    After,
    Skip,
}

/// For times that the clock shows twice.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum ScheduleFold {
    First,
    Second,
    Both,
}

/// Why a schedule is not at work.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) struct ScheduleDisabled {
    /// Stable: `paused`, `completed`, `grant_expired`, `grant_revoked`, `grant_scope`.
    #[schema(example = "grant_revoked")]
    code: String,
    /// What happened, in a sentence.
    message: String,
}
