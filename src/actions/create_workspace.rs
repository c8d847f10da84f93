//! Makes a workspace.

use super::By;
use crate::run::WorkspaceName;
use crate::store::{Result, Store};

/// Makes it; `false` if it was there.
pub async fn create_workspace(store: &dyn Store, by: &By, workspace: &WorkspaceName) -> Result<bool> {
    let made = store.create_workspace(workspace).await?;
    if made {
        by.did(store, "workspace.create", workspace, None).await;
    }
    Ok(made)
}
