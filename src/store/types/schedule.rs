//! Schedules, grants and what their runs used up.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::run::{GrantId, RunId, ScheduleId, TaskName};
pub use crate::schedule::ScheduleEdit;
use crate::schedule::{BillingAccount, Grant, Schedule, ScheduleName, Standing};

/// What came of making a grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateGrantOutcome {
    /// It is there.
    Created(Grant),
    /// A grant with this id exists.
    DuplicateId,
    /// There is no such workspace.
    UnknownWorkspace,
}

/// What came of revoking a grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevokeGrantOutcome {
    /// It is revoked; no claim after this starts anything under it.
    Revoked(Grant),
    /// It was revoked before.
    AlreadyRevoked(Grant),
    /// There is no such grant in this workspace.
    NotFound,
}

/// A grant, and whether it allows a task by the store's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedGrant {
    /// The grant.
    pub grant: Grant,
    /// What it allows.
    pub standing: Standing,
}

/// What came of making a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and nearly always the large one")]
pub enum CreateScheduleOutcome {
    /// It is there, and so is the run of its first slot if it is enabled.
    Created(Schedule),
    /// A schedule with this id exists.
    DuplicateId,
    /// There is no such workspace.
    UnknownWorkspace,
    /// There is no such grant in this workspace.
    UnknownGrant,
    /// A grant that was to be made with it has an id that exists.
    DuplicateGrant,
    /// The grant does not allow its task, or not any more.
    GrantRefused(Standing),
    /// It has no slot to come.
    NoSlots,
    /// This schedule of the workspace has its name.
    NameTaken(ScheduleId, ScheduleName),
}

/// What came of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditScheduleOutcome {
    /// It is done: the waiting run, if there was one, is the new one's.
    Edited(Schedule),
    /// Everything was so already: nothing was written.
    Unchanged(Schedule),
    /// Somebody else edited it in between; look again.
    Outdated,
    /// There is no such schedule in this workspace.
    NotFound,
    /// There is no such grant in this workspace.
    UnknownGrant,
    /// The grant does not allow its task, or not any more.
    GrantRefused(Standing),
    /// It is to be at work, and has no slot to come.
    NoSlots,
    /// This other schedule of the workspace has the name.
    NameTaken(ScheduleId, ScheduleName),
    /// Its new grant exists already.
    DuplicateGrant,
}

/// Which schedules to list; what is unset does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleFilter {
    /// Under this grant.
    pub grant: Option<GrantId>,
}

/// Which usage to sum up; what is unset does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageFilter {
    /// Charged to this account.
    pub account: Option<BillingAccount>,
    /// By runs of this task.
    pub task: Option<TaskName>,
    /// Of this unit.
    pub unit: Option<String>,
    /// From then on.
    pub from: Option<Timestamp>,
    /// Before then.
    pub until: Option<Timestamp>,
}

/// What was used up of a unit on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSum {
    /// Who pays; `None` for runs without a grant.
    pub account: Option<BillingAccount>,
    /// By runs of this task.
    pub task: TaskName,
    /// Of what.
    pub unit: String,
    /// When, in UTC.
    pub day: Date,
    /// How much.
    pub amount: u64,
}

/// What an attempt used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Of which run.
    pub run: RunId,
    /// Its attempt.
    pub attempt: u32,
    /// Of what.
    pub unit: String,
    /// How much.
    pub amount: u64,
}
