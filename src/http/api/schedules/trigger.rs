//! Asks for a run of a schedule now.

use axum::extract::State;
use axum::response::Response;

use crate::actions::{TriggerOutcome, trigger_schedule as trigger};
use crate::http::api::runs::{outcome, submit};
use crate::http::auth::Caller;
use crate::http::dto::Run;
use crate::http::extract::{Preferences, SchedulePath};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::RunId;

/// Trigger a schedule
///
/// Submits a run apart from any slot; the slots do not change. A paused schedule can be triggered too, but its grant must be
/// valid. With overlap `forbid` the run waits for the current one; with `replace` it cancels the current one.
#[utoipa::path(post, path = "/v1/schedules/{id}/trigger", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id, its name, or part of its id"),
        ("Prefer" = Option<String>, Header, description = "`wait=N`, `return=minimal`")),
    responses((status = 201, description = "The new run", body = Run)))]
pub(super) async fn trigger_schedule(
    State(server): State<Server>,
    caller: Caller,
    prefer: Preferences,
    SchedulePath(id): SchedulePath,
) -> Result<Response, Problem> {
    let run = RunId::new();
    match trigger(server.store(), &caller.by, id, run, server.api.admission).await? {
        TriggerOutcome::NotFound => Err(Problem::no_schedule(&id.to_string())),
        TriggerOutcome::UnknownGrant => Err(Problem::unknown_grant()),
        TriggerOutcome::GrantRefused(schedule, standing) => {
            Err(Problem::grant_refused(standing, Some(schedule.spec.task.as_str())))
        }
        TriggerOutcome::Submitted(submitted) => {
            let (kind, run) = outcome::answer(run, submitted)?;
            submit::answer(&server, &caller, prefer, kind, run).await
        }
    }
}
