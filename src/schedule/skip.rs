//! Slots that got no run, and why.

use jiff::Timestamp;

use super::model::id_of;
use crate::run::{ScheduleId, ids};

ids! {
    /// Names a record of skipped slots.
    SkipId;
}

/// Slots in a row that got no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Its id.
    pub id: SkipId,
    /// Whose slots.
    pub schedule: ScheduleId,
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// How many they are: at least so many, where counting stopped.
    pub count: u32,
    /// Why.
    pub reason: SkipReason,
    /// When that was found.
    pub at: Timestamp,
}

/// Why a slot got no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It went by while nothing could be started: no worker was there, or the run before waited too long.
    Missed,
    /// It went by while the run before was under way.
    Overlap,
    /// It was due, and the schedule was paused, edited or deleted before its run could start.
    Withdrawn,
}

impl SkipReason {
    const ALL: [SkipReason; 3] = [SkipReason::Missed, SkipReason::Overlap, SkipReason::Withdrawn];

    /// Its name in the database and in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::Missed => "missed",
            SkipReason::Overlap => "overlap",
            SkipReason::Withdrawn => "withdrawn",
        }
    }

    /// The reason that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

impl Skip {
    /// The record of a single slot.
    pub fn of_slot(schedule: ScheduleId, slot: Timestamp, reason: SkipReason, now: Timestamp) -> Self {
        let id = SkipId(id_of(schedule, slot, None, now).0);
        Self { id, schedule, first: slot, last: slot, count: 1, reason, at: now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_comes_before_the_run_that_is_made_with_it() {
        let now = Timestamp::constant(1_800_000_000, 0);
        for number in 0..100 {
            let schedule = ScheduleId(uuid::Uuid::from_u128(number));
            let skip = Skip::of_slot(schedule, now, SkipReason::Overlap, now);
            assert!(skip.id.0 < id_of(schedule, now, Some(1), now).0);
        }
    }
}
