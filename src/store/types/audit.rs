//! Who did what.

use jiff::Timestamp;

use crate::access::TokenId;
use crate::run::{Json, WorkspaceName};

/// Something that somebody did, to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Where; `None` if it concerns the whole installation.
    pub workspace: Option<WorkspaceName>,
    /// By which token; `None` if it was done without one.
    pub actor: Option<TokenId>,
    /// What its bearer was called at the time.
    pub actor_name: String,
    /// What was done.
    pub action: String,
    /// To what.
    pub subject: String,
    /// What else there is to say, without any secret.
    pub detail: Option<Json>,
}

impl AuditEntry {
    /// The entry as every database can keep it: PostgreSQL has no U+0000 in text, and a record of what was done must not
    /// be lost for it.
    pub(in crate::store) fn storable(&self) -> Self {
        let escaped = |text: &str| text.replace('\0', "\\u0000");
        Self {
            actor_name: escaped(&self.actor_name),
            action: escaped(&self.action),
            subject: escaped(&self.subject),
            ..self.clone()
        }
    }
}

/// Something that was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number, higher than those of earlier ones. There may be gaps.
    pub seq: i64,
    /// When it was written down.
    pub at: Timestamp,
    /// What it says.
    pub entry: AuditEntry,
}

/// Which records to read; what is unset does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// By somebody of this name.
    pub actor: Option<String>,
    /// Of this action (`run.cancel`), or of all that concern a noun (`run`).
    pub action: Option<String>,
    /// On this subject.
    pub subject: Option<String>,
    /// Written down then or later.
    pub since: Option<Timestamp>,
}

impl AuditFilter {
    /// Whether the record is one of those asked for.
    pub fn matches(&self, record: &AuditRecord) -> bool {
        let is_action = |wanted: &String| {
            let rest = record.entry.action.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.actor.as_ref().is_none_or(|actor| record.entry.actor_name == *actor)
            && self.action.as_ref().is_none_or(is_action)
            && self.subject.as_ref().is_none_or(|subject| record.entry.subject == *subject)
            && self.since.is_none_or(|since| record.at >= since)
    }
}
