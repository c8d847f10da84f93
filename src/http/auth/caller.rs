//! A caller who was found to be allowed what they ask for.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::access::{Permission, Token};
use crate::actions::By;
use crate::http::problem::{Code, Problem};
use crate::run::WorkspaceName;

/// Who asks, and for which workspace.
#[derive(Clone, Debug)]
pub(in crate::http) struct Caller {
    pub(in crate::http) workspace: WorkspaceName,
    pub(in crate::http) by: By,
    /// The workspace was named in the request.
    pub(in crate::http) chose: bool,
    token: Option<Token>,
}

impl Caller {
    /// Somebody on this machine, who may do everything.
    pub(super) fn local(chosen: Option<WorkspaceName>) -> Self {
        let (chose, workspace) = (chosen.is_some(), chosen.unwrap_or_default());
        Self { by: By::local(workspace.clone()), workspace, chose, token: None }
    }

    /// The bearer of a token: its workspace, or if it is good in all, the one that was chosen.
    pub(super) fn bearing(token: Token, chosen: Option<WorkspaceName>) -> Result<Self, Problem> {
        let workspace = match (&token.workspace, &chosen) {
            (Some(own), Some(chosen)) if own != chosen => return Err(elsewhere()),
            (Some(own), _) => own.clone(),
            (None, chosen) => chosen.clone().unwrap_or_default(),
        };
        let by = By { workspace: workspace.clone(), token: Some(token.id), name: token.name.to_string() };
        Ok(Self { workspace, by, chose: chosen.is_some(), token: Some(token) })
    }

    pub(super) fn must_be_permitted(&self, permission: Permission, everywhere: bool) -> Result<(), Problem> {
        let Some(token) = &self.token else { return Ok(()) };
        if !token.may(permission, &self.workspace) {
            let detail = format!("this needs the permission {permission}, which the role {} does not have", token.role);
            return Err(Problem::new(Code::Forbidden, detail));
        }
        if everywhere && token.workspace.is_some() {
            return Err(
                elsewhere().hint("this affects every workspace, so it needs a token that is valid in all of them")
            );
        }
        Ok(())
    }

    /// Whether the caller is permitted this where they ask.
    pub(in crate::http) fn may(&self, permission: Permission) -> bool {
        self.token.as_ref().is_none_or(|token| token.may(permission, &self.workspace))
    }

    /// The only workspace the caller may use, if there is but one.
    pub(in crate::http) fn only_workspace(&self) -> Option<&WorkspaceName> {
        self.token.as_ref().and_then(|token| token.workspace.as_ref())
    }

    /// Whether the workspace is among those the caller may use.
    pub(in crate::http) fn may_use(&self, workspace: &WorkspaceName) -> bool {
        self.only_workspace().is_none_or(|own| own == workspace)
    }

    /// Refuses unless it is; `None` is all workspaces.
    pub(in crate::http) fn must_reach(&self, workspace: Option<&WorkspaceName>) -> Result<(), Problem> {
        let reaches = match workspace {
            Some(workspace) => self.may_use(workspace),
            None => self.only_workspace().is_none(),
        };
        if reaches { Ok(()) } else { Err(elsewhere()) }
    }

    /// Whose tokens and audit log the caller sees: one workspace's, or everybody's.
    pub(in crate::http) fn view(&self) -> Option<&WorkspaceName> {
        if self.chose { Some(&self.workspace) } else { self.only_workspace() }
    }
}

fn elsewhere() -> Problem {
    Problem::new(Code::Forbidden, "the token is valid only in another workspace")
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Caller>().cloned();
        caller.ok_or_else(|| Problem::new(Code::InternalError, "the request was not authorised"))
    }
}
