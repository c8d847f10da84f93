//! Revokes a grant.

use super::{By, GrantReach, grant_reach};
use crate::run::GrantId;
use crate::schedule::Grant;
use crate::store::{Result, RevokeGrantOutcome, Store, StoreError};

/// The grant as it is afterwards, what that stops, and whether it was good before; `None` if there is no such grant. To revoke
/// it again changes nothing.
pub async fn revoke_grant(store: &dyn Store, by: &By, id: GrantId) -> Result<Option<(Grant, GrantReach, bool)>> {
    let (outcome, asked_twice) = match store.revoke_grant(&by.workspace, id).await {
        // To ask again does no harm; that it is revoked by then may well be this caller's doing.
        Err(StoreError::Ambiguous(_)) => (store.revoke_grant(&by.workspace, id).await?, true),
        answer => (answer?, false),
    };
    let (grant, is_new) = match outcome {
        RevokeGrantOutcome::Revoked(grant) => (grant, true),
        RevokeGrantOutcome::AlreadyRevoked(grant) => (grant, asked_twice),
        RevokeGrantOutcome::NotFound => return Ok(None),
    };
    // Written down before anything else can fail.
    if is_new {
        by.did(store, "grant.revoke", &id, None).await;
    }
    let reach = grant_reach(store, &by.workspace, id).await?;
    Ok(Some((grant, reach, is_new)))
}
