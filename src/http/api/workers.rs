//! Workers: who there is, and asking one to leave.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::actions::drain_worker as ask_to_drain;
use crate::http::auth::Caller;
use crate::http::dto::{IdOrPart, List, Worker};
use crate::http::extract::WorkerPath;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;

/// List workers
///
/// Oldest first. A worker that has left is not listed; one that vanished without leaving is listed as silent until it is
/// forgotten, a day after it was last seen.
#[utoipa::path(get, path = "/v1/workers", tag = "workers",
    responses((status = 200, description = "All workers", body = List<Worker>)))]
pub(super) async fn list_workers(State(server): State<Server>, _: Caller) -> Result<Json<List<Worker>>, Problem> {
    let workers = server.store().workers().await?;
    Ok(Json(List::whole(workers.into_iter().map(Worker::from).collect())))
}

/// Ask a worker to drain
///
/// The worker claims no more from its next heartbeat on, finishes or gives back what it has, and exits. If it has left
/// already, the answer says so. A silent worker is asked too, and drains if it comes back.
#[utoipa::path(post, path = "/v1/workers/{id}/drain", tag = "workers",
    params(("id" = IdOrPart, Path, description = "The worker")),
    responses(
        (status = 202, description = "The worker was asked to drain", body = Worker),
        (status = 200, description = "The worker had left already", body = Worker)))]
pub(super) async fn drain_worker(
    State(server): State<Server>,
    caller: Caller,
    WorkerPath(id): WorkerPath,
) -> Result<(StatusCode, Json<Worker>), Problem> {
    let worker = ask_to_drain(server.store(), &caller.by, id).await?;
    let worker = worker.ok_or_else(|| Problem::new(Code::WorkerNotFound, format!("no worker \"{id}\"")))?;
    let status = if worker.left_at.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(worker.into())))
}
