//! Tasks: which kinds of work the server knows.

use axum::Json;
use axum::extract::State;

use crate::http::dto::{List, Task};
use crate::http::state::Server;

/// List tasks
///
/// Those that the server's configuration has, by name, with what their runs have unless a submission says otherwise. Workers
/// may have others.
#[utoipa::path(get, path = "/v1/tasks", tag = "workers",
    responses((status = 200, description = "All of them", body = List<Task>)))]
pub(super) async fn list_tasks(State(server): State<Server>) -> Json<List<Task>> {
    Json(List::whole(server.api.catalog.tasks().into_iter().map(Task::from).collect()))
}
