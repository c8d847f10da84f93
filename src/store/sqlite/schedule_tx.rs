//! The primitives of the shared verbs, for recurring work.

use jiff::{SignedDuration, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

use super::row;
use super::session::{Session, back, collect, limit};
use crate::run::{GrantId, RunId, ScheduleId, WorkspaceName};
use crate::schedule::{Grant, Schedule, ScheduleName, Skip};
use crate::store::script::{Charge, GrantRecord, ScheduleChange, ScheduleRecord, ScheduleTx, steps};
use crate::store::{Result, StoreError};

impl ScheduleTx for Session<'_> {
    async fn forget_runs(&mut self, runs: &[(WorkspaceName, RunId)]) -> Result<()> {
        let [history, others @ ..]: [&str; 4] = steps(&self.sql.forget_runs);
        for (workspace, run) in runs {
            self.execute(history, params![workspace.as_str(), run.0.as_bytes()])?;
            for statement in others {
                self.execute(statement, [run.0.as_bytes()])?;
            }
        }
        Ok(())
    }

    async fn rivals(&mut self, schedules: &[ScheduleId]) -> Result<Vec<RunId>> {
        let mut select = self.prepare(&self.sql.rivals)?;
        let mut found = Vec::new();
        for schedule in schedules {
            collect(&mut select, [schedule.0.as_bytes()], |row| row::run_id(row, 0), &mut found)?;
        }
        Ok(found)
    }

    async fn insert_grant(&mut self, grant: &Grant) -> Result<bool> {
        let scopes = serde_json::to_string(&grant.scopes).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let inserted = self.execute(
            &self.sql.insert_grant,
            params![
                grant.id.0.as_bytes(),
                grant.workspace.as_str(),
                grant.user.as_str(),
                grant.billing_account.as_str(),
                scopes,
                grant.created_at.as_microsecond(),
                grant.expires_at.map(Timestamp::as_microsecond),
                grant.revoked_at.map(Timestamp::as_microsecond),
            ],
        )?;
        Ok(inserted > 0)
    }

    async fn lock_grants(&mut self, grants: &[GrantId]) -> Result<Vec<Grant>> {
        let mut select = self.prepare(&self.sql.lock_grants)?;
        let mut found = Vec::new();
        for id in grants {
            collect(&mut select, [id.0.as_bytes()], grant, &mut found)?;
        }
        Ok(found)
    }

    async fn revoke_grant(&mut self, workspace: &WorkspaceName, grant: GrantId, now: Timestamp) -> Result<bool> {
        let params = params![workspace.as_str(), grant.0.as_bytes(), now.as_microsecond()];
        Ok(self.execute(&self.sql.revoke_grant, params)? > 0)
    }

    async fn insert_schedule(&mut self, schedule: &Schedule) -> Result<bool> {
        Ok(self.execute(&self.sql.insert_schedule, params_from_iter(values(schedule)?))? > 0)
    }

    async fn read_schedule(&mut self, id: ScheduleId) -> Result<Option<Schedule>> {
        self.row(&self.sql.read_schedule, [id.0.as_bytes()], schedule)
    }

    async fn schedule_named(&mut self, workspace: &WorkspaceName, name: &ScheduleName) -> Result<Option<Schedule>> {
        self.named(workspace, name)
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

    async fn prune_skips(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_skips, params![back(self.time(), kept), limit(rows)])
    }

    async fn charge(&mut self, charges: &[Charge], now: Timestamp) -> Result<()> {
        let mut upsert = self.prepare(&self.sql.charge)?;
        for Charge { usage, workspace, account, task } in charges {
            upsert.execute(params![
                usage.run.0.as_bytes(),
                usage.attempt,
                usage.unit,
                workspace.as_str(),
                account.as_ref().map(|account| account.as_str()),
                task.as_str(),
                i64::try_from(usage.amount).unwrap_or(i64::MAX / 2),
                now.as_microsecond(),
            ])?;
        }
        Ok(())
    }

    async fn prune_usage(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_usage, params![back(self.time(), kept), limit(rows)])
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

pub(super) fn schedule(row: &Row<'_>) -> Result<Schedule> {
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

pub(super) fn grant(row: &Row<'_>) -> Result<Grant> {
    let scopes: String = row.get("scopes")?;
    let record = GrantRecord {
        id: row::uuid(row, "id")?,
        workspace: row.get("workspace")?,
        user_id: row.get("user_id")?,
        billing_account: row.get("billing_account")?,
        scopes: serde_json::from_str(&scopes).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        created_at: row::at(row, "created_at")?,
        expires_at: row::maybe_at(row, "expires_at")?,
        revoked_at: row::maybe_at(row, "revoked_at")?,
    };
    record.into_grant()
}
