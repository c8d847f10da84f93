//! Pauses, resumes and deletes schedules.

use axum::extract::State;
use axum::http::StatusCode;

use super::edited;
use crate::actions::{delete_schedule as delete, pause_schedule as pause, resume_schedule as resume};
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::Schedule;
use crate::http::extract::SchedulePath;
use crate::http::problem::Problem;
use crate::http::state::Server;

/// Pause a schedule
///
/// Withdraws its waiting run; a run that has started continues.
#[utoipa::path(post, path = "/v1/schedules/{id}/pause", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id or its name")),
    responses((status = 200, description = "The schedule", body = Schedule)))]
pub(super) async fn pause_schedule(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
) -> Result<Changed<Schedule>, Problem> {
    let outcome = pause(server.store(), &caller.by, id).await?;
    edited(id, None, outcome, Problem::no_slots)
}

/// Resume a schedule
///
/// Continues with the next future slot, if its grant is valid.
#[utoipa::path(post, path = "/v1/schedules/{id}/resume", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id or its name")),
    responses((status = 200, description = "The schedule", body = Schedule)))]
pub(super) async fn resume_schedule(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
) -> Result<Changed<Schedule>, Problem> {
    let outcome = resume(server.store(), &caller.by, id).await?;
    edited(id, None, outcome, Problem::no_slots)
}

/// Delete a schedule
///
/// Deletes its waiting run too; a run that has started continues. Its runs stay in the history.
#[utoipa::path(delete, path = "/v1/schedules/{id}", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id or its name")),
    responses((status = 204, description = "Deleted")))]
pub(super) async fn delete_schedule(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
) -> Result<StatusCode, Problem> {
    match delete(server.store(), &caller.by, id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::no_schedule(&id.to_string())),
    }
}
