//! The verbs of recurring work.

use async_trait::async_trait;

use super::MemoryStore;
use crate::run::{GrantId, RunId, ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{Grant, NewGrant, NewSchedule, Schedule, ScheduleName, Skip, SkipId};
use crate::store::{
    CheckedGrant, CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, Listed, Page, Result,
    RevokeGrantOutcome, ScheduleEdit, ScheduleFilter, Schedules, Usage, UsageFilter, UsageSum,
};

#[async_trait]
impl Schedules for MemoryStore {
    async fn create_grant(&self, grant: &NewGrant) -> Result<CreateGrantOutcome> {
        Ok(self.change(|model, now| model.create_grant(grant, now)))
    }

    async fn grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<Option<Grant>> {
        let (model, _) = self.open();
        Ok(model.find_grant(workspace, grant).cloned())
    }

    async fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>> {
        let (model, _) = self.open();
        let wanted = |grant: &&Grant| grant.workspace == *workspace && page.after.is_none_or(|after| grant.id < after);
        let found = model.grants.values().rev().filter(wanted).take(page.limit + 1).cloned().collect();
        Ok(Listed::cut(found, page.limit, |grant: &Grant| grant.id))
    }

    async fn check_grant(
        &self,
        workspace: &WorkspaceName,
        grant: GrantId,
        task: &TaskName,
    ) -> Result<Option<CheckedGrant>> {
        let (model, now) = self.open();
        let found = model.find_grant(workspace, grant).cloned();
        Ok(found.map(|grant| CheckedGrant { standing: grant.standing(task, now), grant }))
    }

    async fn revoke_grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<RevokeGrantOutcome> {
        Ok(self.change(|model, now| model.revoke_grant(workspace, grant, now)))
    }

    async fn create_schedule(&self, schedule: &NewSchedule, grant: Option<&NewGrant>) -> Result<CreateScheduleOutcome> {
        Ok(self.change(|model, now| model.create_schedule(schedule, grant, now)))
    }

    async fn edit_schedule(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        edit: &ScheduleEdit,
        grant: Option<&NewGrant>,
    ) -> Result<EditScheduleOutcome> {
        Ok(self.change(|model, now| model.edit_schedule(workspace, schedule, edit, grant, now)))
    }

    async fn delete_schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<bool> {
        Ok(self.change(|model, now| model.delete_schedule(workspace, schedule, now)))
    }

    async fn schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<Option<Schedule>> {
        let (model, _) = self.open();
        Ok(model.find_schedule(workspace, schedule).cloned())
    }

    async fn schedule_named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        let (model, _) = self.open();
        Ok(model.schedule_named(workspace, name).cloned())
    }

    async fn schedules(
        &self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Listed<Schedule, ScheduleId>> {
        let (model, _) = self.open();
        let wanted = |schedule: &&Schedule| {
            schedule.workspace == *workspace
                && filter.grant.is_none_or(|grant| schedule.grant == grant)
                && page.after.is_none_or(|after| schedule.id < after)
        };
        let found = model.schedules.values().rev().filter(wanted).take(page.limit + 1).cloned().collect();
        Ok(Listed::cut(found, page.limit, |schedule: &Schedule| schedule.id))
    }

    async fn skips(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Listed<Skip, SkipId>> {
        let (model, _) = self.open();
        if model.find_schedule(workspace, schedule).is_none() {
            return Ok(Listed { data: Vec::new(), next: None });
        }
        let wanted = |skip: &&Skip| skip.schedule == schedule && page.after.is_none_or(|after| skip.id < after);
        let mut found: Vec<Skip> = model.skips.iter().filter(wanted).cloned().collect();
        found.sort_by_key(|skip| std::cmp::Reverse(skip.id));
        found.truncate(page.limit + 1);
        Ok(Listed::cut(found, page.limit, |skip| skip.id))
    }

    async fn sweep_schedules(&self, limit: usize) -> Result<Vec<ScheduleId>> {
        Ok(self.change(|model, now| model.sweep_schedules(limit, now)))
    }

    async fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
        let (model, _) = self.open();
        Ok(model.usage(workspace, filter))
    }

    async fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
        let (model, _) = self.open();
        Ok(model.usage_of(workspace, runs))
    }
}
