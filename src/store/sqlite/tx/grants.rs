//! Grants, and what runs used up on their accounts.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::AFTER_EVERY_ID;
use crate::run::{GrantId, RunId, TaskName, WorkspaceName};
use crate::schedule::{BillingAccount, Grant};
use crate::store::script::{Charge, GrantRecord, GrantTx, bad_name, day_since_1970};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, limit};
use crate::store::{Page, Result, StoreError, Usage, UsageFilter, UsageSum};

impl GrantTx for Session {
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

    async fn grant(&mut self, workspace: &WorkspaceName, id: GrantId) -> Result<Option<Grant>> {
        self.row(&self.sql.grant, params![workspace.as_str(), id.0.as_bytes()], grant)
    }

    async fn grants(&mut self, workspace: &WorkspaceName, page: &Page<GrantId>) -> Result<Vec<Grant>> {
        let before = page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes());
        let params = params![workspace.as_str(), before, limit(page.limit.saturating_add(1))];
        self.rows(&self.sql.grants, params, grant)
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

    async fn usage(&mut self, workspace: &WorkspaceName, filter: &UsageFilter) -> Result<Vec<UsageSum>> {
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

    async fn usage_of(&mut self, workspace: &WorkspaceName, runs: &[RunId]) -> Result<Vec<Usage>> {
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

fn grant(row: &Row<'_>) -> Result<Grant> {
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

fn whole(high: i64, low: i64) -> u64 {
    let sum = i128::from(high) * (1 << 32) + i128::from(low);
    u64::try_from(sum).unwrap_or_default().min(9_000_000_000_000_000_000)
}
