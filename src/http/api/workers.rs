//! Workers: who there is, and asking one to leave.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::actions::drain_worker as ask_to_drain;
use crate::http::auth::Caller;
use crate::http::dto::{List, Worker};
use crate::http::extract::WorkerPath;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;

/// List workers
///
/// Oldest first, until they are forgotten.
#[utoipa::path(get, path = "/v1/workers", tag = "workers",
    responses((status = 200, description = "All workers", body = List<Worker>)))]
pub(super) async fn list_workers(State(server): State<Server>, _: Caller) -> Result<Json<List<Worker>>, Problem> {
    let workers = server.store().workers().await?;
    Ok(Json(List::whole(workers.into_iter().map(Worker::from).collect())))
}

/// Ask a worker to drain
///
/// The worker stops claiming, finishes or gives back what it has, and exits.
#[utoipa::path(post, path = "/v1/workers/{id}/drain", tag = "workers",
    params(("id" = Uuid, Path, description = "The worker")),
    responses((status = 202, description = "The worker was asked to drain", body = Worker)))]
pub(super) async fn drain_worker(
    State(server): State<Server>,
    caller: Caller,
    WorkerPath(id): WorkerPath,
) -> Result<(StatusCode, Json<Worker>), Problem> {
    let missing = || Problem::new(Code::WorkerNotFound, format!("no worker \"{id}\""));
    if !ask_to_drain(server.store(), &caller.by, id).await? {
        return Err(missing());
    }
    let workers = server.store().workers().await?;
    let worker = workers.into_iter().find(|worker| worker.info.id == id).ok_or_else(missing)?;
    Ok((StatusCode::ACCEPTED, Json(worker.into())))
}
