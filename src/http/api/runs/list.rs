//! Lists runs.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::with_usage;
use crate::http::auth::Caller;
use crate::http::dto::{List, Name, Run};
use crate::http::extract::{Query, from_cursor, schedule_id, to_cursor};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::{LaneName, QueueName, Status, TaskName};
use crate::store::{Page, RunFilter};

const LIST: &str = "runs";
const USUAL: u16 = 50;
const MOST: u16 = 500;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only runs with one of these statuses, separated by commas.
    #[param(
        example = "queued,running",
        pattern = "^(,|(pending|queued|running|retrying|paused|succeeded|failed|timed_out|cancelled),)*(pending|queued|running|retrying|paused|succeeded|failed|timed_out|cancelled)?$"
    )]
    status: Option<String>,
    /// Only runs of this task.
    #[param(value_type = Option<Name>)]
    task: Option<TaskName>,
    /// Only runs in this queue.
    #[param(value_type = Option<Name>)]
    queue: Option<QueueName>,
    /// Only runs in this lane.
    #[param(value_type = Option<Name>)]
    lane: Option<LaneName>,
    /// Only runs of this schedule: its id or its name.
    schedule: Option<String>,
    /// Maximum number of runs; 50 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
    /// `next_cursor` of the previous page.
    #[param(pattern = "^([0-9a-f]{2})+$")]
    cursor: Option<String>,
}

/// List runs
///
/// Newest first, live and finished.
#[utoipa::path(get, path = "/v1/runs", tag = "runs", params(Wanted),
    responses((status = 200, description = "A page of runs", body = List<Run>)))]
pub(super) async fn list_runs(
    State(server): State<Server>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<Run>>, Problem> {
    let page = page(wanted.limit, from_cursor(LIST, wanted.cursor.as_deref())?)?;
    let statuses = statuses(wanted.status.as_deref())?;
    let schedule = match &wanted.schedule {
        Some(text) => Some(schedule_id(&server, &caller.workspace, text).await.map_err(in_query)?),
        None => None,
    };
    let filter = RunFilter { statuses, task: wanted.task, queue: wanted.queue, lane: wanted.lane, schedule };
    let found = server.store().runs(&caller.workspace, &filter, &page).await?;
    let next_cursor = found.next.map(|id| to_cursor(LIST, &id));
    Ok(Json(List { data: with_usage(&server, &caller.workspace, found.data).await?, next_cursor }))
}

/// Nothing is wrong with the address, only with what is asked of it.
fn in_query(problem: Problem) -> Problem {
    if problem.code() != Code::ScheduleNotFound {
        return problem;
    }
    Problem::new(Code::InvalidParameter, "no schedule of this workspace has that name")
        .field("schedule")
        .hint("GET /v1/schedules lists them")
}

/// The page that was asked for.
pub(in crate::http::api) fn page<C>(limit: Option<u16>, after: Option<C>) -> Result<Page<C>, Problem> {
    let limit = limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        let detail = format!("a page of {limit}; give 1 to {MOST}");
        return Err(Problem::new(Code::InvalidParameter, detail).field("limit"));
    }
    Ok(Page { limit: limit.into(), after })
}

fn statuses(words: Option<&str>) -> Result<Vec<Status>, Problem> {
    let words = words.unwrap_or_default().split(',').filter(|word| !word.is_empty());
    let known = |word: &str| {
        Status::from_word(word).ok_or_else(|| {
            Problem::new(Code::InvalidParameter, format!("there is no status {word:?}"))
                .field("status")
                .hint(format!("one of {}", Status::ALL.map(Status::as_str).join(", ")))
        })
    };
    words.map(known).collect()
}
