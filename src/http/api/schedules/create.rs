//! Makes a schedule.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{intake, shown, terms};
use crate::actions::{GrantChoice, ScheduleRequest, create_schedule as make};
use crate::clock::Clock;
use crate::http::auth::Caller;
use crate::http::dto::{NewSchedule, Schedule};
use crate::http::extract::Body;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::store::CreateScheduleOutcome;

/// Create a schedule
///
/// The run of its first slot is stored with it. A schedule without a grant gets its own: in the caller's name, for this
/// task only, charged to an account named after the workspace.
#[utoipa::path(post, path = "/v1/schedules", tag = "schedules", request_body = NewSchedule,
    responses((status = 201, description = "Created", body = Schedule)))]
pub(super) async fn create_schedule(
    State(server): State<Server>,
    caller: Caller,
    Body(body): Body<NewSchedule>,
) -> Result<Response, Problem> {
    let (spec, naming) = intake::spec(server.api.catalog.as_ref(), &body, Clock::Database.host_now())?;
    let task = spec.task.to_string();
    let grant = terms::choice(&server, &caller, body.grant_id, body.grant).await?.unwrap_or(GrantChoice::Own);
    let request = ScheduleRequest { spec, naming, enabled: body.enabled.unwrap_or(true), grant };
    let schedule = match make(server.store(), &caller.by, request).await? {
        CreateScheduleOutcome::Created(schedule) => shown(schedule),
        CreateScheduleOutcome::UnknownWorkspace => return Err(Problem::no_workspace()),
        CreateScheduleOutcome::UnknownGrant => return Err(Problem::unknown_grant()),
        CreateScheduleOutcome::GrantRefused(standing) => return Err(Problem::grant_refused(standing, Some(&task))),
        CreateScheduleOutcome::NameTaken(other, name) => return Err(Problem::schedule_exists(&name, other)),
        CreateScheduleOutcome::NoSlots => return Err(in_the_past()),
        // The ids are ours, and new.
        CreateScheduleOutcome::DuplicateId | CreateScheduleOutcome::DuplicateGrant => {
            return Err(Problem::new(Code::InternalError, "a new schedule exists already"));
        }
    };
    let location = HeaderValue::from_str(&format!("/v1/schedules/{}", schedule.id));
    let mut response = (StatusCode::CREATED, Json(schedule)).into_response();
    if let Ok(location) = location {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// The database's clock is ahead of ours: only an instant can have gone by.
pub(super) fn in_the_past() -> Problem {
    Problem::new(Code::InvalidField, "the only slot is in the past").field("at").hint("give a time in the future")
}
