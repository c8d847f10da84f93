//! Revokes a token.

use super::By;
use crate::access::{Token, TokenId};
use crate::run::WorkspaceName;
use crate::store::{Result, RevokeOutcome, Store};

/// The token as it is afterwards, and whether it was revoked only now; `None` if there is no such token where the caller may look: in one workspace, or in all.
pub async fn revoke_token(
    store: &dyn Store,
    by: &By,
    token: TokenId,
    within: Option<&WorkspaceName>,
) -> Result<Option<(Token, bool)>> {
    let known = |tokens: Vec<Token>| tokens.into_iter().find(|known| known.id == token);
    if known(store.tokens(within).await?).is_none() {
        return Ok(None);
    }
    let changed = store.revoke_token(token).await? == RevokeOutcome::Revoked;
    if changed {
        by.did(store, "token.revoke", &token, None).await;
    }
    Ok(known(store.tokens(within).await?).map(|token| (token, changed)))
}
