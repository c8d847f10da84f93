//! What became of a schedule's slots.

use axum::Json;
use axum::extract::State;

use crate::actions::{HistoryEntry, schedule_history};
use crate::http::api::lanes::Wanted;
use crate::http::api::runs::{page, with_usage};
use crate::http::auth::Caller;
use crate::http::dto::{List, Run, Skipped, SlotOutcome};
use crate::http::extract::{Query, SchedulePath, from_cursor, to_cursor};
use crate::http::problem::Problem;
use crate::http::state::Server;

const LIST: &str = "history";

/// List what became of a schedule's slots
///
/// Its runs and its skipped slots (`"status": "skipped"`), newest first.
#[utoipa::path(get, path = "/v1/schedules/{id}/runs", tag = "schedules",
    params(("id" = String, Path, description = "The schedule: its id, its name, or part of its id"), Wanted),
    responses((status = 200, description = "A page of runs and skipped slots", body = List<SlotOutcome>)))]
pub(super) async fn list_schedule_runs(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<SlotOutcome>>, Problem> {
    let page = page(wanted.limit, from_cursor(LIST, wanted.cursor.as_deref())?)?;
    let found = schedule_history(server.store(), &caller.workspace, id, &page).await?;
    let found = found.ok_or_else(|| Problem::no_schedule(&id.to_string()))?;
    let next_cursor = found.next.map(|id| to_cursor(LIST, &id));
    Ok(Json(List { data: outcomes(&server, &caller, found.data).await?, next_cursor }))
}

/// In the order they came; what the runs used up is asked for all at once.
async fn outcomes(server: &Server, caller: &Caller, entries: Vec<HistoryEntry>) -> Result<Vec<SlotOutcome>, Problem> {
    let runs = entries.iter().filter_map(|entry| match entry {
        HistoryEntry::Run(run) => Some(run.as_ref().clone()),
        HistoryEntry::Skip(_) => None,
    });
    let mut shown: std::collections::VecDeque<Run> =
        with_usage(server, &caller.workspace, runs.collect()).await?.into();
    let outcome = |entry| match entry {
        HistoryEntry::Run(_) => shown.pop_front().map(|run| SlotOutcome::Run(Box::new(run))),
        HistoryEntry::Skip(skip) => Some(SlotOutcome::Skipped(Skipped::from(skip))),
    };
    Ok(entries.into_iter().filter_map(outcome).collect())
}
