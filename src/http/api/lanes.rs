//! Lanes: who is in them, what holds them, and letting them go on.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::runs::page;
use crate::actions::{release_lane as let_go, set_lane_policy};
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::{Lane, LaneChange, LaneReleased, LaneSettings, List, Name};
use crate::http::extract::{Body, LanePath, Query, from_cursor, to_cursor};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::store::LanePolicyOutcome;

const LIST: &str = "lanes";

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::http::api) struct Wanted {
    /// Maximum number of lanes; 50 by default.
    #[param(minimum = 1, maximum = 500)]
    pub(in crate::http::api) limit: Option<u16>,
    /// `next_cursor` of the previous page.
    #[param(pattern = "^([0-9a-f]{2})+$")]
    pub(in crate::http::api) cursor: Option<String>,
}

/// List lanes
///
/// Lists lanes that have live runs, holds or a policy, by name.
#[utoipa::path(get, path = "/v1/lanes", tag = "lanes", params(Wanted),
    responses((status = 200, description = "A page of lanes", body = List<Lane>)))]
pub(super) async fn list_lanes(
    State(server): State<Server>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<Lane>>, Problem> {
    let page = page(wanted.limit, from_cursor(LIST, wanted.cursor.as_deref())?)?;
    let found = server.store().lanes(&caller.workspace, None, &page).await?;
    let next_cursor = found.next.map(|name| to_cursor(LIST, &name));
    Ok(Json(List { data: found.data.into_iter().map(Lane::from).collect(), next_cursor }))
}

/// Set what a lane does when one of its runs is paused, fails or times out
#[utoipa::path(patch, path = "/v1/lanes/{name}", tag = "lanes", request_body = LaneChange,
    params(("name" = Name, Path, description = "The lane")),
    responses((status = 200, description = "The lane's settings", body = LaneSettings)))]
pub(super) async fn change_lane(
    State(server): State<Server>,
    caller: Caller,
    LanePath(lane): LanePath,
    Body(change): Body<LaneChange>,
) -> Result<Changed<LaneSettings>, Problem> {
    let changed = match set_lane_policy(server.store(), &caller.by, &lane, change.policy).await? {
        LanePolicyOutcome::Changed => true,
        LanePolicyOutcome::Unchanged => false,
        LanePolicyOutcome::UnknownWorkspace => return Err(Problem::no_workspace()),
    };
    Ok(Changed { body: LaneSettings { name: lane.to_string(), policy: change.policy }, changed })
}

/// Release a held lane
///
/// Dismisses every run that holds it.
#[utoipa::path(post, path = "/v1/lanes/{name}/release", tag = "lanes",
    params(("name" = Name, Path, description = "The lane")),
    responses((status = 200, description = "The lane continues", body = LaneReleased)))]
pub(super) async fn release_lane(
    State(server): State<Server>,
    caller: Caller,
    LanePath(lane): LanePath,
) -> Result<Json<LaneReleased>, Problem> {
    let released = let_go(server.store(), &caller.by, &lane).await?;
    Ok(Json(LaneReleased { released }))
}
