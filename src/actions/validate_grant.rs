//! Says whether a grant allows a task now.

use crate::run::{GrantId, TaskName, WorkspaceName};
use crate::store::{CheckedGrant, Result, Store};

/// The grant and how it stands by the store's clock; `None` if there is no such grant. Without a task, whether it is good
/// for anything.
pub async fn validate_grant(
    store: &dyn Store,
    workspace: &WorkspaceName,
    id: GrantId,
    task: Option<&TaskName>,
) -> Result<Option<CheckedGrant>> {
    if let Some(task) = task {
        return store.check_grant(workspace, id, task).await;
    }
    let Some(grant) = store.grant(workspace, id).await? else { return Ok(None) };
    // What a scope is called is a task it allows.
    let allowed = Vec::<String>::from(grant.scopes).into_iter().find_map(|scope| TaskName::parse(scope).ok());
    match allowed {
        Some(task) => store.check_grant(workspace, id, &task).await,
        None => Ok(None),
    }
}
