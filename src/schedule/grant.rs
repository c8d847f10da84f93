//! Grants: durable, scoped, revocable permission to run work on somebody's behalf. No session and no secret.

use jiff::Timestamp;

use crate::run::{GrantId, RunError, TaskName, WorkspaceName, names};

names! {
    /// On whose behalf.
    UserName, "user_id";
    /// Who pays.
    BillingAccount, "billing_account";
}

/// The codes by which runs end whose grant does not stand. No work may use them for its own failures.
pub(crate) const REFUSALS: [&str; 3] = ["grant_revoked", "grant_expired", "grant_scope"];

/// A grant to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrant {
    /// Chosen by the caller, so that an ambiguous answer can be settled by asking again.
    pub id: GrantId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// On whose behalf.
    pub user: UserName,
    /// Who pays.
    pub billing_account: BillingAccount,
    /// Which tasks may run.
    pub scopes: Scopes,
    /// From when on it is no good any more.
    pub expires_at: Option<Timestamp>,
}

/// A grant as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// On whose behalf.
    pub user: UserName,
    /// Who pays.
    pub billing_account: BillingAccount,
    /// Which tasks may run.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is no good any more.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Whether a grant allows a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Good,
    /// It was revoked.
    Revoked,
    /// Its time is over.
    Expired,
    /// It is for other tasks.
    OutOfScope,
}

/// The tasks a grant is for: names, names that end in `*` for all that begin so, or `*` for any.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Scopes(Vec<TaskName>);

impl Scopes {
    /// At least one, at most a hundred.
    pub fn parse(scopes: Vec<String>) -> Result<Self, String> {
        if scopes.is_empty() || scopes.len() > 100 {
            return Err("must name 1 to 100 tasks; * stands for any task".to_owned());
        }
        // Anywhere else it would be taken for a part of the name, and the scope would allow nothing.
        if let Some(scope) = scopes.iter().find(|scope| scope.strip_suffix('*').unwrap_or(scope).contains('*')) {
            return Err(format!("{scope:?}: a * may only stand at the end of a scope, as in mail.*, or alone"));
        }
        let named = scopes.into_iter().map(TaskName::parse).collect::<Result<_, _>>();
        named.map(Self).map_err(|error| error.to_string())
    }

    /// For one task.
    pub fn only(task: &TaskName) -> Self {
        Self(vec![task.clone()])
    }

    /// Whether the task is among them.
    pub fn allow(&self, task: &TaskName) -> bool {
        self.0.iter().any(|scope| match scope.as_str().strip_suffix('*') {
            Some(beginning) => task.as_str().starts_with(beginning),
            None => scope == task,
        })
    }
}

impl TryFrom<Vec<String>> for Scopes {
    type Error = String;
    fn try_from(scopes: Vec<String>) -> Result<Self, String> {
        Self::parse(scopes)
    }
}

impl From<Scopes> for Vec<String> {
    fn from(scopes: Scopes) -> Vec<String> {
        scopes.0.iter().map(ToString::to_string).collect()
    }
}

impl Grant {
    /// The grant that is made of a request.
    pub fn new(request: &NewGrant, now: Timestamp) -> Self {
        Self {
            id: request.id,
            workspace: request.workspace.clone(),
            user: request.user.clone(),
            billing_account: request.billing_account.clone(),
            scopes: request.scopes.clone(),
            created_at: now,
            expires_at: request.expires_at.map(crate::clock::to_micros),
            revoked_at: None,
        }
    }

    /// Whether it allows the task at `now`.
    pub fn standing(&self, task: &TaskName, now: Timestamp) -> Standing {
        if self.revoked_at.is_some() {
            Standing::Revoked
        } else if self.expires_at.is_some_and(|end| end <= now) {
            Standing::Expired
        } else if !self.scopes.allow(task) {
            Standing::OutOfScope
        } else {
            Standing::Good
        }
    }

    /// Why a run of the task must not start at `now`, if it must not.
    pub fn refusal(&self, task: &TaskName, now: Timestamp) -> Option<RunError> {
        self.refusal_by(self.standing(task, now), task)
    }

    /// Why a run of the task must not start, if it stands so with the grant.
    pub fn refusal_by(&self, standing: Standing, task: &TaskName) -> Option<RunError> {
        let (code, why) = match standing {
            Standing::Good => return None,
            Standing::Revoked => ("grant_revoked", "was revoked".to_owned()),
            Standing::Expired => ("grant_expired", "has expired".to_owned()),
            Standing::OutOfScope => ("grant_scope", format!("does not allow the task {task}")),
        };
        Some(RunError::new(code, format!("grant {} {why}", self.id)))
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn grant(scopes: &[&str]) -> Grant {
        let request = NewGrant {
            id: GrantId::new(),
            workspace: WorkspaceName::default(),
            user: UserName::parse("ada").expect("a name"),
            billing_account: BillingAccount::parse("acme").expect("a name"),
            scopes: Scopes::parse(scopes.iter().map(ToString::to_string).collect()).expect("scopes"),
            expires_at: None,
        };
        Grant::new(&request, Timestamp::UNIX_EPOCH)
    }

    fn task(name: &str) -> TaskName {
        TaskName::parse(name).expect("a name")
    }

    #[test]
    fn a_grant_is_good_until_it_expires_or_is_revoked() {
        let now = Timestamp::UNIX_EPOCH;
        let mut grant = grant(&["*"]);
        assert_eq!(grant.refusal(&task("any"), now), None);
        grant.expires_at = Some(now + SignedDuration::from_secs(1));
        assert_eq!(grant.standing(&task("any"), now), Standing::Good);
        assert_eq!(grant.standing(&task("any"), now + SignedDuration::from_secs(1)), Standing::Expired);
        grant.revoked_at = Some(now);
        assert_eq!(grant.refusal(&task("any"), now).map(|error| error.code).as_deref(), Some("grant_revoked"));
    }

    #[test]
    fn a_grant_is_for_the_tasks_it_names() {
        let grant = grant(&["report", "mail.*"]);
        for (name, allowed) in [("report", true), ("reports", false), ("mail.send", true), ("mail", false)] {
            assert_eq!(grant.scopes.allow(&task(name)), allowed, "{name}");
        }
        assert!(Scopes::parse(vec![]).is_err());
        assert!(Scopes::parse(vec![String::new()]).is_err());
        for inner in ["a*b", "*.send", "mail.**", "**"] {
            let refused = Scopes::parse(vec!["*".to_owned(), inner.to_owned()]).expect_err(inner);
            assert!(refused.contains(inner) && refused.contains("at the end"), "{refused}");
        }
    }
}
