//! Asks for an old run's work again.

use axum::extract::State;
use axum::response::Response;

use super::{direct, outcome, submit};
use crate::actions::{By, rerun_run};
use crate::http::auth::Caller;
use crate::http::dto::{IdOrPart, RunOrId};
use crate::http::extract::{Preferences, RunPath};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::RunId;
use crate::store::RerunOutcome;

/// Rerun a run
///
/// Submits the same work again as a new run. The old run stays as it is, whatever its status. In direct mode the new run
/// is executed like any submission.
#[utoipa::path(post, path = "/v1/runs/{id}/rerun", tag = "runs",
    params(("id" = IdOrPart, Path, description = "The old run"), ("Prefer" = Option<String>, Header, description = "`wait=N`, `return=minimal`", example = "return=minimal")),
    responses((status = 201, description = "The new run", body = RunOrId)))]
pub(super) async fn rerun(
    State(server): State<Server>,
    caller: Caller,
    prefer: Preferences,
    RunPath(old): RunPath,
) -> Result<Response, Problem> {
    let new = RunId::new();
    let submission = store(server.clone(), caller.by.clone(), old, new);
    if let Some(slots) = server.api.direct.as_deref() {
        let run = server.store().run(&caller.workspace, old).await?;
        let run = run.ok_or_else(|| Problem::no_run(&old.to_string()))?;
        let slot = direct::reserve(slots, new, &run.queue)?;
        return direct::execute(&server, &caller, prefer, slot, submission).await;
    }
    let (outcome, id) = submission.await?;
    submit::answer(&server, &caller, prefer, outcome, id).await
}

async fn store(server: Server, by: By, old: RunId, new: RunId) -> direct::Settled {
    match rerun_run(server.store(), &by, old, new, server.api.admission).await? {
        RerunOutcome::NotFound => Err(Problem::no_run(&old.to_string())),
        RerunOutcome::Submitted(outcome) => outcome::answer(new, outcome),
    }
}
