//! The audit log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::run::Json;
use crate::store;

/// An administrative action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditRecord {
    /// Rises with every record. There may be gaps.
    pub seq: i64,
    /// When it happened.
    pub at: Timestamp,
    /// The workspace.
    #[schema(required, example = "default")]
    pub workspace: Option<String>,
    /// The token that was used, if any.
    #[schema(required)]
    pub actor: Option<Uuid>,
    /// The name of the token's bearer at that time.
    #[schema(example = "ops")]
    pub actor_name: String,
    /// The action.
    #[schema(example = "run.cancel")]
    pub action: String,
    /// Its target.
    pub subject: String,
    /// Further details.
    #[schema(required, value_type = Value, example = json!(null))]
    pub detail: Option<Json>,
}

impl From<store::AuditRecord> for AuditRecord {
    fn from(record: store::AuditRecord) -> Self {
        let store::AuditRecord { seq, at, entry } = record;
        Self {
            seq,
            at,
            workspace: entry.workspace.map(|workspace| workspace.to_string()),
            actor: entry.actor.map(|token| token.0),
            actor_name: entry.actor_name,
            action: entry.action,
            subject: entry.subject,
            detail: entry.detail,
        }
    }
}
