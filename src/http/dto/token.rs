//! Tokens.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Name;
use crate::access::{self, Role, TokenName};
use crate::run::WorkspaceName;

/// A request for a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "ci", "role": "submitter", "expires_in_seconds": 2592000}))]
pub struct NewToken {
    /// The name of its user or purpose.
    #[schema(value_type = Name)]
    pub name: TokenName,
    /// Its role, which determines what it allows.
    #[schema(value_type = TokenRole)]
    pub role: Role,
    /// The workspace in which it is valid; by default that of the request. Cannot be combined with `everywhere`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Name>)]
    pub workspace: Option<WorkspaceName>,
    /// Whether it is valid in every workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub everywhere: Option<bool>,
    /// Its lifetime; by default it is valid until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 4294967295u64)]
    pub expires_in_seconds: Option<u32>,
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// Its id.
    pub id: Uuid,
    /// The name of its user or purpose.
    #[schema(example = "ci")]
    pub name: String,
    /// Its role, which determines what it allows.
    #[schema(value_type = TokenRole)]
    pub role: Role,
    /// The workspace in which it is valid; `null` for every workspace.
    #[schema(required, example = "default")]
    pub workspace: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    #[schema(required)]
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    #[schema(required)]
    pub revoked_at: Option<Timestamp>,
}

/// A new token, with its secret.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedToken {
    /// The token.
    #[serde(flatten)]
    pub token: Token,
    /// The bearer token. It is shown only once.
    #[schema(example = "rl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    pub secret: String,
}

/// The role of a token.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the pure layer, which knows of no schemas")]
pub(in crate::http) enum TokenRole {
    Viewer,
    Submitter,
    Operator,
    Admin,
    Worker,
}

impl From<access::Token> for Token {
    fn from(token: access::Token) -> Self {
        Self {
            id: token.id.0,
            name: token.name.to_string(),
            role: token.role,
            workspace: token.workspace.map(|workspace| workspace.to_string()),
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
        }
    }
}
