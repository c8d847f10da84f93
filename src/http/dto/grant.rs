//! Grants.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Name;
use crate::actions::GrantReach;
use crate::schedule::{self, BillingAccount, UserName};

/// A request for a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"user_id": "ada", "billing_account": "research", "scopes": ["report", "mail.*"],
    "expires_at": "2027-11-16T00:00:00Z"}))]
pub struct GrantTerms {
    /// The user on whose behalf runs execute.
    #[schema(value_type = Name)]
    pub user_id: UserName,
    /// The account charged for usage.
    #[schema(value_type = Name)]
    pub billing_account: BillingAccount,
    /// The tasks it allows: names, prefixes such as `mail.*`, or `*` for any task.
    #[schema(value_type = Vec<Name>, min_items = 1, max_items = 100)]
    pub scopes: Vec<String>,
    /// When it expires; without this, it is valid until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// Durable, scoped, revocable permission to run work on somebody's behalf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Its id.
    pub id: Uuid,
    /// The workspace.
    #[schema(example = "default")]
    pub workspace: String,
    /// The user on whose behalf runs execute.
    #[schema(example = "ada")]
    pub user_id: String,
    /// The account charged for usage.
    #[schema(example = "research")]
    pub billing_account: String,
    /// The tasks it allows.
    #[schema(example = json!(["report", "mail.*"]))]
    pub scopes: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    #[schema(required)]
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    #[schema(required)]
    pub revoked_at: Option<Timestamp>,
}

/// A grant and what runs under it, which is what revoking it stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantInUse {
    /// The grant.
    #[serde(flatten)]
    pub grant: Grant,
    /// Its schedules. After a revocation, each is disabled when its next run would start.
    pub schedules: Vec<GrantedSchedule>,
    /// Number of waiting runs. After a revocation, they fail instead of starting.
    #[schema(example = 1)]
    pub waiting_runs: u64,
    /// Number of running runs. After a revocation, they continue unless they are cancelled, but are not retried.
    #[schema(example = 0)]
    pub running_runs: u64,
}

/// A schedule under a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantedSchedule {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    #[schema(example = "nightly report")]
    pub name: String,
    /// Whether it is enabled.
    pub enabled: bool,
}

/// Whether a grant allows a task now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantVerdict {
    /// Whether the grant allows it.
    pub valid: bool,
    /// Why not: `grant_revoked`, `grant_expired` or `grant_scope`.
    #[schema(required, example = json!(null))]
    pub code: Option<String>,
    /// The reason in a sentence.
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
