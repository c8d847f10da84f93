//! Lists a run's attempts.

use axum::Json;
use axum::extract::State;

use crate::http::auth::Caller;
use crate::http::dto::{Attempt, IdOrPart, List};
use crate::http::extract::RunPath;
use crate::http::problem::Problem;
use crate::http::state::Server;

/// List a run's attempts
///
/// Oldest first.
#[utoipa::path(get, path = "/v1/runs/{id}/attempts", tag = "runs", params(("id" = IdOrPart, Path, description = "The run")),
    responses((status = 200, description = "All attempts", body = List<Attempt>)))]
pub(super) async fn list_attempts(
    State(server): State<Server>,
    caller: Caller,
    RunPath(id): RunPath,
) -> Result<Json<List<Attempt>>, Problem> {
    let attempts = server.store().attempts(&caller.workspace, id).await?;
    let attempts = attempts.ok_or_else(|| Problem::no_run(&id.to_string()))?;
    Ok(Json(List::whole(attempts.into_iter().map(Attempt::from).collect())))
}
