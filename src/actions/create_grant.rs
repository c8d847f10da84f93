//! Makes a grant.

use jiff::Timestamp;

use super::By;
use super::by::detail;
use crate::run::GrantId;
use crate::schedule::{BillingAccount, Grant, NewGrant, Scopes, UserName};
use crate::store::{CreateGrantOutcome, Result, Store, StoreError};

/// What a grant is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantRequest {
    /// On whose behalf.
    pub user: UserName,
    /// Who pays.
    pub billing_account: BillingAccount,
    /// Which tasks may run.
    pub scopes: Scopes,
    /// From when on it is no good any more.
    pub expires_at: Option<Timestamp>,
}

impl GrantRequest {
    /// As the store takes it.
    pub(super) fn new_grant(&self, by: &By) -> NewGrant {
        NewGrant {
            id: GrantId::new(),
            workspace: by.workspace.clone(),
            user: self.user.clone(),
            billing_account: self.billing_account.clone(),
            scopes: self.scopes.clone(),
            expires_at: self.expires_at,
        }
    }
}

/// The new grant; `None` if there is no such workspace.
pub async fn create_grant(store: &dyn Store, by: &By, request: &GrantRequest) -> Result<Option<Grant>> {
    let wanted = request.new_grant(by);
    let grant = match store.create_grant(&wanted).await? {
        CreateGrantOutcome::Created(grant) => grant,
        CreateGrantOutcome::UnknownWorkspace => return Ok(None),
        // Its id is ours, and new.
        CreateGrantOutcome::DuplicateId => return Err(StoreError::Corrupt("a new grant exists already".into())),
    };
    made_grant(store, by, &grant).await;
    Ok(Some(grant))
}

/// Writes down that a grant was made.
pub(super) async fn made_grant(store: &dyn Store, by: &By, grant: &Grant) {
    let words = serde_json::json!({
        "user_id": grant.user, "billing_account": grant.billing_account, "scopes": grant.scopes,
        "expires_at": grant.expires_at,
    });
    by.did(store, "grant.create", &grant.id, detail(words)).await;
}
