//! Says why a run is not starting.

use axum::Json;
use axum::extract::State;

use crate::actions::explain_run;
use crate::clock::Clock;
use crate::http::auth::Caller;
use crate::http::dto::{Explanation, IdOrPart};
use crate::http::extract::RunPath;
use crate::http::problem::Problem;
use crate::http::state::Server;

/// Explain why a run is not starting
///
/// Lists everything that keeps the run from starting, and what would start it.
#[utoipa::path(get, path = "/v1/runs/{id}/explain", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "The explanation", body = Explanation)))]
pub(super) async fn explain(
    State(server): State<Server>,
    caller: Caller,
    RunPath(id): RunPath,
) -> Result<Json<Explanation>, Problem> {
    let explanation = explain_run(server.store(), &caller.workspace, id, Clock::Database.host_now()).await?;
    explanation.map(|found| Json(found.into())).ok_or_else(|| Problem::no_run(&id.to_string()))
}
