//! The slots of a schedule: those to come, and what became of those that went by.

use std::num::NonZeroU32;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Run, ScheduleDst};
use crate::schedule::{self, Dst, Previewed, SkipReason};

/// Times to preview: exactly one of `cron`, `every_seconds` and `at`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"cron": "30 2 * * *", "timezone": "Europe/Berlin", "count": 5}))]
pub struct PreviewRequest {
    /// Cron expression in local time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Time zone of the expression; `UTC` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// What happens on days when the clock changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScheduleDst>)]
    pub dst: Option<Dst>,
    /// Fixed interval in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 4294967295u64)]
    pub every_seconds: Option<NonZeroU32>,
    /// The first slot of the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// Due once, at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Only slots after this time; now by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Maximum number of slots; 10 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    pub count: Option<u16>,
}

/// Future slots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Preview {
    /// In order of time; fewer than requested if there are no more.
    pub data: Vec<Slot>,
}

/// A future slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Slot {
    /// When it is due.
    pub slot: Timestamp,
    /// The same in local time, with its offset.
    #[schema(example = "2026-11-17T02:30:00+01:00")]
    pub local: String,
    /// A note if a clock change affects it.
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

/// What became of a slot: a run, or consecutive skipped slots (`"status": "skipped"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum SlotOutcome {
    /// Skipped slots.
    Skipped(Skipped),
    /// A run, in the usual format.
    Run(Box<Run>),
}

/// Consecutive slots that were skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The id of the record.
    pub id: Uuid,
    /// Always `skipped`.
    pub status: SkippedStatus,
    /// The schedule.
    pub schedule_id: Uuid,
    /// The first skipped slot.
    pub slot: Timestamp,
    /// The last skipped slot.
    pub last_slot: Timestamp,
    /// Number of skipped slots; from 1,000 on, a lower bound.
    #[schema(example = 1)]
    pub count: u32,
    /// The reason: `missed` (nothing could start), `overlap` (the previous run had not ended) or `withdrawn` (the schedule was
    /// paused, edited or deleted before the run could start).
    #[schema(value_type = SlotSkipReason)]
    pub reason: SkipReason,
    /// When the skip was recorded.
    pub skipped_at: Timestamp,
}

/// Distinguishes it from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkippedStatus {
    /// The slot was skipped.
    Skipped,
}

/// Why a slot was skipped.
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
