//! Who asks, where, and the audit log of what they did.

use crate::access::TokenId;
use crate::run::{Json, WorkspaceName};
use crate::store::{AuditEntry, Store};

/// Who asks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The tenant it concerns.
    pub workspace: WorkspaceName,
    /// The token they showed, if any.
    pub token: Option<TokenId>,
    /// What they are called.
    pub name: String,
}

impl By {
    /// Somebody on this machine who needs no token.
    pub fn local(workspace: WorkspaceName) -> Self {
        Self { workspace, token: None, name: "local".to_owned() }
    }

    /// The configuration of a process, which has no token either.
    pub fn configuration(workspace: WorkspaceName) -> Self {
        Self { workspace, token: None, name: "configuration".to_owned() }
    }

    /// Writes down that they did something. It is done by now: if the log cannot be written, that is said in the process's
    /// own log, and nobody is told that it failed.
    pub(super) async fn did(&self, store: &dyn Store, action: &str, subject: &impl ToString, detail: Option<Json>) {
        let entry = AuditEntry {
            workspace: Some(self.workspace.clone()),
            actor: self.token,
            actor_name: self.name.clone(),
            action: action.to_owned(),
            subject: subject.to_string(),
            detail,
        };
        if let Err(error) = store.record_audit(std::slice::from_ref(&entry)).await {
            tracing::error!(?entry, error = error.in_full(), "the audit log could not be written");
        }
    }
}

/// What else there is to say of an action.
pub(super) fn detail(value: serde_json::Value) -> Option<Json> {
    Json::of(&value).ok()
}
