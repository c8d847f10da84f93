//! The primitives of the shared verbs, for recurring work.

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::arrays::Params;
use super::row::JsonText;
use super::session::Session;
use super::tx::micros;
use crate::run::{GrantId, RunId, ScheduleId, WorkspaceName};
use crate::schedule::{BillingAccount, Grant, Schedule, ScheduleName, Skip};
use crate::store::Result;
use crate::store::script::{Charge, GrantRecord, ScheduleChange, ScheduleRecord, ScheduleTx, steps, to_i32};

impl ScheduleTx for Session {
    async fn forget_runs(&mut self, runs: &[(WorkspaceName, RunId)]) -> Result<()> {
        let [history, others @ ..]: [&str; 4] = steps(&self.statements.forget_runs);
        let ids = || runs.iter().map(|(_, run)| run.0).collect();
        let named = Params::default().texts(runs.iter().map(|(workspace, _)| workspace.as_str()).collect());
        self.execute(history, named.uuids(ids())).await?;
        for statement in others {
            self.execute(statement, Params::default().uuids(ids())).await?;
        }
        Ok(())
    }

    async fn rivals(&mut self, schedules: &[ScheduleId]) -> Result<Vec<RunId>> {
        let rows = self.query(&self.statements.rivals, ids(schedules)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn insert_grant(&mut self, grant: &Grant) -> Result<bool> {
        let params = Params::default()
            .add(grant.id.0, Type::UUID)
            .text(grant.workspace.as_str())
            .text(grant.user.as_str())
            .text(grant.billing_account.as_str())
            .add(Vec::<String>::from(grant.scopes.clone()), Type::TEXT_ARRAY)
            .time(Some(grant.created_at))
            .time(grant.expires_at)
            .time(grant.revoked_at);
        Ok(self.execute(&self.statements.insert_grant, params).await? > 0)
    }

    async fn lock_grants(&mut self, grants: &[GrantId]) -> Result<Vec<Grant>> {
        let params = Params::default().uuids(grants.iter().map(|grant| grant.0).collect());
        self.query(&self.statements.lock_grants, params).await?.iter().map(grant).collect()
    }

    async fn revoke_grant(&mut self, workspace: &WorkspaceName, grant: GrantId, now: Timestamp) -> Result<bool> {
        let params = Params::default().text(workspace.as_str()).add(grant.0, Type::UUID).time(Some(now));
        Ok(self.execute(&self.statements.revoke_grant, params).await? > 0)
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

    async fn prune_skips(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        self.execute(&self.statements.prune_skips, params).await
    }

    async fn charge(&mut self, charges: &[Charge], now: Timestamp) -> Result<()> {
        let amount = |charge: &Charge| i64::try_from(charge.usage.amount).unwrap_or(i64::MAX);
        let params = Params::default()
            .uuids(charges.iter().map(|charge| charge.usage.run.0).collect())
            .ints(charges.iter().map(|charge| to_i32(charge.usage.attempt)).collect())
            .texts(charges.iter().map(|charge| charge.usage.unit.as_str()).collect())
            .texts(charges.iter().map(|charge| charge.workspace.as_str()).collect())
            .opt_texts(charges.iter().map(|charge| charge.account.as_ref().map(BillingAccount::as_str)).collect())
            .texts(charges.iter().map(|charge| charge.task.as_str()).collect())
            .bigs(charges.iter().map(amount).collect())
            .time(Some(now));
        self.execute(&self.statements.charge, params).await.map(drop)
    }

    async fn prune_usage(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        self.execute(&self.statements.prune_usage, params).await
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

pub(super) fn schedule(row: &Row) -> Result<Schedule> {
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

pub(super) fn grant(row: &Row) -> Result<Grant> {
    let record = GrantRecord {
        id: row.get("id"),
        workspace: row.get("workspace"),
        user_id: row.get("user_id"),
        billing_account: row.get("billing_account"),
        scopes: row.get("scopes"),
        created_at: row.get("created_at"),
        expires_at: row.get("expires_at"),
        revoked_at: row.get("revoked_at"),
    };
    record.into_grant()
}
