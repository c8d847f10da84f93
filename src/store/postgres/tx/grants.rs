//! Grants, and what runs used up on their accounts.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::unsigned;
use crate::run::{GrantId, RunId, TaskName, WorkspaceName};
use crate::schedule::{BillingAccount, Grant};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::session::Session;
use crate::store::script::{Charge, GrantRecord, GrantTx, bad_name, day_since_1970, to_i32};
use crate::store::{Page, Result, Usage, UsageFilter, UsageSum};

impl GrantTx for Session {
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

    async fn grant(&mut self, workspace: &WorkspaceName, id: GrantId) -> Result<Option<Grant>> {
        let params = Params::default().text(workspace.as_str()).add(id.0, Type::UUID);
        self.query(&self.statements.grant, params).await?.first().map(grant).transpose()
    }

    async fn grants(&mut self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Vec<Grant>> {
        let params = Params::default()
            .text(workspace.as_str())
            .add(page.after.map(|after| after.0), Type::UUID)
            .big(page.limit as i64 + 1);
        self.query(&self.statements.grants, params).await?.iter().map(grant).collect()
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

    async fn usage(&mut self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
        let params = Params::default()
            .text(workspace.as_str())
            .time(filter.from)
            .time(filter.until)
            .add(filter.account.as_ref().map(BillingAccount::as_str), Type::TEXT)
            .add(filter.task.as_ref().map(TaskName::as_str), Type::TEXT)
            .add(filter.unit.as_deref(), Type::TEXT);
        self.query(&self.statements.usage, params).await?.iter().map(usage_sum).collect()
    }

    async fn usage_of(&mut self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
        let params = Params::default().text(workspace.as_str()).uuids(runs.iter().map(|run| run.0).collect());
        let rows = self.query(&self.statements.usage_of, params).await?;
        let usage = |row: &Row| Usage {
            run: RunId(row.get(0)),
            attempt: unsigned(row, 1),
            unit: row.get(2),
            amount: row.get::<_, i64>(3).unsigned_abs(),
        };
        Ok(rows.iter().map(usage).collect())
    }
}

fn grant(row: &Row) -> Result<Grant> {
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
