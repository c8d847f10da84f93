//! Changes a schedule.

use axum::extract::State;

use super::create::in_the_past;
use super::{edited, intake, terms};
use crate::actions::{Edited, edit_schedule as edit};
use crate::clock::Clock;
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::{Schedule, ScheduleChange};
use crate::http::extract::{Body, SchedulePath};
use crate::http::problem::Problem;
use crate::http::state::Server;

/// Change a schedule
///
/// Absent fields stay as they are. The change applies to the waiting run; a run that has started continues unchanged. If the
/// times do not change, the waiting slot keeps its place.
#[utoipa::path(patch, path = "/v1/schedules/{id}", tag = "schedules", request_body = ScheduleChange,
    params(("id" = String, Path, description = "The schedule: its id or its name")),
    responses((status = 200, description = "The changed schedule", body = Schedule)))]
pub(super) async fn edit_schedule(
    State(server): State<Server>,
    caller: Caller,
    SchedulePath(id): SchedulePath,
    Body(mut change): Body<ScheduleChange>,
) -> Result<Changed<Schedule>, Problem> {
    let seen = server.store().schedule(&caller.workspace, id).await?;
    let seen = seen.ok_or_else(|| Problem::no_schedule(&id.to_string()))?;
    let grant = terms::choice(&server, &caller, change.grant_id, change.grant.take()).await?;
    let now = Clock::Database.host_now();
    let outcome = edit(server.store(), &caller.by, id, |seen| {
        let (spec, naming) = intake::changed(server.api.catalog.as_ref(), seen, &change, now)?;
        Ok::<_, Problem>(Edited { spec, naming, grant: grant.clone(), enabled: change.enabled })
    });
    let task = change.task.as_ref().unwrap_or(&seen.spec.task).to_string();
    let no_slots = || if change.at.is_some() { in_the_past() } else { Problem::no_slots() };
    edited(id, Some(&task), outcome.await?, no_slots)
}
