//! Workspaces: which there are, and making one.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::actions::create_workspace as make;
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::{List, NewWorkspace, Workspace};
use crate::http::extract::Body;
use crate::http::problem::Problem;
use crate::http::state::Server;

/// List workspaces
///
/// Lists the workspaces that the caller may use.
#[utoipa::path(get, path = "/v1/workspaces", tag = "workspaces",
    responses((status = 200, description = "All workspaces", body = List<Workspace>)))]
pub(super) async fn list_workspaces(
    State(server): State<Server>,
    caller: Caller,
) -> Result<Json<List<Workspace>>, Problem> {
    let mut workspaces = server.store().workspaces().await?;
    workspaces.retain(|workspace| caller.may_use(workspace));
    Ok(Json(List::whole(workspaces.into_iter().map(Workspace::from).collect())))
}

/// Create a workspace
#[utoipa::path(post, path = "/v1/workspaces", tag = "workspaces", request_body = NewWorkspace,
    responses(
        (status = 201, description = "Created", body = Workspace),
        (status = 200, description = "The workspace existed", body = Workspace),
    ))]
pub(super) async fn create_workspace(
    State(server): State<Server>,
    caller: Caller,
    Body(wanted): Body<NewWorkspace>,
) -> Result<(StatusCode, Changed<Workspace>), Problem> {
    caller.must_reach(Some(&wanted.name))?;
    let made = make(server.store(), &caller.by, &wanted.name).await?;
    let status = if made { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Changed { body: wanted.name.into(), changed: made }))
}
