//! Workspaces.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Name;
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
    #[schema(value_type = Name, example = "acme")]
    pub name: WorkspaceName,
}

impl From<WorkspaceName> for Workspace {
    fn from(name: WorkspaceName) -> Self {
        Self { name: name.to_string() }
    }
}
