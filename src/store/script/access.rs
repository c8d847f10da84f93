//! Tokens: what is there already decides.

use super::Tx;
use crate::access::{NewToken, Token, TokenId};
use crate::store::{CreateTokenOutcome, Result, RevokeOutcome};

pub(in crate::store) async fn create_token<T: Tx>(tx: &mut T, request: &NewToken) -> Result<CreateTokenOutcome> {
    if let Some(workspace) = &request.workspace
        && tx.known_workspaces(std::slice::from_ref(workspace)).await?.is_empty()
    {
        return Ok(CreateTokenOutcome::UnknownWorkspace);
    }
    let token = Token::new(request, tx.now().await?);
    Ok(if tx.insert_token(&token, &request.hash).await? {
        CreateTokenOutcome::Created(token)
    } else if tx.token_exists(token.id).await? {
        CreateTokenOutcome::DuplicateId
    } else {
        CreateTokenOutcome::DuplicateHash
    })
}

pub(in crate::store) async fn revoke_token<T: Tx>(tx: &mut T, token: TokenId) -> Result<RevokeOutcome> {
    Ok(if tx.revoke_token(token).await? {
        RevokeOutcome::Revoked
    } else if tx.token_exists(token).await? {
        RevokeOutcome::AlreadyRevoked
    } else {
        RevokeOutcome::NotFound
    })
}
