//! Lists a run's events, or streams them as they come.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::stream;
use crate::http::auth::Caller;
use crate::http::dto::{Event, IdOrPart, List};
use crate::http::extract::{Query, RunPath};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::RunId;

const USUAL: u16 = 100;
const MOST: u16 = 1000;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only events with a higher number; 0 by default.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// Maximum number of events; 100 by default. A stream has no limit.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

/// List or stream a run's events
///
/// Logs, progress and usage, oldest first; `next_cursor` is the `after` of the next page. With `Accept:
/// text/event-stream` the server streams events as they happen, each with its number as `id`, and ends with an event `end`
/// that has the run's outcome. `Last-Event-ID` continues an interrupted stream.
#[utoipa::path(get, path = "/v1/runs/{id}/events", tag = "runs",
    params(("id" = IdOrPart, Path, description = "The run"), Wanted,
        ("Accept" = Option<String>, Header, description = "`text/event-stream` for a stream", example = "application/json"),
        ("Last-Event-ID" = Option<i64>, Header, minimum = 0, description = "For a stream: only events with a higher number")),
    responses((status = 200, description = "A page of events, or a stream of them", content(
        (List<Event> = "application/json"),
        (String = "text/event-stream", example = "id: 1\nevent: log\ndata: {\"seq\":1}\n\nevent: end\ndata: {\"status\":\"succeeded\",\"error\":null}\n\n"),
    ))))]
pub(super) async fn list_events(
    State(server): State<Server>,
    caller: Caller,
    headers: HeaderMap,
    RunPath(id): RunPath,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let (after, last_seen) = (wanted.after.unwrap_or(0), last_seen(&headers)?);
    if after < 0 {
        return Err(Problem::new(Code::InvalidParameter, "events are numbered from 1 upwards").field("after"));
    }
    if wants_stream(&headers) {
        let after = last_seen.unwrap_or(after);
        return stream::open(server, caller.workspace, id, after).await;
    }
    page(&server, &caller, id, after, limit(wanted.limit)?).await.map(IntoResponse::into_response)
}

async fn page(
    server: &Server,
    caller: &Caller,
    id: RunId,
    after: i64,
    limit: usize,
) -> Result<Json<List<Event>>, Problem> {
    let events = server.store().events(&caller.workspace, id, after, limit).await?;
    let events = events.ok_or_else(|| Problem::no_run(&id.to_string()))?;
    let next_cursor = events.last().filter(|_| events.len() == limit).map(|event| event.seq.to_string());
    Ok(Json(List { data: events.into_iter().map(Event::from).collect(), next_cursor }))
}

fn limit(asked: Option<u16>) -> Result<usize, Problem> {
    let limit = asked.unwrap_or(USUAL);
    if (1..=MOST).contains(&limit) {
        return Ok(limit.into());
    }
    Err(Problem::new(Code::InvalidParameter, format!("a page of {limit}; give 1 to {MOST}")).field("limit"))
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|accept| accept.split(',')).any(|kind| kind.trim_start().starts_with("text/event-stream"))
}

fn last_seen(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok()).filter(|number| *number >= 0);
    number.map(Some).ok_or_else(|| {
        Problem::new(Code::InvalidHeader, "Last-Event-ID is not the number of an event").field("Last-Event-ID")
    })
}
