//! Which slots come next.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::actions::{TimingRequest, plan_timing, preview_schedule as look_ahead, preview_timing as try_out};
use crate::clock::Clock;
use crate::http::auth::Caller;
use crate::http::dto::{Preview, PreviewRequest, Slot};
use crate::http::extract::{Body, Query, SchedulePath};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::schedule::Previewed;

const USUAL: u16 = 10;
const MOST: u16 = 1000;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only slots after this time; now by default.
    from: Option<Timestamp>,
    /// Maximum number of slots; 10 by default.
    #[param(minimum = 1, maximum = 1000)]
    count: Option<u16>,
}

/// Preview a schedule's slots
///
/// Also works for a disabled schedule. Notes slots that a clock change affects.
#[utoipa::path(get, path = "/v1/schedules/{id}/preview", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id, its name, or part of its id"), Wanted),
    responses((status = 200, description = "The next slots", body = Preview)))]
pub(super) async fn preview_schedule(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Preview>, Problem> {
    let count = count(wanted.count, Code::InvalidParameter)?;
    let from = wanted.from.unwrap_or_else(|| Clock::Database.host_now());
    let slots = look_ahead(server.store(), &caller.workspace, id, from, count).await?;
    slots.map(shown).ok_or_else(|| Problem::no_schedule(&id.to_string()))
}

/// Preview the slots of a new schedule
///
/// Stores nothing.
#[utoipa::path(post, path = "/v1/schedules/preview", tag = "schedules", request_body = PreviewRequest,
    responses((status = 200, description = "The next slots", body = Preview)))]
pub(super) async fn preview_timing(_: Caller, Body(body): Body<PreviewRequest>) -> Result<Json<Preview>, Problem> {
    let count = count(body.count, Code::InvalidField)?;
    let now = Clock::Database.host_now();
    let PreviewRequest { cron, timezone, dst, every_seconds, starts_at, at, from, .. } = body;
    let timing = TimingRequest { cron, timezone, dst, every_seconds, starts_at, at };
    let timing = plan_timing(&timing, now, now)?;
    Ok(shown(try_out(timing, from.unwrap_or(now), count).await))
}

fn count(given: Option<u16>, code: Code) -> Result<usize, Problem> {
    let count = given.unwrap_or(USUAL);
    if (1..=MOST).contains(&count) {
        return Ok(count.into());
    }
    Err(Problem::new(code, format!("{count} slots; give 1 to {MOST}")).field("count"))
}

fn shown(slots: Vec<Previewed>) -> Json<Preview> {
    Json(Preview { data: slots.into_iter().map(Slot::from).collect() })
}
