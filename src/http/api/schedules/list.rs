//! Lists schedules, and shows one.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::shown;
use crate::http::api::runs::page;
use crate::http::auth::Caller;
use crate::http::dto::{List, Schedule};
use crate::http::extract::{Query, SchedulePath, from_cursor, to_cursor};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::GrantId;
use crate::store::ScheduleFilter;

const LIST: &str = "schedules";

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only schedules under this grant.
    grant: Option<Uuid>,
    /// Maximum number of schedules; 50 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// List schedules
///
/// Newest first.
#[utoipa::path(get, path = "/v1/schedules", tag = "schedules", params(Wanted),
    responses((status = 200, description = "A page of schedules", body = List<Schedule>)))]
pub(super) async fn list_schedules(
    State(server): State<Server>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<Schedule>>, Problem> {
    let page = page(wanted.limit, from_cursor(LIST, wanted.cursor.as_deref())?)?;
    let filter = ScheduleFilter { grant: wanted.grant.map(GrantId) };
    let found = server.store().schedules(&caller.workspace, &filter, &page).await?;
    let next_cursor = found.next.map(|id| to_cursor(LIST, &id));
    Ok(Json(List { data: found.data.into_iter().map(shown).collect(), next_cursor }))
}

/// Show a schedule
#[utoipa::path(get, path = "/v1/schedules/{id}", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id, its name, or part of its id")),
    responses((status = 200, description = "The schedule", body = Schedule)))]
pub(super) async fn show_schedule(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
) -> Result<Json<Schedule>, Problem> {
    let schedule = server.store().schedule(&caller.workspace, id).await?;
    schedule.map(|found| Json(shown(found))).ok_or_else(|| Problem::no_schedule(&id.to_string()))
}
