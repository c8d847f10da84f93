//! The verbs of recurring work, each on the thread where it belongs.

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::params;

use super::SqliteStore;
use super::job::now;
use super::read::AFTER_EVERY_ID;
use super::row;
use super::schedule_tx::{grant, schedule};
use super::session::{Session, collect, limit};
use crate::run::{GrantId, RunId, ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{BillingAccount, Grant, NewGrant, NewSchedule, Schedule, ScheduleName, Skip, SkipId, SkipReason};
use crate::store::script::{self, bad_name, day_since_1970, steps};
use crate::store::{
    CheckedGrant, CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, Listed, Page, Result,
    RevokeGrantOutcome, ScheduleEdit, ScheduleFilter, Schedules, Usage, UsageFilter, UsageSum,
};

#[async_trait]
impl Schedules for SqliteStore {
    async fn create_grant(&self, grant: &NewGrant) -> Result<CreateGrantOutcome> {
        let grant = grant.clone();
        self.writer.run("create_grant", move |tx| now(script::create_grant(tx, &grant))).await
    }

    async fn grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<Option<Grant>> {
        let workspace = workspace.clone();
        self.readers.run("grant", move |session| session.grant(&workspace, grant)).await
    }

    async fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>> {
        let (workspace, page) = (workspace.clone(), page.clone());
        self.readers.run("grants", move |session| session.grants(&workspace, &page)).await
    }

    async fn check_grant(
        &self,
        workspace: &WorkspaceName,
        grant: GrantId,
        task: &TaskName,
    ) -> Result<Option<CheckedGrant>> {
        let (workspace, task) = (workspace.clone(), task.clone());
        let check = move |session: &mut Session<'_>| {
            let now = session.time();
            let found = session.grant(&workspace, grant)?;
            Ok(found.map(|grant| CheckedGrant { standing: grant.standing(&task, now), grant }))
        };
        self.readers.run("check_grant", check).await
    }

    async fn revoke_grant(&self, workspace: &WorkspaceName, grant: GrantId) -> Result<RevokeGrantOutcome> {
        let workspace = workspace.clone();
        self.writer.run("revoke_grant", move |tx| now(script::revoke_grant(tx, &workspace, grant))).await
    }

    async fn create_schedule(&self, schedule: &NewSchedule, grant: Option<&NewGrant>) -> Result<CreateScheduleOutcome> {
        let (schedule, grant) = (schedule.clone(), grant.cloned());
        let create = move |tx: &mut Session<'_>| now(script::create_schedule(tx, &schedule, grant.as_ref()));
        self.writer.run("create_schedule", create).await
    }

    async fn edit_schedule(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        edit: &ScheduleEdit,
        grant: Option<&NewGrant>,
    ) -> Result<EditScheduleOutcome> {
        let (workspace, edit, grant) = (workspace.clone(), edit.clone(), grant.cloned());
        let change =
            move |tx: &mut Session<'_>| now(script::edit_schedule(tx, &workspace, schedule, &edit, grant.as_ref()));
        self.writer.run("edit_schedule", change).await
    }

    async fn delete_schedule(&self, workspace: &WorkspaceName, schedule: ScheduleId) -> Result<bool> {
        let workspace = workspace.clone();
        self.writer.run("delete_schedule", move |tx| now(script::delete_schedule(tx, &workspace, schedule))).await
    }

    async fn schedule(&self, workspace: &WorkspaceName, id: ScheduleId) -> Result<Option<Schedule>> {
        let workspace = workspace.clone();
        let read = move |session: &mut Session<'_>| {
            session.row(&session.sql.schedule, params![workspace.as_str(), id.0.as_bytes()], schedule)
        };
        self.readers.run("schedule", read).await
    }

    async fn schedule_named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        let (workspace, name) = (workspace.clone(), name.clone());
        self.readers.run("schedule_named", move |session| session.named(&workspace, &name)).await
    }

    async fn schedules(
        &self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Listed<Schedule, ScheduleId>> {
        let (workspace, filter, page) = (workspace.clone(), filter.clone(), page.clone());
        self.readers.run("schedules", move |session| session.schedules(&workspace, &filter, &page)).await
    }

    async fn skips(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Listed<Skip, SkipId>> {
        let (workspace, page) = (workspace.clone(), page.clone());
        self.readers.run("skips", move |session| session.skips(&workspace, schedule, &page)).await
    }

    async fn sweep_schedules(&self, limit: usize) -> Result<Vec<ScheduleId>> {
        self.writer.run("sweep_schedules", move |tx| now(script::sweep_schedules(tx, limit))).await
    }

    async fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.readers.run("usage", move |session| session.usage(&workspace, &filter)).await
    }

    async fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
        let (workspace, runs) = (workspace.clone(), runs.to_vec());
        self.readers.run("usage_of", move |session| session.usage_of(&workspace, &runs)).await
    }
}

impl Session<'_> {
    fn grant(&self, workspace: &WorkspaceName, id: GrantId) -> Result<Option<Grant>> {
        self.row(&self.sql.grant, params![workspace.as_str(), id.0.as_bytes()], grant)
    }

    fn grants(&self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Listed<Grant, GrantId>> {
        let before = page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes());
        let params = params![workspace.as_str(), before, limit(page.limit.saturating_add(1))];
        Ok(Listed::cut(self.rows(&self.sql.grants, params, grant)?, page.limit, |grant: &Grant| grant.id))
    }

    pub(super) fn named(&self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        self.row(&self.sql.schedule_named, params![workspace.as_str(), name.as_str()], schedule)
    }

    fn schedules(
        &self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Listed<Schedule, ScheduleId>> {
        let [all, under_grant] = steps(&self.sql.schedules);
        let before = page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes());
        let (workspace, rows) = (workspace.as_str(), limit(page.limit.saturating_add(1)));
        let found = match &filter.grant {
            None => self.rows(all, params![workspace, before, rows], schedule),
            Some(grant) => self.rows(under_grant, params![workspace, before, rows, grant.0.as_bytes()], schedule),
        };
        Ok(Listed::cut(found?, page.limit, |schedule| schedule.id))
    }

    fn skips(
        &self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Listed<Skip, SkipId>> {
        let before = page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes());
        let rows = limit(page.limit.saturating_add(1));
        let params = params![workspace.as_str(), schedule.0.as_bytes(), before, rows];
        let found = self.rows(&self.sql.skips, params, |row| {
            Ok(Skip {
                id: SkipId(row::uuid(row, 0)?),
                schedule: ScheduleId(row::uuid(row, 1)?),
                first: row::at(row, 2)?,
                last: row::at(row, 3)?,
                count: row.get(4)?,
                reason: row::word(row, 5, SkipReason::from_word)?,
                at: row::at(row, 6)?,
            })
        })?;
        Ok(Listed::cut(found, page.limit, |skip| skip.id))
    }

    fn usage(&self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
        let params = params![
            workspace.as_str(),
            filter.from.map_or(i64::MIN, Timestamp::as_microsecond),
            filter.until.map_or(i64::MAX, Timestamp::as_microsecond),
            filter.account.as_ref().map(BillingAccount::as_str),
            filter.task.as_ref().map(TaskName::as_str),
            filter.unit,
        ];
        self.rows(&self.sql.usage, params, |row| {
            let account: Option<String> = row.get(0)?;
            Ok(UsageSum {
                account: account.map(BillingAccount::parse).transpose().map_err(bad_name)?,
                task: row::name(row, 1, TaskName::parse)?,
                unit: row.get(2)?,
                day: day_since_1970(row.get(3)?),
                // In two halves, since no sum of theirs can overflow.
                amount: whole(row.get(4)?, row.get(5)?),
            })
        })
    }

    fn usage_of(&self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
        let mut select = self.prepare(&self.sql.usage_of)?;
        let mut found = Vec::new();
        for run in runs {
            let read = |row: &rusqlite::Row<'_>| {
                let (attempt, unit) = (row.get(1)?, row.get(2)?);
                Ok(Usage { run: *run, attempt, unit, amount: row::count(row, 3)? })
            };
            collect(&mut select, params![workspace.as_str(), run.0.as_bytes()], read, &mut found)?;
        }
        Ok(found)
    }
}

fn whole(high: i64, low: i64) -> u64 {
    let sum = i128::from(high) * (1 << 32) + i128::from(low);
    u64::try_from(sum).unwrap_or_default().min(9_000_000_000_000_000_000)
}
