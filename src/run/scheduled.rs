//! What a run owes to a schedule.

use jiff::Timestamp;

use super::{GrantId, ScheduleId};

/// Which schedule asked for a run, for which slot, and by which permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// The schedule.
    pub schedule: ScheduleId,
    /// The slot; `None` if somebody asked for a run outside of all slots.
    pub slot: Option<Timestamp>,
    /// The permission, checked whenever an attempt is claimed.
    pub grant: GrantId,
}
