//! Grants: under whose permission schedules run.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::lanes::Wanted;
use super::runs::page;
use super::schedules::grant_request;
use crate::actions::{create_grant as make, grant_reach, revoke_grant as revoke, validate_grant as validate};
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::{Grant, GrantInUse, GrantTerms, GrantVerdict, IdOrPart, List, Name};
use crate::http::extract::{Body, GrantPath, Query, from_cursor, to_cursor};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::TaskName;
use crate::schedule::Standing;
use crate::store::CheckedGrant;

const LIST: &str = "grants";

pub(super) fn routes() -> OpenApiRouter<Server> {
    OpenApiRouter::new()
        .routes(routes!(list_grants, create_grant))
        .routes(routes!(show_grant))
        .routes(routes!(validate_grant))
        .routes(routes!(revoke_grant))
}

/// Create a grant
///
/// The grant is checked before every attempt of a run under it.
#[utoipa::path(post, path = "/v1/grants", tag = "grants", request_body = GrantTerms,
    responses((status = 201, description = "Created", body = Grant)))]
pub(super) async fn create_grant(
    State(server): State<Server>,
    caller: Caller,
    Body(terms): Body<GrantTerms>,
) -> Result<(StatusCode, Json<Grant>), Problem> {
    let made = make(server.store(), &caller.by, &grant_request(terms)?).await?;
    let grant = made.ok_or_else(Problem::no_workspace)?;
    Ok((StatusCode::CREATED, Json(grant.into())))
}

/// List grants
///
/// Newest first, including revoked and expired ones.
#[utoipa::path(get, path = "/v1/grants", tag = "grants", params(Wanted),
    responses((status = 200, description = "A page of grants", body = List<Grant>)))]
pub(super) async fn list_grants(
    State(server): State<Server>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<Grant>>, Problem> {
    let page = page(wanted.limit, from_cursor(LIST, wanted.cursor.as_deref())?)?;
    let found = server.store().grants(&caller.workspace, &page).await?;
    let next_cursor = found.next.map(|id| to_cursor(LIST, &id));
    Ok(Json(List { data: found.data.into_iter().map(Grant::from).collect(), next_cursor }))
}

/// Show a grant
///
/// With everything that runs under it and that revoking it would stop.
#[utoipa::path(get, path = "/v1/grants/{id}", tag = "grants", params(("id" = IdOrPart, Path, description = "The grant")),
    responses((status = 200, description = "The grant", body = GrantInUse)))]
pub(super) async fn show_grant(
    State(server): State<Server>,
    caller: Caller,
    GrantPath(id): GrantPath,
) -> Result<Json<GrantInUse>, Problem> {
    let grant = server.store().grant(&caller.workspace, id).await?;
    let grant = grant.ok_or_else(|| Problem::no_grant(&id.to_string()))?;
    let reach = grant_reach(server.store(), &caller.workspace, id).await?;
    Ok(Json(GrantInUse::of(grant, reach)))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// The task to check; without it, whether the grant is valid at all.
    #[param(value_type = Option<Name>)]
    task: Option<TaskName>,
}

/// Check whether a grant allows a task now
#[utoipa::path(get, path = "/v1/grants/{id}/validate", tag = "grants",
    params(("id" = IdOrPart, Path, description = "The grant"), Asked),
    responses((status = 200, description = "Whether the grant allows the task, and if not, why", body = GrantVerdict)))]
pub(super) async fn validate_grant(
    State(server): State<Server>,
    caller: Caller,
    GrantPath(id): GrantPath,
    Query(asked): Query<Asked>,
) -> Result<Json<GrantVerdict>, Problem> {
    let checked = validate(server.store(), &caller.workspace, id, asked.task.as_ref()).await?;
    let CheckedGrant { grant, standing } = checked.ok_or_else(|| Problem::no_grant(&id.to_string()))?;
    let problem = match standing {
        Standing::Good => None,
        refused => Some(Problem::grant_refused(refused, asked.task.as_ref().map(TaskName::as_str)).written("")),
    };
    Ok(Json(GrantVerdict {
        valid: problem.is_none(),
        code: problem.as_ref().map(|problem| problem.code.clone()),
        message: problem.map(|problem| problem.detail),
        grant: grant.into(),
    }))
}

/// Revoke a grant
///
/// After the response, nothing starts under this grant. Waiting runs fail when they would start, which disables their
/// schedules; running ones continue unless they are cancelled, but are not retried. The response counts them.
#[utoipa::path(post, path = "/v1/grants/{id}/revoke", tag = "grants",
    params(("id" = IdOrPart, Path, description = "The grant")),
    responses((status = 200, description = "Revoked, with what this stops", body = GrantInUse)))]
pub(super) async fn revoke_grant(
    State(server): State<Server>,
    caller: Caller,
    GrantPath(id): GrantPath,
) -> Result<Changed<GrantInUse>, Problem> {
    let revoked = revoke(server.store(), &caller.by, id).await?;
    let (grant, reach, changed) = revoked.ok_or_else(|| Problem::no_grant(&id.to_string()))?;
    Ok(Changed { body: GrantInUse::of(grant, reach), changed })
}
