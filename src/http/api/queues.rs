//! Queues: what is in them, and how they go.

use axum::Json;
use axum::extract::State;

use crate::actions::set_queue;
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::{List, Name, Queue, QueueChange, QueueSettings};
use crate::http::extract::{Body, QueuePath};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::QueueName;
use crate::store;

type Answer = Result<Changed<QueueSettings>, Problem>;

/// List queues
///
/// Lists queues that have live runs or settings.
#[utoipa::path(get, path = "/v1/queues", tag = "queues",
    responses((status = 200, description = "All queues", body = List<Queue>)))]
pub(super) async fn list_queues(State(server): State<Server>, caller: Caller) -> Result<Json<List<Queue>>, Problem> {
    let queues = server.store().queues(&caller.workspace).await?;
    Ok(Json(List::whole(queues.into_iter().map(Queue::from).collect())))
}

/// Change a queue's limit
#[utoipa::path(patch, path = "/v1/queues/{name}", tag = "queues", request_body = QueueChange,
    params(("name" = Name, Path, description = "The queue")),
    responses((status = 200, description = "The queue's settings", body = QueueSettings)))]
pub(super) async fn change_queue(
    State(server): State<Server>,
    caller: Caller,
    QueuePath(queue): QueuePath,
    Body(change): Body<QueueChange>,
) -> Answer {
    if change.concurrency.flatten().is_some_and(|limit| i32::try_from(limit).is_err()) {
        let detail = format!("a limit may be at most {}", i32::MAX);
        return Err(Problem::new(Code::InvalidField, detail).field("concurrency"));
    }
    let change = store::QueueChange { paused: change.paused, concurrency: change.concurrency };
    set(&server, &caller, queue, change).await
}

/// Pause a queue
///
/// Running attempts continue; no further attempt starts.
#[utoipa::path(post, path = "/v1/queues/{name}/pause", tag = "queues",
    params(("name" = Name, Path, description = "The queue")),
    responses((status = 200, description = "The queue's settings", body = QueueSettings)))]
pub(super) async fn pause_queue(State(server): State<Server>, caller: Caller, QueuePath(queue): QueuePath) -> Answer {
    set(&server, &caller, queue, store::QueueChange { paused: Some(true), ..Default::default() }).await
}

/// Resume a queue
#[utoipa::path(post, path = "/v1/queues/{name}/resume", tag = "queues",
    params(("name" = Name, Path, description = "The queue")),
    responses((status = 200, description = "The queue's settings", body = QueueSettings)))]
pub(super) async fn resume_queue(State(server): State<Server>, caller: Caller, QueuePath(queue): QueuePath) -> Answer {
    set(&server, &caller, queue, store::QueueChange { paused: Some(false), ..Default::default() }).await
}

async fn set(server: &Server, caller: &Caller, queue: QueueName, change: store::QueueChange) -> Answer {
    let settings = set_queue(server.store(), &caller.by, &queue, change).await?;
    let (store::QueueSettings { paused, concurrency }, changed) = settings.ok_or_else(Problem::no_workspace)?;
    Ok(Changed { body: QueueSettings { name: queue.to_string(), paused, concurrency }, changed })
}
