//! The part of the seam that is about recurring work: schedules, the grants they run under, and what runs used up.

use async_trait::async_trait;

use super::{
    CheckedGrant, CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, Listed, Page, Result,
    RevokeGrantOutcome, ScheduleEdit, ScheduleFilter, Usage, UsageFilter, UsageSum,
};
use crate::run::{GrantId, RunId, ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{Grant, NewGrant, NewSchedule, Schedule, ScheduleName, Skip, SkipId};

/// Recurring work. What brings the next run of a schedule is no verb of its own: the claim, or the end of the run before
/// it, whatever ended it, does that in the same transaction.
#[async_trait]
pub trait Schedules: Send + Sync + 'static {
    /// Makes a grant.
    async fn create_grant(&self, grant: &NewGrant) -> Result<CreateGrantOutcome>;

    /// One grant.
    async fn grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<Option<Grant>>;

    /// The grants of a workspace, newest first.
    async fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>>;

    /// Whether a grant allows a task now.
    async fn check_grant(
        &self,
        workspace: &WorkspaceName,
        grant: GrantId,
        task: &TaskName,
    ) -> Result<Option<CheckedGrant>>;

    /// Revokes a grant for good: claims that begin after the answer start nothing under it.
    async fn revoke_grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<RevokeGrantOutcome>;

    /// Makes a schedule, and the grant it runs under if that is given, with the run of its first slot. No two schedules of a
    /// workspace have the same name.
    async fn create_schedule(&self, schedule: &NewSchedule, grant: Option<&NewGrant>) -> Result<CreateScheduleOutcome>;

    /// Edits, pauses or resumes a schedule, and makes the grant it is to run under if that is given. Its waiting run is
    /// replaced or removed; one that has started goes on.
    async fn edit_schedule(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        edit: &ScheduleEdit,
        grant: Option<&NewGrant>,
    ) -> Result<EditScheduleOutcome>;

    /// Removes a schedule with its waiting run; one that has started goes on. `false` if there is none.
    async fn delete_schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<bool>;

    /// One schedule.
    async fn schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<Option<Schedule>>;

    /// The schedule of this name, if the workspace has one.
    async fn schedule_named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>>;

    /// The schedules of a workspace, newest first.
    async fn schedules(
        &self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Listed<Schedule, ScheduleId>>;

    /// The slots of a schedule that got no run, newest record first.
    async fn skips(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Listed<Skip, SkipId>>;

    /// Repairs chains whose waiting run is gone, at most `limit`; answers which.
    async fn sweep_schedules(&self, limit: usize) -> Result<Vec<ScheduleId>>;

    /// What runs of a workspace used up, by account, task, unit and day.
    async fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>>;

    /// What the attempts of these runs used up.
    async fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>>;
}
