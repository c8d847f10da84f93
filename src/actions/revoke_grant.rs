//! Revokes a grant.

use super::{By, GrantReach, grant_reach};
use crate::run::GrantId;
use crate::schedule::Grant;
use crate::store::{Result, RevokeGrantOutcome, Store};

/// The grant as it is afterwards, what that stops, and whether it was good before; `None` if there is no such grant. To revoke
/// it again changes nothing.
pub async fn revoke_grant(store: &dyn Store, by: &By, id: GrantId) -> Result<Option<(Grant, GrantReach, bool)>> {
    let (grant, is_new) = match store.revoke_grant(&by.workspace, id).await? {
        RevokeGrantOutcome::Revoked(grant) => (grant, true),
        RevokeGrantOutcome::AlreadyRevoked(grant) => (grant, false),
        RevokeGrantOutcome::NotFound => return Ok(None),
    };
    // Written down before anything else can fail.
    if is_new {
        by.did(store, "grant.revoke", &id, None).await;
    }
    let reach = grant_reach(store, &by.workspace, id).await?;
    Ok(Some((grant, reach, is_new)))
}
