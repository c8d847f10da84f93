//! The handlers: each reads its request, lets somebody do what was asked, and writes the answer down.

mod audit;
mod grants;
mod health;
mod lanes;
mod queues;
mod retry;
mod runs;
mod schedules;
mod tasks;
mod tokens;
mod usage;
mod workers;
mod workspaces;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::state::{Limits, Server};

/// Every route but those of the documentation.
pub(in crate::http) fn routes(limits: &Limits) -> OpenApiRouter<Server> {
    OpenApiRouter::new()
        .merge(runs::routes(limits))
        .merge(schedules::routes())
        .merge(grants::routes())
        .routes(routes!(usage::sum_usage))
        .routes(routes!(queues::list_queues))
        .routes(routes!(queues::change_queue))
        .routes(routes!(queues::pause_queue))
        .routes(routes!(queues::resume_queue))
        .routes(routes!(lanes::list_lanes))
        .routes(routes!(lanes::change_lane))
        .routes(routes!(lanes::release_lane))
        .routes(routes!(tasks::list_tasks))
        .routes(routes!(workers::list_workers))
        .routes(routes!(workers::drain_worker))
        .routes(routes!(workspaces::list_workspaces, workspaces::create_workspace))
        .routes(routes!(tokens::list_tokens, tokens::create_token))
        .routes(routes!(tokens::revoke_token))
        .routes(routes!(audit::list_audit))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
}
