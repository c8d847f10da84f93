//! Access tokens, without their secrets.

use jiff::{SignedDuration, Timestamp};

use super::{Permission, Role, TokenHash};
use crate::clock::later;
use crate::run::{WorkspaceName, ids, names};

ids! {
    /// Names a token, in lists and in the audit log.
    TokenId;
}

names! {
    /// What people call a token: who or what bears it.
    TokenName, "token name";
}

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Its id, picked by whoever asks, so that an ambiguous answer can be settled by asking again.
    pub id: TokenId,
    /// Where it is good; `None` for every workspace.
    pub workspace: Option<WorkspaceName>,
    /// What people call it.
    pub name: TokenName,
    /// What it is for.
    pub role: Role,
    /// Of its secret.
    pub hash: TokenHash,
    /// How long it is good for; `None` until it is revoked.
    pub expires_in: Option<SignedDuration>,
}

/// A token as it is known to everybody but its bearer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// Where it is good; `None` for every workspace.
    pub workspace: Option<WorkspaceName>,
    /// What people call it.
    pub name: TokenName,
    /// What it is for.
    pub role: Role,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is no good any more.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Token {
    /// The token that is made of a request.
    pub fn new(request: &NewToken, now: Timestamp) -> Self {
        Self {
            id: request.id,
            workspace: request.workspace.clone(),
            name: request.name.clone(),
            role: request.role,
            created_at: now,
            expires_at: request.expires_in.map(|wait| later(now, wait.max(SignedDuration::ZERO))),
            revoked_at: None,
        }
    }

    /// Whether it is neither expired nor revoked.
    pub fn is_good_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether it allows this in a workspace.
    pub fn may(&self, permission: Permission, workspace: &WorkspaceName) -> bool {
        self.role.may(permission) && self.workspace.as_ref().is_none_or(|own| own == workspace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> NewToken {
        NewToken {
            id: TokenId::new(),
            workspace: None,
            name: TokenName::parse("ci").expect("a good name"),
            role: Role::Submitter,
            hash: TokenHash([7; 32]),
            expires_in: None,
        }
    }

    #[test]
    fn a_token_is_good_until_it_expires_or_is_revoked() {
        let now = Timestamp::UNIX_EPOCH;
        let second = SignedDuration::from_secs(1);
        let mut token = Token::new(&NewToken { expires_in: Some(second), ..request() }, now);
        assert!(token.is_good_at(now));
        assert!(!token.is_good_at(now + second));
        token.expires_at = None;
        assert!(token.is_good_at(now + second));
        token.revoked_at = Some(now);
        assert!(!token.is_good_at(now));
    }

    #[test]
    fn a_token_never_expires_before_it_was_made_nor_after_the_end_of_time() {
        let now = Timestamp::UNIX_EPOCH;
        let expiry = |wait| Token::new(&NewToken { expires_in: Some(wait), ..request() }, now).expires_at;
        assert_eq!(expiry(SignedDuration::from_secs(-1)), Some(now));
        assert_eq!(expiry(SignedDuration::MAX), Some(crate::clock::to_micros(Timestamp::MAX)));
    }

    #[test]
    fn a_token_of_one_workspace_allows_nothing_in_another() {
        let (home, other) = (WorkspaceName::default(), WorkspaceName::parse("other").expect("a good name"));
        let everywhere = Token::new(&request(), Timestamp::UNIX_EPOCH);
        let at_home = Token { workspace: Some(home.clone()), ..everywhere.clone() };
        assert!(at_home.may(Permission::Submit, &home) && everywhere.may(Permission::Submit, &other));
        assert!(!at_home.may(Permission::Submit, &other) && !at_home.may(Permission::Operate, &home));
    }
}
