//! Cancels, pauses, resumes, enqueues and dismisses runs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::usage::one_with_usage;
use crate::actions::command_run;
use crate::http::auth::Caller;
use crate::http::dto::{IdOrPart, Run};
use crate::http::extract::RunPath;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::RunId;
use crate::run::lifecycle::{Command, CommandOutcome};

type Answer = Result<(StatusCode, Json<Run>), Problem>;

/// Cancel a run
///
/// A waiting run is cancelled immediately; the worker of a running one is asked to stop it.
#[utoipa::path(post, path = "/v1/runs/{id}/cancel", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "The run is cancelled", body = Run), (status = 202, description = "The worker was asked to stop the run", body = Run)))]
pub(super) async fn cancel_run(State(server): State<Server>, caller: Caller, RunPath(id): RunPath) -> Answer {
    carry_out(&server, &caller, id, Command::Cancel, "cancelled").await
}

/// Pause a run
///
/// A waiting run is paused immediately; the worker of a running one is asked to stop it. Either can be resumed.
#[utoipa::path(post, path = "/v1/runs/{id}/pause", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "The run is paused", body = Run), (status = 202, description = "The worker was asked to stop the run", body = Run)))]
pub(super) async fn pause_run(State(server): State<Server>, caller: Caller, RunPath(id): RunPath) -> Answer {
    carry_out(&server, &caller, id, Command::Pause, "paused").await
}

/// Resume a run
///
/// Queues a paused, failed or timed-out run again, with more attempts.
#[utoipa::path(post, path = "/v1/runs/{id}/resume", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "The run is queued", body = Run)))]
pub(super) async fn resume_run(State(server): State<Server>, caller: Caller, RunPath(id): RunPath) -> Answer {
    carry_out(&server, &caller, id, Command::Resume, "resumed").await
}

/// Dismiss a run, so that its lane continues without it
#[utoipa::path(post, path = "/v1/runs/{id}/dismiss", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "The lane continues", body = Run)))]
pub(super) async fn dismiss_run(State(server): State<Server>, caller: Caller, RunPath(id): RunPath) -> Answer {
    carry_out(&server, &caller, id, Command::Dismiss, "dismissed").await
}

/// Enqueue a pending run
///
/// Moves a run that was submitted with `hold` into its queue.
#[utoipa::path(post, path = "/v1/runs/{id}/enqueue", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "The run is queued", body = Run)))]
pub(super) async fn enqueue_run(State(server): State<Server>, caller: Caller, RunPath(id): RunPath) -> Answer {
    carry_out(&server, &caller, id, Command::Enqueue, "enqueued").await
}

async fn carry_out(server: &Server, caller: &Caller, id: RunId, command: Command, done: &str) -> Answer {
    let outcome = command_run(server.store(), &caller.by, id, command, server.api.admission).await?;
    let status = status(id, outcome, done)?;
    let run = server.store().run(&caller.workspace, id).await?;
    let run = run.ok_or_else(|| Problem::no_run(&id.to_string()))?;
    Ok((status, Json(one_with_usage(server, run).await?)))
}

fn status(id: RunId, outcome: CommandOutcome, done: &str) -> Result<StatusCode, Problem> {
    match outcome {
        CommandOutcome::Cancelled
        | CommandOutcome::Paused
        | CommandOutcome::Resumed
        | CommandOutcome::Enqueued
        | CommandOutcome::Dismissed => Ok(StatusCode::OK),
        CommandOutcome::CancelRequested | CommandOutcome::PauseRequested => Ok(StatusCode::ACCEPTED),
        CommandOutcome::NotHolding => Err(Problem::new(Code::NotHolding, format!("run {id} does not hold its lane"))),
        CommandOutcome::Refused { status } => Err(Problem::conflict(id, status, done)),
        CommandOutcome::QueueFull => Err(Problem::queue_full()),
        CommandOutcome::NotFound => Err(Problem::no_run(&id.to_string())),
    }
}
