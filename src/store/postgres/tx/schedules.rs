//! Schedules and the slots they skipped.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::unsigned;
use crate::run::{RunId, ScheduleId, WorkspaceName};
use crate::schedule::{Schedule, ScheduleName, Skip, SkipId, SkipReason};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::JsonText;
use crate::store::postgres::session::Session;
use crate::store::script::{ScheduleChange, ScheduleRecord, ScheduleTx, steps, to_i32};
use crate::store::{Page, Result, ScheduleFilter, StoreError};

impl ScheduleTx for Session {
    async fn rivals(&mut self, schedules: &[ScheduleId]) -> Result<Vec<RunId>> {
        let rows = self.query(&self.statements.rivals, ids(schedules)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn insert_schedule(&mut self, schedule: &Schedule) -> Result<bool> {
        let record = ScheduleRecord::of(schedule)?;
        let params = Params::default()
            .add(record.id, Type::UUID)
            .text(&record.workspace)
            .add(record.grant_id, Type::UUID)
            .add(JsonText(record.spec.as_str()), Type::JSON)
            .add(record.disabled_code.as_deref(), Type::TEXT)
            .add(record.disabled_message.as_deref(), Type::TEXT)
            .add(record.head_run, Type::UUID)
            .time(record.head_slot)
            .time(record.last_slot)
            .big(record.version)
            .time(Some(record.created_at))
            .time(Some(record.updated_at))
            .time(Some(record.since));
        Ok(self.execute(&self.statements.insert_schedule, params).await? > 0)
    }

    async fn read_schedule(&mut self, id: ScheduleId) -> Result<Option<Schedule>> {
        let rows = self.query(&self.statements.read_schedule, Params::default().add(id.0, Type::UUID)).await?;
        rows.first().map(schedule).transpose()
    }

    async fn schedule_named(&mut self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        let params = Params::default().text(workspace.as_str()).text(name.as_str());
        self.query(&self.statements.schedule_named, params).await?.first().map(schedule).transpose()
    }

    async fn lock_schedules(&mut self, schedules: &[ScheduleId]) -> Result<Vec<Schedule>> {
        self.query(&self.statements.lock_schedules, ids(schedules)).await?.iter().map(schedule).collect()
    }

    async fn move_schedules(&mut self, moves: &[ScheduleChange]) -> Result<usize> {
        let reason = |change: &'_ ScheduleChange| change.after.disabled.clone();
        let (codes, messages): (Vec<Option<String>>, Vec<Option<String>>) =
            moves.iter().map(|change| (reason(change).map(|r| r.code), reason(change).map(|r| r.message))).unzip();
        let head = |schedule: &Schedule| schedule.head.map(|head| head.run.0);
        let params = ids(&moves.iter().map(|change| change.before.id).collect::<Vec<_>>())
            .bigs(moves.iter().map(|change| change.before.version).collect())
            .opt_uuids(moves.iter().map(|change| head(&change.before)).collect())
            .opt_times(moves.iter().map(|change| change.before.last_slot).collect())
            .add(codes, Type::TEXT_ARRAY)
            .add(messages, Type::TEXT_ARRAY)
            .opt_uuids(moves.iter().map(|change| head(&change.after)).collect())
            .opt_times(moves.iter().map(|change| change.after.head.map(|head| head.slot)).collect())
            .opt_times(moves.iter().map(|change| change.after.last_slot).collect())
            .times(moves.iter().map(|change| change.after.updated_at).collect());
        self.execute(&self.statements.move_schedules, params).await
    }

    async fn edit_schedule(&mut self, ScheduleChange { before, after }: &ScheduleChange) -> Result<bool> {
        let record = ScheduleRecord::of(after)?;
        let params = as_seen(before)
            .add(record.grant_id, Type::UUID)
            .add(JsonText(record.spec.as_str()), Type::JSON)
            .add(record.disabled_code.as_deref(), Type::TEXT)
            .add(record.disabled_message.as_deref(), Type::TEXT)
            .add(record.head_run, Type::UUID)
            .time(record.head_slot)
            .time(record.last_slot)
            .big(record.version)
            .time(Some(record.updated_at))
            .time(Some(record.since));
        Ok(self.execute(&self.statements.edit_schedule, params).await? > 0)
    }

    async fn delete_schedule(&mut self, schedule: &Schedule) -> Result<bool> {
        let [itself, skips] = steps(&self.statements.delete_schedule);
        let deleted = self.execute(itself, as_seen(schedule)).await? > 0;
        self.execute(skips, Params::default().add(schedule.id.0, Type::UUID)).await?;
        Ok(deleted)
    }

    async fn broken_schedules(&mut self, limit: usize) -> Result<Vec<ScheduleId>> {
        let rows = self.query(&self.statements.broken_schedules, Params::default().big(limit as i64)).await?;
        Ok(rows.iter().map(|row| ScheduleId(row.get(0))).collect())
    }

    async fn insert_skips(&mut self, skips: &[Skip]) -> Result<()> {
        let params = Params::default()
            .uuids(skips.iter().map(|skip| skip.id.0).collect())
            .uuids(skips.iter().map(|skip| skip.schedule.0).collect())
            .times(skips.iter().map(|skip| skip.first).collect())
            .times(skips.iter().map(|skip| skip.last).collect())
            .ints(skips.iter().map(|skip| to_i32(skip.count)).collect())
            .texts(skips.iter().map(|skip| skip.reason.as_str()).collect())
            .times(skips.iter().map(|skip| skip.at).collect());
        self.execute(&self.statements.insert_skips, params).await.map(drop)
    }

    async fn schedule(&mut self, workspace: &WorkspaceName, id: ScheduleId) -> Result<Option<Schedule>> {
        let params = Params::default().text(workspace.as_str()).add(id.0, Type::UUID);
        self.query(&self.statements.schedule, params).await?.first().map(schedule).transpose()
    }

    async fn schedules(
        &mut self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Vec<Schedule>> {
        let params = Params::default()
            .text(workspace.as_str())
            .add(page.after.map(|after| after.0), Type::UUID)
            .big(page.limit as i64 + 1)
            .add(filter.grant.map(|grant| grant.0), Type::UUID);
        self.query(&self.statements.schedules, params).await?.iter().map(schedule).collect()
    }

    async fn skips(
        &mut self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Vec<Skip>> {
        let params = Params::default()
            .text(workspace.as_str())
            .add(schedule.0, Type::UUID)
            .add(page.after.map(|after| after.0), Type::UUID)
            .big(page.limit as i64 + 1);
        self.query(&self.statements.skips, params).await?.iter().map(skip).collect()
    }
}

/// Which schedule, and what must not have changed since it was read.
fn as_seen(schedule: &Schedule) -> Params<'static> {
    Params::default()
        .add(schedule.id.0, Type::UUID)
        .big(schedule.version)
        .add(schedule.head.map(|head| head.run.0), Type::UUID)
        .time(schedule.last_slot)
}

fn ids(schedules: &[ScheduleId]) -> Params<'static> {
    Params::default().uuids(schedules.iter().map(|schedule| schedule.0).collect())
}

fn schedule(row: &Row) -> Result<Schedule> {
    let record = ScheduleRecord {
        id: row.get("id"),
        workspace: row.get("workspace"),
        grant_id: row.get("grant_id"),
        spec: row.get::<_, JsonText<String>>("spec").0,
        disabled_code: row.get("disabled_code"),
        disabled_message: row.get("disabled_message"),
        head_run: row.get("head_run"),
        head_slot: row.get("head_slot"),
        last_slot: row.get("last_slot"),
        version: row.get("version"),
        created_at: row.get("created_at"),
        updated_at: row.get("updated_at"),
        since: row.get("since"),
    };
    record.into_schedule()
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
