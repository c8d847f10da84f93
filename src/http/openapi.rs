//! The API described for machines (`/openapi.json`) and, from the same description, for people (`/docs`).

mod complete;
mod pages;

pub(super) use self::pages::routes;

use utoipa::OpenApi;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

use super::problem::Code;
use super::routes::ROUTES;
use super::state::Limits;
use super::{api, dto};

const SCHEME: &str = "token";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Runlane",
        description = "A durable execution queue: submit, watch and control runs. Errors are \
                       `application/problem+json` with a stable `code`. Every response has an `X-Request-Id`: the \
                       caller's own, or a new one.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(dto::Problem, dto::Ended, dto::RunFailure, dto::RunStatus, dto::SubmitKeyMode,
        dto::LaneOnFailure, dto::TokenRole, dto::Name, dto::IdOrPart, dto::EventWord, dto::RunBlockedBy, dto::ScheduleDisabled,
        dto::ScheduleDst, dto::ScheduleFold, dto::ScheduleGap, dto::ScheduleOverlap, dto::SlotSkipReason, dto::WorkerState)),
    tags(
        (name = "runs", description = "Submit, watch and control runs"),
        (name = "queues", description = "Named streams of runs, with a concurrency limit and a pause switch"),
        (name = "lanes", description = "Serial keys: the runs of one lane execute one at a time, in order"),
        (name = "workers", description = "The processes that execute runs"),
        (name = "schedules", description = "Recurring work: cron expressions, intervals and the history of their slots"),
        (name = "grants", description = "Durable, scoped, revocable permission to run work on somebody's behalf"),
        (name = "usage", description = "What runs used, by billing account"),
        (name = "workspaces", description = "Tenants"),
        (name = "tokens", description = "Access control"),
        (name = "health", description = "Health checks and metrics"),
    )
)]
struct Described;

/// The description, as OpenAPI 3.1 has it.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = Described::openapi();
    document.merge(api::routes(&Limits::default()).to_openapi());
    if let Some(components) = &mut document.components {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rl_…").build();
        components.add_security_scheme(SCHEME, SecurityScheme::Http(bearer));
        if let Some(RefOr::T(Schema::Object(problem))) = components.schemas.get_mut("Problem") {
            let codes = ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some("A stable code for programs."))
                .enum_values(Some(Code::ALL.iter().map(|code| code.as_str())))
                .build();
            problem.properties.insert("code".to_owned(), codes.into());
        }
        // Its reader is in the pure layer, and refuses unknown fields; only here it can be said.
        if let Some(RefOr::T(Schema::Object(dst))) = components.schemas.get_mut("ScheduleDst") {
            dst.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
        }
    }
    for route in ROUTES {
        if let Some(item) = document.paths.paths.get_mut(route.path) {
            complete::complete(item, route);
        }
    }
    complete::link_runs(&mut document.paths.paths);
    document
}
