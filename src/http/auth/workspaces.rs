//! Workspaces that are known to exist, so that not every request costs a read of the database.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use crate::http::problem::Problem;
use crate::run::WorkspaceName;
use crate::store::Store;

/// A workspace is never removed, so one that was there once need not be looked up again. One that was not there is
/// looked up each time: it may have been created meanwhile, by another process too.
#[derive(Default)]
pub(in crate::http) struct KnownWorkspaces(RwLock<HashSet<WorkspaceName>>);

impl KnownWorkspaces {
    /// Refuses a workspace that does not exist, so that a misspelt name is not answered with an empty list.
    pub(super) async fn must_have(&self, store: &dyn Store, wanted: &WorkspaceName) -> Result<(), Problem> {
        if self.0.read().unwrap_or_else(PoisonError::into_inner).contains(wanted) {
            return Ok(());
        }
        let all = store.workspaces().await?;
        let exists = all.contains(wanted);
        self.0.write().unwrap_or_else(PoisonError::into_inner).extend(all);
        if exists { Ok(()) } else { Err(Problem::no_workspace_called(wanted).field("X-Runlane-Workspace")) }
    }
}
