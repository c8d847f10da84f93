//! Creates the schedule of a name, or updates it.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{intake, shown, terms};
use crate::actions::{AppliedSchedule as Applied, ApplyMode, WantedSchedule, apply_schedule as apply};
use crate::clock::Clock;
use crate::http::auth::Caller;
use crate::http::dto::{AppliedSchedule, ApplyOutcome, FieldChange, NewSchedule};
use crate::http::extract::{Body, Query, ScheduleNamePath};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Write nothing, and answer with what would change.
    dry_run: Option<bool>,
}

/// Create or update a schedule by name
///
/// Creates the schedule, or makes the one of this name what the body says; sent again, it changes nothing. What the body
/// leaves out is as for a new schedule, except for two fields: without `enabled`, a paused schedule stays paused, and without
/// `grant_id` or `grant`, it keeps its grant if that allows the task. `If-Match` names the version that was seen: if the
/// schedule is at another one, nothing is changed.
#[utoipa::path(put, path = "/v1/schedules/{id}", tag = "schedules", request_body = NewSchedule,
    params(("id" = String, Path, description = "The schedule: its name, or the id of one there is"), Wanted,
        ("If-Match" = Option<i64>, Header, description = "The version that was seen")),
    responses((status = 200, description = "It was updated, or was so already", body = AppliedSchedule),
        (status = 201, description = "It was created", body = AppliedSchedule)))]
pub(super) async fn apply_schedule(
    State(server): State<Server>,
    caller: Caller,
    ScheduleNamePath(name): ScheduleNamePath,
    Query(query): Query<Wanted>,
    headers: HeaderMap,
    Body(body): Body<NewSchedule>,
) -> Result<Response, Problem> {
    if body.name.as_ref().is_some_and(|other| *other != name) {
        let detail = format!("the body names another schedule than the path, {:?}", name.as_str());
        let hint = "leave it out; PATCH gives a schedule another name";
        return Err(Problem::new(Code::ConflictingFields, detail).field("name").hint(hint));
    }
    let version = version(&headers)?;
    let grant = terms::choice(&server, &caller, body.grant_id, body.grant.clone()).await?;
    let wanted = WantedSchedule { name, plan: intake::plan(&body), enabled: body.enabled, grant, version };
    let mode = if query.dry_run == Some(true) { ApplyMode::DryRun } else { ApplyMode::Write };
    let (store, catalog, now) = (server.store(), server.api.catalog.as_ref(), Clock::Database.host_now());
    Ok(answer(apply(store, &caller.by, catalog, &wanted, mode, now).await?, mode))
}

fn answer(applied: Applied, mode: ApplyMode) -> Response {
    let dry_run = mode == ApplyMode::DryRun;
    let (outcome, changes, schedule) = match applied {
        Applied::Created(schedule) => (ApplyOutcome::Created, Vec::new(), Some(schedule).filter(|_| !dry_run)),
        Applied::Unchanged(schedule) => (ApplyOutcome::Unchanged, Vec::new(), Some(schedule)),
        Applied::Updated { before, after } => {
            let changes = FieldChange::between(&shown(before.clone()), &shown(after.clone()));
            (ApplyOutcome::Updated, changes, Some(if dry_run { before } else { after }))
        }
    };
    let version = schedule.as_ref().and_then(|found| HeaderValue::from_str(&format!("\"{}\"", found.version)).ok());
    let created = outcome == ApplyOutcome::Created && !dry_run;
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    let body = AppliedSchedule { outcome, dry_run, changes, schedule: schedule.map(shown) };
    let mut response = (status, Json(body)).into_response();
    response.headers_mut().extend(version.map(|version| (header::ETAG, version)));
    response
}

/// The version that `If-Match` names, in quotes or without.
fn version(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let version = value.to_str().ok().and_then(|text| text.trim().trim_matches('"').parse().ok());
    version.map(Some).ok_or_else(|| {
        Problem::new(Code::InvalidHeader, "If-Match is not the version of a schedule")
            .field("If-Match")
            .hint("send the number in `version`, or leave it out")
    })
}
