//! Grants.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Name;
use crate::actions::GrantReach;
use crate::schedule::{self, BillingAccount, UserName};

/// What a grant is to allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"user_id": "ada", "billing_account": "research", "scopes": ["report", "mail.*"],
    "expires_at": "2027-11-16T00:00:00Z"}))]
pub struct GrantTerms {
    /// On whose behalf.
    #[schema(value_type = Name)]
    pub user_id: UserName,
    /// Who pays.
    #[schema(value_type = Name)]
    pub billing_account: BillingAccount,
    /// Which tasks may run: names, names that end in `*` for all that begin so, or `*` for any.
    #[schema(value_type = Vec<Name>, min_items = 1, max_items = 100)]
    pub scopes: Vec<String>,
    /// From when on it is no good any more; until it is revoked unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// Durable, scoped, revocable permission to run work on somebody's behalf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Names it.
    pub id: Uuid,
    /// The tenant.
    #[schema(example = "default")]
    pub workspace: String,
    /// On whose behalf.
    #[schema(example = "ada")]
    pub user_id: String,
    /// Who pays.
    #[schema(example = "research")]
    pub billing_account: String,
    /// Which tasks may run.
    #[schema(example = json!(["report", "mail.*"]))]
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is no good any more.
    #[schema(required)]
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    #[schema(required)]
    pub revoked_at: Option<Timestamp>,
}

/// A grant, and what runs under it: what revoking it stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantInUse {
    /// The grant.
    #[serde(flatten)]
    pub grant: Grant,
    /// The schedules under it. Revoked, each is disabled when its next run is to start.
    pub schedules: Vec<GrantedSchedule>,
    /// How many of their runs wait. Revoked, they fail instead of starting.
    #[schema(example = 1)]
    pub waiting_runs: u64,
    /// How many of their runs are running. Revoked, they go on to their end unless they are cancelled, and are not tried
    /// again.
    #[schema(example = 0)]
    pub running_runs: u64,
}

/// A schedule under a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantedSchedule {
    /// Names it.
    pub id: Uuid,
    /// What people call it.
    #[schema(example = "nightly report")]
    pub name: String,
    /// Whether it is at work.
    pub enabled: bool,
}

/// Whether a grant allows a task now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantVerdict {
    /// Whether it does.
    pub valid: bool,
    /// Why not: `grant_revoked`, `grant_expired` or `grant_scope`.
    #[schema(required, example = json!(null))]
    pub code: Option<String>,
    /// The same in words.
    #[schema(required, example = json!(null))]
    pub message: Option<String>,
    /// The grant.
    pub grant: Grant,
}

impl From<schedule::Grant> for Grant {
    fn from(grant: schedule::Grant) -> Self {
        Self {
            id: grant.id.0,
            workspace: grant.workspace.to_string(),
            user_id: grant.user.to_string(),
            billing_account: grant.billing_account.to_string(),
            scopes: grant.scopes.into(),
            created_at: grant.created_at,
            expires_at: grant.expires_at,
            revoked_at: grant.revoked_at,
        }
    }
}

impl GrantInUse {
    /// A grant with what runs under it.
    pub fn of(grant: schedule::Grant, reach: GrantReach) -> Self {
        let schedule = |schedule: schedule::Schedule| GrantedSchedule {
            id: schedule.id.0,
            name: schedule.spec.name.to_string(),
            enabled: schedule.disabled.is_none(),
        };
        Self {
            grant: grant.into(),
            schedules: reach.schedules.into_iter().map(schedule).collect(),
            waiting_runs: reach.waiting,
            running_runs: reach.running,
        }
    }
}
