//! Workspaces.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::run::WorkspaceName;

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Workspace {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
}

/// A request for a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWorkspace {
    /// Its name.
    #[schema(value_type = String, min_length = 1, max_length = 200, example = "acme")]
    pub name: WorkspaceName,
}

impl From<WorkspaceName> for Workspace {
    fn from(name: WorkspaceName) -> Self {
        Self { name: name.to_string() }
    }
}
