//! [`Schedules`] for every SQL database: each verb in a transaction.

use async_trait::async_trait;

use super::database::OnLostCommit::Report;
use super::database::write_once;
use super::tx::{GrantTx, ScheduleTx};
use super::{Database, SqlStore};
use crate::run::{GrantId, RunId, ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{Grant, NewGrant, NewSchedule, Schedule, ScheduleName, Skip, SkipId};
use crate::store::script;
use crate::store::{
    CheckedGrant, CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, Listed, Page, Result,
    RevokeGrantOutcome, ScheduleEdit, ScheduleFilter, Schedules, Usage, UsageFilter, UsageSum,
};

#[async_trait]
impl<S: SqlStore> Schedules for S {
    async fn create_grant(&self, grant: &NewGrant) -> Result<CreateGrantOutcome> {
        write_once(
            self.database(),
            "create_grant",
            grant,
            |tx, grant| Box::pin(script::create_grant(tx, grant)),
            |tx, grant| Box::pin(script::create_grant_again(tx, grant)),
        )
        .await
    }

    async fn grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<Option<Grant>> {
        self.database().read("grant", workspace, move |tx, workspace| Box::pin(tx.grant(workspace, grant))).await
    }

    async fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>> {
        let found = self
            .database()
            .read("grants", &(workspace.clone(), page.clone()), |tx, (workspace, page)| {
                Box::pin(tx.grants(workspace, page))
            })
            .await?;
        Ok(Listed::cut(found, page.limit, |grant: &Grant| grant.id))
    }

    async fn check_grant(
        &self,
        workspace: &WorkspaceName,
        grant: GrantId,
        task: &TaskName,
    ) -> Result<Option<CheckedGrant>> {
        self.database()
            .read("check_grant", &(workspace.clone(), task.clone()), move |tx, (workspace, task)| {
                Box::pin(script::check_grant(tx, workspace, grant, task))
            })
            .await
    }

    async fn revoke_grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<RevokeGrantOutcome> {
        write_once(
            self.database(),
            "revoke_grant",
            workspace,
            move |tx, workspace| Box::pin(script::revoke_grant(tx, workspace, grant)),
            move |tx, workspace| Box::pin(script::revoke_grant_again(tx, workspace, grant)),
        )
        .await
    }

    async fn create_schedule(&self, schedule: &NewSchedule, grant: Option<&NewGrant>) -> Result<CreateScheduleOutcome> {
        write_once(
            self.database(),
            "create_schedule",
            &(schedule.clone(), grant.cloned()),
            |tx, (schedule, grant)| Box::pin(script::create_schedule(tx, schedule, grant.as_ref())),
            |tx, (schedule, grant)| Box::pin(script::create_schedule_again(tx, schedule, grant.as_ref())),
        )
        .await
    }

    async fn edit_schedule(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        edit: &ScheduleEdit,
        grant: Option<&NewGrant>,
    ) -> Result<EditScheduleOutcome> {
        self.database()
            .write(
                "edit_schedule",
                Report,
                &(workspace.clone(), edit.clone(), grant.cloned()),
                move |tx, (workspace, edit, grant)| {
                    Box::pin(script::edit_schedule(tx, workspace, schedule, edit, grant.as_ref()))
                },
            )
            .await
    }

    async fn delete_schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<bool> {
        self.database()
            .write("delete_schedule", Report, workspace, move |tx, workspace| {
                Box::pin(script::delete_schedule(tx, workspace, schedule))
            })
            .await
    }

    async fn schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<Option<Schedule>> {
        self.database()
            .read("schedule", workspace, move |tx, workspace| Box::pin(tx.schedule(workspace, schedule)))
            .await
    }

    async fn schedule_named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        self.database()
            .read("schedule_named", &(workspace.clone(), name.clone()), |tx, (workspace, name)| {
                Box::pin(tx.schedule_named(workspace, name))
            })
            .await
    }

    async fn schedules(
        &self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Listed<Schedule, ScheduleId>> {
        let found = self
            .database()
            .read("schedules", &(workspace.clone(), filter.clone(), page.clone()), |tx, (workspace, filter, page)| {
                Box::pin(tx.schedules(workspace, filter, page))
            })
            .await?;
        Ok(Listed::cut(found, page.limit, |schedule| schedule.id))
    }

    async fn skips(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Listed<Skip, SkipId>> {
        let found = self
            .database()
            .read("skips", &(workspace.clone(), page.clone()), move |tx, (workspace, page)| {
                Box::pin(tx.skips(workspace, schedule, page))
            })
            .await?;
        Ok(Listed::cut(found, page.limit, |skip| skip.id))
    }

    async fn sweep_schedules(&self, limit: usize) -> Result<Vec<ScheduleId>> {
        self.database()
            .write("sweep_schedules", Report, &limit, |tx, limit| Box::pin(script::sweep_schedules(tx, *limit)))
            .await
    }

    async fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
        self.database()
            .read("usage", &(workspace.clone(), filter.clone()), |tx, (workspace, filter)| {
                Box::pin(tx.usage(workspace, filter))
            })
            .await
    }

    async fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
        self.database()
            .read("usage_of", &(workspace.clone(), runs.to_vec()), |tx, (workspace, runs)| {
                Box::pin(tx.usage_of(workspace, runs))
            })
            .await
    }
}
