//! Schedules: making them, looking at them and at what became of their slots, steering them.

mod apply;
mod command;
mod create;
mod edit;
mod history;
mod intake;
mod list;
mod preview;
mod terms;
mod trigger;

pub(super) use terms::grant_request;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::clock::Clock;
use crate::http::changed::Changed;
use crate::http::dto;
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::ScheduleId;
use crate::schedule::Schedule;
use crate::store::EditScheduleOutcome;

pub(super) fn routes() -> OpenApiRouter<Server> {
    OpenApiRouter::new()
        .routes(routes!(create::create_schedule, list::list_schedules))
        .routes(routes!(preview::preview_timing))
        .routes(routes!(list::show_schedule, apply::apply_schedule, edit::edit_schedule, command::delete_schedule))
        .routes(routes!(history::list_schedule_runs))
        .routes(routes!(preview::preview_schedule))
        .routes(routes!(trigger::trigger_schedule))
        .routes(routes!(command::pause_schedule))
        .routes(routes!(command::resume_schedule))
}

/// The schedule as it is now. The host's clock will do: it only says which slot comes next.
fn shown(schedule: Schedule) -> dto::Schedule {
    dto::Schedule::of(schedule, Clock::Database.host_now())
}

/// The schedule as an edit left it, or why there was none. `no_slots` is the problem if nothing is to come.
fn edited(
    id: ScheduleId,
    task: Option<&str>,
    outcome: EditScheduleOutcome,
    no_slots: impl FnOnce() -> Problem,
) -> Result<Changed<dto::Schedule>, Problem> {
    match outcome {
        EditScheduleOutcome::Edited(schedule) => Ok(Changed { body: shown(schedule), changed: true }),
        EditScheduleOutcome::Unchanged(schedule) => Ok(Changed { body: shown(schedule), changed: false }),
        EditScheduleOutcome::NotFound => Err(Problem::no_schedule(&id.to_string())),
        EditScheduleOutcome::UnknownGrant => Err(Problem::unknown_grant()),
        EditScheduleOutcome::GrantRefused(standing) => Err(Problem::grant_refused(standing, task)),
        EditScheduleOutcome::NoSlots => Err(no_slots()),
        EditScheduleOutcome::NameTaken(other, name) => Err(Problem::schedule_exists(&name, other)),
        // The action looks again before it says so.
        EditScheduleOutcome::Outdated => Err(Problem::from(crate::store::StoreError::Contended { doing: "edit" })),
        // Its id is ours, and new.
        EditScheduleOutcome::DuplicateGrant => {
            Err(Problem::from(crate::store::StoreError::Corrupt("a new grant exists already".into())))
        }
    }
}
