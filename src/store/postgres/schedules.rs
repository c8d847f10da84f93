//! The verbs of recurring work.

use async_trait::async_trait;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::arrays::Params;
use super::schedule_tx::{grant, schedule};
use super::session::{Session, Tries};
use super::tx::unsigned;
use super::{PostgresStore, transact};
use crate::run::{GrantId, RunId, ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{BillingAccount, Grant, NewGrant, NewSchedule, Schedule, ScheduleName, Skip, SkipId, SkipReason};
use crate::store::script::{self, ScheduleTx, Tx, bad_name, day_since_1970};
use crate::store::{
    CheckedGrant, CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, Listed, Page, Result,
    RevokeGrantOutcome, ScheduleEdit, ScheduleFilter, Schedules, StoreError, Usage, UsageFilter, UsageSum,
};

#[async_trait]
impl Schedules for PostgresStore {
    async fn create_grant(&self, grant: &NewGrant) -> Result<CreateGrantOutcome> {
        transact!(self.begin("create_grant"), tx => script::create_grant(tx, grant))
    }

    async fn grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<Option<Grant>> {
        transact!(again self.read("grant"), tx => tx.grant(workspace, grant))
    }

    async fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>> {
        transact!(again self.read("grants"), tx => tx.grants(workspace, page))
    }

    async fn check_grant(
        &self,
        workspace: &WorkspaceName,
        grant: GrantId,
        task: &TaskName,
    ) -> Result<Option<CheckedGrant>> {
        transact!(again self.read("check_grant"), tx => async {
            let found = tx.grant(workspace, grant).await?;
            let now = tx.now().await?;
            Ok(found.map(|grant| CheckedGrant { standing: grant.standing(task, now), grant }))
        })
    }

    async fn revoke_grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<RevokeGrantOutcome> {
        transact!(again self.begin("revoke_grant"), tx => script::revoke_grant(tx, workspace, grant))
    }

    async fn create_schedule(&self, schedule: &NewSchedule, grant: Option<&NewGrant>) -> Result<CreateScheduleOutcome> {
        transact!(self.begin("create_schedule"), tx => script::create_schedule(tx, schedule, grant))
    }

    async fn edit_schedule(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        edit: &ScheduleEdit,
        grant: Option<&NewGrant>,
    ) -> Result<EditScheduleOutcome> {
        transact!(self.begin("edit_schedule"), tx => script::edit_schedule(tx, workspace, schedule, edit, grant))
    }

    async fn delete_schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<bool> {
        transact!(self.begin("delete_schedule"), tx => script::delete_schedule(tx, workspace, schedule))
    }

    async fn schedule(&self, workspace: &WorkspaceName, id: ScheduleId) -> Result<Option<Schedule>> {
        let params = || Params::default().text(workspace.as_str()).add(id.0, Type::UUID);
        let statement = &self.shared.statements.schedule;
        let rows = transact!(again self.read("schedule"), tx => tx.query(statement, params()))?;
        rows.first().map(schedule).transpose()
    }

    async fn schedule_named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        transact!(again self.read("schedule_named"), tx => tx.schedule_named(workspace, name))
    }

    async fn schedules(
        &self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Listed<Schedule, ScheduleId>> {
        let params = || {
            Params::default()
                .text(workspace.as_str())
                .add(page.after.map(|after| after.0), Type::UUID)
                .big(page.limit as i64 + 1)
                .add(filter.grant.map(|grant| grant.0), Type::UUID)
        };
        let statement = &self.shared.statements.schedules;
        let rows = transact!(again self.read("schedules"), tx => tx.query(statement, params()))?;
        let found = rows.iter().map(schedule).collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(found, page.limit, |schedule| schedule.id))
    }

    async fn skips(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Listed<Skip, SkipId>> {
        let params = || {
            Params::default()
                .text(workspace.as_str())
                .add(schedule.0, Type::UUID)
                .add(page.after.map(|after| after.0), Type::UUID)
                .big(page.limit as i64 + 1)
        };
        let rows = transact!(again self.read("skips"), tx => tx.query(&self.shared.statements.skips, params()))?;
        let found = rows.iter().map(skip).collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(found, page.limit, |skip| skip.id))
    }

    async fn sweep_schedules(&self, limit: usize) -> Result<Vec<ScheduleId>> {
        transact!(self.begin("sweep_schedules"), tx => script::sweep_schedules(tx, limit))
    }

    async fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
        let params = || {
            Params::default()
                .text(workspace.as_str())
                .time(filter.from)
                .time(filter.until)
                .add(filter.account.as_ref().map(BillingAccount::as_str), Type::TEXT)
                .add(filter.task.as_ref().map(TaskName::as_str), Type::TEXT)
                .add(filter.unit.as_deref(), Type::TEXT)
        };
        let rows = transact!(again self.read("usage"), tx => tx.query(&self.shared.statements.usage, params()))?;
        rows.iter().map(usage_sum).collect()
    }

    async fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
        let params =
            || Params::default().text(workspace.as_str()).uuids(runs.iter().map(|run| run.0).collect::<Vec<_>>());
        let rows = transact!(again self.read("usage_of"), tx => tx.query(&self.shared.statements.usage_of, params()))?;
        let usage = |row: &Row| Usage {
            run: RunId(row.get(0)),
            attempt: unsigned(row, 1),
            unit: row.get(2),
            amount: row.get::<_, i64>(3).unsigned_abs(),
        };
        Ok(rows.iter().map(usage).collect())
    }
}

impl Session {
    async fn grant(&self, workspace: &WorkspaceName, id: GrantId) -> Result<Option<Grant>> {
        let params = Params::default().text(workspace.as_str()).add(id.0, Type::UUID);
        self.query(&self.statements.grant, params).await?.first().map(grant).transpose()
    }

    async fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>> {
        let params = Params::default()
            .text(workspace.as_str())
            .add(page.after.map(|after| after.0), Type::UUID)
            .big(page.limit as i64 + 1);
        let rows = self.query(&self.statements.grants, params).await?;
        let found = rows.iter().map(grant).collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(found, page.limit, |grant| grant.id))
    }
}

fn skip(row: &Row) -> Result<Skip> {
    let word: &str = row.get(5);
    Ok(Skip {
        id: SkipId(row.get(0)),
        schedule: ScheduleId(row.get(1)),
        first: row.get(2),
        last: row.get(3),
        count: unsigned(row, 4),
        reason: SkipReason::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("skip reason {word:?}")))?,
        at: row.get(6),
    })
}

fn usage_sum(row: &Row) -> Result<UsageSum> {
    let account: Option<String> = row.get(0);
    Ok(UsageSum {
        account: account.map(BillingAccount::parse).transpose().map_err(bad_name)?,
        task: TaskName::parse(row.get::<_, &str>(1)).map_err(bad_name)?,
        unit: row.get(2),
        day: day_since_1970(row.get::<_, i32>(3).into()),
        amount: row.get::<_, i64>(4).unsigned_abs(),
    })
}
