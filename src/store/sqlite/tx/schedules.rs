//! Schedules and the slots they skipped.

use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

use super::AFTER_EVERY_ID;
use crate::run::{RunId, ScheduleId, WorkspaceName};
use crate::schedule::{Schedule, ScheduleName, Skip, SkipId, SkipReason};
use crate::store::script::{ScheduleChange, ScheduleRecord, ScheduleTx, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, limit};
use crate::store::{Page, Result, ScheduleFilter};

impl ScheduleTx for Session {
    async fn rivals(&mut self, schedules: &[ScheduleId]) -> Result<Vec<RunId>> {
        let mut select = self.prepare(&self.sql.rivals)?;
        let mut found = Vec::new();
        for schedule in schedules {
            collect(&mut select, [schedule.0.as_bytes()], |row| row::run_id(row, 0), &mut found)?;
        }
        Ok(found)
    }

    async fn insert_schedule(&mut self, schedule: &Schedule) -> Result<bool> {
        Ok(self.execute(&self.sql.insert_schedule, params_from_iter(values(schedule)?))? > 0)
    }

    async fn read_schedule(&mut self, id: ScheduleId) -> Result<Option<Schedule>> {
        self.row(&self.sql.read_schedule, [id.0.as_bytes()], schedule)
    }

    async fn schedule_named(&mut self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        self.row(&self.sql.schedule_named, params![workspace.as_str(), name.as_str()], schedule)
    }

    async fn lock_schedules(&mut self, schedules: &[ScheduleId]) -> Result<Vec<Schedule>> {
        let mut select = self.prepare(&self.sql.lock_schedules)?;
        let mut found = Vec::new();
        for id in schedules {
            collect(&mut select, [id.0.as_bytes()], schedule, &mut found)?;
        }
        Ok(found)
    }

    async fn move_schedules(&mut self, moves: &[ScheduleChange]) -> Result<usize> {
        let mut update = self.prepare(&self.sql.move_schedules)?;
        let mut moved = 0;
        for ScheduleChange { before, after } in moves {
            moved += update.execute(params![
                before.id.0.as_bytes(),
                before.version,
                before.head.as_ref().map(|head| head.run.0.as_bytes()),
                before.last_slot.map(Timestamp::as_microsecond),
                after.disabled.as_ref().map(|reason| &reason.code),
                after.disabled.as_ref().map(|reason| &reason.message),
                after.head.as_ref().map(|head| head.run.0.as_bytes()),
                after.head.map(|head| head.slot.as_microsecond()),
                after.last_slot.map(Timestamp::as_microsecond),
                after.updated_at.as_microsecond(),
            ])?;
        }
        Ok(moved)
    }

    async fn edit_schedule(&mut self, ScheduleChange { before, after }: &ScheduleChange) -> Result<bool> {
        let params = params_from_iter(values(after)?.into_iter().chain(as_seen(before)));
        Ok(self.execute(&self.sql.edit_schedule, params)? > 0)
    }

    async fn delete_schedule(&mut self, schedule: &Schedule) -> Result<bool> {
        let [itself, skips] = steps(&self.sql.delete_schedule);
        let id = schedule.id.0.as_bytes();
        let deleted =
            self.execute(itself, params_from_iter([row::blob(schedule.id.0)].into_iter().chain(as_seen(schedule))))?;
        self.execute(skips, [id])?;
        Ok(deleted > 0)
    }

    async fn broken_schedules(&mut self, rows: usize) -> Result<Vec<ScheduleId>> {
        self.rows(&self.sql.broken_schedules, [limit(rows)], |row| Ok(ScheduleId(row::uuid(row, 0)?)))
    }

    async fn insert_skips(&mut self, skips: &[Skip]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_skips)?;
        for Skip { id, schedule, first, last, count, reason, at } in skips {
            insert.execute(params![
                id.0.as_bytes(),
                schedule.0.as_bytes(),
                first.as_microsecond(),
                last.as_microsecond(),
                count,
                reason.as_str(),
                at.as_microsecond(),
            ])?;
        }
        Ok(())
    }

    async fn schedule(&mut self, workspace: &WorkspaceName, id: ScheduleId) -> Result<Option<Schedule>> {
        self.row(&self.sql.schedule, params![workspace.as_str(), id.0.as_bytes()], schedule)
    }

    async fn schedules(
        &mut self,
        workspace: &WorkspaceName,
        filter: &ScheduleFilter,
        page: &Page<ScheduleId>,
    ) -> Result<Vec<Schedule>> {
        let [all, under_grant] = steps(&self.sql.schedules);
        let before = page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes());
        let (workspace, rows) = (workspace.as_str(), limit(page.limit.saturating_add(1)));
        match &filter.grant {
            None => self.rows(all, params![workspace, before, rows], schedule),
            Some(grant) => self.rows(under_grant, params![workspace, before, rows, grant.0.as_bytes()], schedule),
        }
    }

    async fn skips(
        &mut self,
        workspace: &WorkspaceName,
        schedule: ScheduleId,
        page: &Page<SkipId>,
    ) -> Result<Vec<Skip>> {
        let before = page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes());
        let rows = limit(page.limit.saturating_add(1));
        let params = params![workspace.as_str(), schedule.0.as_bytes(), before, rows];
        self.rows(&self.sql.skips, params, |row| {
            Ok(Skip {
                id: SkipId(row::uuid(row, 0)?),
                schedule: ScheduleId(row::uuid(row, 1)?),
                first: row::at(row, 2)?,
                last: row::at(row, 3)?,
                count: row.get(4)?,
                reason: row::word(row, 5, SkipReason::from_word)?,
                at: row::at(row, 6)?,
            })
        })
    }
}

/// What must not have changed since a schedule was read.
fn as_seen(schedule: &Schedule) -> [Value; 3] {
    [
        schedule.version.into(),
        schedule.head.map_or(Value::Null, |head| row::blob(head.run.0)),
        row::micros(schedule.last_slot),
    ]
}

fn values(schedule: &Schedule) -> Result<[Value; 13]> {
    let record = ScheduleRecord::of(schedule)?;
    Ok([
        row::blob(record.id),
        record.workspace.into(),
        row::blob(record.grant_id),
        record.spec.into(),
        record.disabled_code.into(),
        record.disabled_message.into(),
        record.head_run.map_or(Value::Null, row::blob),
        row::micros(record.head_slot),
        row::micros(record.last_slot),
        record.version.into(),
        record.created_at.as_microsecond().into(),
        record.updated_at.as_microsecond().into(),
        record.since.as_microsecond().into(),
    ])
}

fn schedule(row: &Row<'_>) -> Result<Schedule> {
    let record = ScheduleRecord {
        id: row::uuid(row, "id")?,
        workspace: row.get("workspace")?,
        grant_id: row::uuid(row, "grant_id")?,
        spec: row.get("spec")?,
        disabled_code: row.get("disabled_code")?,
        disabled_message: row.get("disabled_message")?,
        head_run: row::maybe_uuid(row, "head_run")?,
        head_slot: row::maybe_at(row, "head_slot")?,
        last_slot: row::maybe_at(row, "last_slot")?,
        since: row::at(row, "since")?,
        version: row.get("version")?,
        created_at: row::at(row, "created_at")?,
        updated_at: row::at(row, "updated_at")?,
    };
    record.into_schedule()
}
