//! Asks for an old run's work again.

use axum::extract::State;
use axum::response::Response;

use super::{outcome, submit};
use crate::actions::rerun_run;
use crate::http::auth::Caller;
use crate::http::dto::Run;
use crate::http::extract::{Preferences, RunPath};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::RunId;
use crate::store::RerunOutcome;

/// Rerun a run
///
/// Submits its work again as a new run, whatever became of the old one, which stays as it is.
#[utoipa::path(post, path = "/v1/runs/{id}/rerun", tag = "runs",
    params(("id" = Uuid, Path, description = "The old run"), ("Prefer" = Option<String>, Header, description = "`wait=N`, `return=minimal`")),
    responses((status = 201, description = "The new run", body = Run)))]
pub(super) async fn rerun(
    State(server): State<Server>,
    caller: Caller,
    prefer: Preferences,
    RunPath(old): RunPath,
) -> Result<Response, Problem> {
    let new = RunId::new();
    match rerun_run(server.store(), &caller.by, old, new, server.api.admission).await? {
        RerunOutcome::NotFound => Err(Problem::no_run(&old.to_string())),
        RerunOutcome::Submitted(outcome) => {
            let (outcome, id) = outcome::settle(new, outcome)?;
            submit::answer(&server, &caller, prefer, outcome::status(outcome), id).await
        }
    }
}
