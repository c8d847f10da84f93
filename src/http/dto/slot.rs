//! The slots of a schedule: those to come, and what became of those that went by.

use std::num::NonZeroU32;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Run, ScheduleDst};
use crate::schedule::{self, Dst, Previewed, SkipReason};

/// When something would be due, to be tried out: exactly one of `cron`, `every_seconds` and `at`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"cron": "30 2 * * *", "timezone": "Europe/Berlin", "count": 5}))]
pub struct PreviewRequest {
    /// Due whenever the clock on the wall suits this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Whose clock; `UTC` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// What happens on the days that clock is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleDst>)]
    pub dst: Option<Dst>,
    /// Due again and again after so many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub every_seconds: Option<NonZeroU32>,
    /// The first of these slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// Due once, then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Only slots after this; now unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// At most so many; 10 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    pub count: Option<u16>,
}

/// Slots to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Preview {
    /// In order of time; fewer than were asked for if there are no more.
    pub data: Vec<Slot>,
}

/// A slot to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Slot {
    /// When it is.
    pub slot: Timestamp,
    /// What the clock on the wall shows then, with its offset.
    #[schema(example = "2026-11-17T02:30:00+01:00")]
    pub local: String,
    /// What is unusual about it.
    #[schema(required, example = json!(null))]
    pub note: Option<String>,
}

impl From<Previewed> for Slot {
    fn from(previewed: Previewed) -> Self {
        let Previewed { slot, local, note } = previewed;
        Self {
            slot,
            local: local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            note: note.map(|note| note.text().to_owned()),
        }
    }
}

/// What became of a slot: a run, or slots in a row that got none (`"status": "skipped"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum SlotOutcome {
    /// Slots that got no run.
    Skipped(Skipped),
    /// A run, as it is shown elsewhere.
    Run(Box<Run>),
}

/// Slots in a row that got no run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// Names the record.
    pub id: Uuid,
    /// Always `skipped`.
    pub status: SkippedStatus,
    /// Whose slots.
    pub schedule_id: Uuid,
    /// The first of them.
    pub slot: Timestamp,
    /// The last of them.
    pub last_slot: Timestamp,
    /// How many they are; from 1,000 on, at least so many.
    #[schema(example = 1)]
    pub count: u32,
    /// Why: `missed` (nothing could be started), `overlap` (the run before was under way), `withdrawn` (the schedule was
    /// paused, edited or deleted before it could start).
    #[schema(value_type = SlotSkipReason)]
    pub reason: SkipReason,
    /// When that was found.
    pub skipped_at: Timestamp,
}

/// Tells it from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkippedStatus {
    /// It got no run.
    Skipped,
}

/// Why a slot got no run.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum SlotSkipReason {
    Missed,
    Overlap,
    Withdrawn,
}

impl From<schedule::Skip> for Skipped {
    fn from(skip: schedule::Skip) -> Self {
        let schedule::Skip { id, schedule, first, last, count, reason, at } = skip;
        Self {
            id: id.0,
            status: SkippedStatus::Skipped,
            schedule_id: schedule.0,
            slot: first,
            last_slot: last,
            count,
            reason,
            skipped_at: at,
        }
    }
}
