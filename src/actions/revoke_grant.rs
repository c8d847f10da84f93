//! Revokes a grant.

use super::by::detail;
use super::{By, GrantReach, grant_reach};
use crate::run::GrantId;
use crate::schedule::Grant;
use crate::store::{Result, RevokeGrantOutcome, Store, StoreError};

/// The grant as it is afterwards, and what that stops; `None` if there is no such grant. To revoke it again changes nothing.
pub async fn revoke_grant(store: &dyn Store, by: &By, id: GrantId) -> Result<Option<(Grant, GrantReach)>> {
    let outcome = match store.revoke_grant(&by.workspace, id).await {
        // To ask again does no harm, and whoever did it, it is to be written down.
        Err(StoreError::Ambiguous(_)) => store.revoke_grant(&by.workspace, id).await?,
        answer => answer?,
    };
    let (grant, is_new) = match outcome {
        RevokeGrantOutcome::Revoked(grant) => (grant, true),
        RevokeGrantOutcome::AlreadyRevoked(grant) => (grant, false),
        RevokeGrantOutcome::NotFound => return Ok(None),
    };
    let reach = grant_reach(store, &by.workspace, id).await?;
    if is_new {
        let words = serde_json::json!({
            "schedules": reach.schedules.len(), "waiting": reach.waiting, "running": reach.running,
        });
        by.did(store, "grant.revoke", &id, detail(words)).await;
    }
    Ok(Some((grant, reach)))
}
