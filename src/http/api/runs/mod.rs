//! Runs: asking for them, looking at them, commanding them.

mod attempts;
mod batch;
mod command;
mod direct;
mod events;
mod explain;
mod fingerprint;
mod intake;
mod list;
pub(super) mod outcome;
mod rerun;
mod show;
mod stream;
pub(super) mod submit;
mod trace;
mod usage;

pub(super) use list::page;
pub(super) use usage::with_usage;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::http::state::{Limits, Server};

pub(super) fn routes(limits: &Limits) -> OpenApiRouter<Server> {
    OpenApiRouter::new()
        .routes(routes!(batch::submit_batch).layer(DefaultBodyLimit::max(limits.batch_bytes)))
        .routes(routes!(submit::submit_run, list::list_runs))
        .routes(routes!(show::show_run))
        .routes(routes!(command::cancel_run))
        .routes(routes!(command::pause_run))
        .routes(routes!(command::resume_run))
        .routes(routes!(command::dismiss_run))
        .routes(routes!(command::enqueue_run))
        .routes(routes!(rerun::rerun))
        .routes(routes!(events::list_events))
        .routes(routes!(attempts::list_attempts))
        .routes(routes!(explain::explain))
}
