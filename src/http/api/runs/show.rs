//! Looks at a run.

use std::time::Duration;

use axum::Json;
use axum::extract::State;

use super::usage::one_with_usage;
use crate::actions::wait_for_run;
use crate::http::auth::Caller;
use crate::http::dto::{IdOrPart, Run};
use crate::http::extract::{Preferences, RunPath};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::{self, RunId, WorkspaceName};

/// Show a run
///
/// With `Prefer: wait=N` the server waits up to N seconds for the run to end.
#[utoipa::path(get, path = "/v1/runs/{id}", tag = "runs",
    params(("id" = IdOrPart, Path, description = "The run"), ("Prefer" = Option<String>, Header, description = "`wait=N`", example = "wait=1")),
    responses((status = 200, description = "The run", body = Run)))]
pub(super) async fn show_run(
    State(server): State<Server>,
    caller: Caller,
    prefer: Preferences,
    RunPath(id): RunPath,
) -> Result<Json<Run>, Problem> {
    let run = look(&server, &caller.workspace, id, prefer.wait).await?;
    let run = run.ok_or_else(|| Problem::no_run(&id.to_string()))?;
    one_with_usage(&server, run).await.map(Json)
}

/// The run, after so long a wait for its end as was asked for, may be, and the server has time.
pub(super) async fn look(
    server: &Server,
    workspace: &WorkspaceName,
    id: RunId,
    wait: Option<Duration>,
) -> Result<Option<run::Run>, Problem> {
    let store = server.store();
    if let Some(wait) = wait {
        let patience = wait.min(server.api.limits.wait);
        tokio::select! {
            ended = wait_for_run(store, workspace, id, patience, &server.api.ended) => return Ok(ended?),
            () = server.stopping.cancelled() => {}
        }
    }
    Ok(store.run(workspace, id).await?)
}
