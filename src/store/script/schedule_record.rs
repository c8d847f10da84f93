//! Schedules and grants as flat rows: the columns they have on every database.

use jiff::Timestamp;
use uuid::Uuid;

use super::bad_name;
use crate::run::{GrantId, RunId, ScheduleId, WorkspaceName};
use crate::schedule::{BillingAccount, Disabled, Grant, Head, Schedule, Scopes, UserName};
use crate::store::{Result, StoreError};

/// The columns of `schedules`, in the order of every statement that reads or writes whole rows.
#[derive(Clone, Debug)]
pub(in crate::store) struct ScheduleRecord {
    pub(in crate::store) id: Uuid,
    pub(in crate::store) workspace: String,
    pub(in crate::store) grant_id: Uuid,
    pub(in crate::store) spec: String,
    pub(in crate::store) disabled_code: Option<String>,
    pub(in crate::store) disabled_message: Option<String>,
    pub(in crate::store) head_run: Option<Uuid>,
    pub(in crate::store) head_slot: Option<Timestamp>,
    pub(in crate::store) last_slot: Option<Timestamp>,
    pub(in crate::store) since: Timestamp,
    pub(in crate::store) version: i64,
    pub(in crate::store) created_at: Timestamp,
    pub(in crate::store) updated_at: Timestamp,
}

impl ScheduleRecord {
    pub(in crate::store) fn of(schedule: &Schedule) -> Result<Self> {
        let spec = serde_json::to_string(&schedule.spec);
        Ok(Self {
            id: schedule.id.0,
            workspace: schedule.workspace.to_string(),
            grant_id: schedule.grant.0,
            spec: spec.map_err(|error| corrupt(schedule.id.0, &error))?,
            disabled_code: schedule.disabled.as_ref().map(|reason| reason.code.clone()),
            disabled_message: schedule.disabled.as_ref().map(|reason| reason.message.clone()),
            head_run: schedule.head.map(|head| head.run.0),
            head_slot: schedule.head.map(|head| head.slot),
            last_slot: schedule.last_slot,
            since: schedule.since,
            version: schedule.version,
            created_at: schedule.created_at,
            updated_at: schedule.updated_at,
        })
    }

    pub(in crate::store) fn into_schedule(self) -> Result<Schedule> {
        let disabled = match (self.disabled_code, self.disabled_message) {
            (Some(code), Some(message)) => Some(Disabled { code, message }),
            _ => None,
        };
        let head = match (self.head_run, self.head_slot) {
            (Some(run), Some(slot)) => Some(Head { run: RunId(run), slot }),
            _ => None,
        };
        Ok(Schedule {
            id: ScheduleId(self.id),
            workspace: WorkspaceName::parse(self.workspace).map_err(bad_name)?,
            spec: serde_json::from_str(&self.spec).map_err(|error| corrupt(self.id, &error))?,
            grant: GrantId(self.grant_id),
            disabled,
            head,
            last_slot: self.last_slot,
            since: self.since,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// The columns of `grants`, in the order of every statement that reads whole rows.
#[derive(Clone, Debug)]
pub(in crate::store) struct GrantRecord {
    pub(in crate::store) id: Uuid,
    pub(in crate::store) workspace: String,
    pub(in crate::store) user_id: String,
    pub(in crate::store) billing_account: String,
    pub(in crate::store) scopes: Vec<String>,
    pub(in crate::store) created_at: Timestamp,
    pub(in crate::store) expires_at: Option<Timestamp>,
    pub(in crate::store) revoked_at: Option<Timestamp>,
}

impl GrantRecord {
    pub(in crate::store) fn into_grant(self) -> Result<Grant> {
        Ok(Grant {
            id: GrantId(self.id),
            workspace: WorkspaceName::parse(self.workspace).map_err(bad_name)?,
            user: UserName::parse(self.user_id).map_err(bad_name)?,
            billing_account: BillingAccount::parse(self.billing_account).map_err(bad_name)?,
            scopes: Scopes::parse(self.scopes).map_err(|error| StoreError::Corrupt(format!("scopes: {error}")))?,
            created_at: self.created_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
        })
    }
}

fn corrupt(schedule: Uuid, error: &serde_json::Error) -> StoreError {
    StoreError::Corrupt(format!("schedule {schedule}: {error}"))
}
