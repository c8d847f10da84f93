//! The audit log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::run::Json;
use crate::store;

/// Something that somebody did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditRecord {
    /// Higher than those of earlier ones. There may be gaps.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// In which workspace.
    #[schema(required, example = "default")]
    pub workspace: Option<String>,
    /// The token they showed, if any.
    #[schema(required)]
    pub actor: Option<Uuid>,
    /// What its bearer was called.
    #[schema(example = "ops")]
    pub actor_name: String,
    /// What was done.
    #[schema(example = "run.cancel")]
    pub action: String,
    /// To what.
    pub subject: String,
    /// What else there is to say.
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
