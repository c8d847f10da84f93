//! Makes a token.

use jiff::SignedDuration;

use super::By;
use super::by::detail;
use crate::access::{NewToken, Role, Secret, Token, TokenId, TokenName};
use crate::run::WorkspaceName;
use crate::store::{CreateTokenOutcome, Result, Store, StoreError};

/// What a token is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRequest {
    /// Where it is good; `None` for every workspace.
    pub workspace: Option<WorkspaceName>,
    /// What people call it.
    pub name: TokenName,
    /// What it is for.
    pub role: Role,
    /// How long it is good for; `None` until it is revoked.
    pub expires_in: Option<SignedDuration>,
}

/// The token with its secret, which nobody can learn again; `None` if there is no such workspace: the one where it is to
/// be good, or for one that is good everywhere the one from which it is asked for.
///
/// If the answer of the store was lost, another one is made: the first, if it exists, has a secret that nobody knows.
pub async fn create_token(store: &dyn Store, by: &By, request: TokenRequest) -> Result<Option<(Token, Secret)>> {
    let TokenRequest { workspace, name, role, expires_in } = request;
    if workspace.is_none() && !store.workspaces().await?.contains(&by.workspace) {
        return Ok(None);
    }
    let secret = Secret::generate();
    let wanted = NewToken { id: TokenId::new(), workspace, name, role, hash: secret.hash(), expires_in };
    match store.create_token(&wanted).await? {
        CreateTokenOutcome::Created(token) => {
            let words = serde_json::json!({
                "name": token.name.as_str(), "role": role, "workspace": token.workspace, "expires_at": token.expires_at,
            });
            by.did(store, "token.create", &token.id, detail(words)).await;
            Ok(Some((token, secret)))
        }
        CreateTokenOutcome::UnknownWorkspace => Ok(None),
        CreateTokenOutcome::DuplicateId | CreateTokenOutcome::DuplicateHash => {
            Err(StoreError::Corrupt("a new token exists already".into()))
        }
    }
}
