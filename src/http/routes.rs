//! The table of routes: what each needs of its caller, and what can go wrong with it. A test holds it against the router.

use self::Needs::{Everywhere, Here, Nothing};
use super::problem::Code;
use crate::access::Permission::{self, Administer, Operate, Read, Submit};

/// What a route needs of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Needs {
    /// Anybody may call it.
    Nothing,
    /// To be permitted this in the workspace.
    Here(Permission),
    /// To be permitted this in every workspace: what it concerns belongs to all of them.
    Everywhere(Permission),
}

/// What is known of a route before anybody calls it.
pub(in crate::http) struct Route {
    pub(in crate::http) method: &'static str,
    pub(in crate::http) path: &'static str,
    pub(in crate::http) needs: Needs,
    /// What can go wrong, beside what can go wrong with every route.
    pub(in crate::http) codes: &'static [&'static [Code]],
}

const fn route(method: &'static str, path: &'static str, needs: Needs, codes: &'static [&'static [Code]]) -> Route {
    Route { method, path, needs, codes }
}

/// Every route but those of the documentation.
#[rustfmt::skip]
pub(in crate::http) const ROUTES: &[Route] = &[
    route("POST",  "/v1/runs",                  Here(Submit),     &[BODY, SUBMIT, KEYS, DIRECT, STORE, WRITE]),
    route("GET",   "/v1/runs",                  Here(Read),       &[QUERY, CURSOR, STORE]),
    route("POST",  "/v1/runs/batch",            Here(Submit),     &[BODY, SUBMIT, KEYS, &[Code::QueueDisabled], STORE, WRITE]),
    route("GET",   "/v1/runs/{id}",             Here(Read),       &[RUN, STORE]),
    route("POST",  "/v1/runs/{id}/cancel",      Here(Operate),    &[RUN, STATUS, STORE, WRITE]),
    route("POST",  "/v1/runs/{id}/pause",       Here(Operate),    &[RUN, STATUS, STORE, WRITE]),
    route("POST",  "/v1/runs/{id}/resume",      Here(Operate),    &[RUN, STATUS, FULL, STORE, WRITE]),
    route("POST",  "/v1/runs/{id}/dismiss",     Here(Operate),    &[RUN, STATUS, &[Code::NotHolding], STORE, WRITE]),
    route("POST",  "/v1/runs/{id}/enqueue",     Here(Submit),     &[RUN, STATUS, STORE, WRITE]),
    route("POST",  "/v1/runs/{id}/rerun",       Here(Submit),     &[RUN, FULL, DIRECT, &[Code::ShuttingDown], STORE, WRITE]),
    route("GET",   "/v1/runs/{id}/events",      Here(Read),       &[RUN, QUERY, &[Code::TooManyStreams], STORE]),
    route("GET",   "/v1/runs/{id}/attempts",    Here(Read),       &[RUN, STORE]),
    route("GET",   "/v1/runs/{id}/explain",     Here(Read),       &[RUN, STORE]),
    route("GET",   "/v1/queues",                Here(Read),       &[STORE]),
    route("PATCH", "/v1/queues/{name}",         Here(Operate),    &[BODY, NAME, STORE, WRITE]),
    route("POST",  "/v1/queues/{name}/pause",   Here(Operate),    &[NAME, STORE, WRITE]),
    route("POST",  "/v1/queues/{name}/resume",  Here(Operate),    &[NAME, STORE, WRITE]),
    route("GET",   "/v1/lanes",                 Here(Read),       &[QUERY, CURSOR, STORE]),
    route("PATCH", "/v1/lanes/{name}",          Here(Operate),    &[BODY, NAME, STORE, WRITE]),
    route("POST",  "/v1/lanes/{name}/release",  Here(Operate),    &[NAME, STORE, WRITE]),
    route("GET",   "/v1/workers",               Here(Read),       &[STORE]),
    route("POST",  "/v1/workers/{id}/drain",    Everywhere(Administer), &[&[Code::WorkerNotFound, Code::AmbiguousId], STORE, WRITE]),
    route("GET",   "/v1/workspaces",            Here(Read),       &[STORE]),
    route("POST",  "/v1/workspaces",            Here(Administer), &[BODY, STORE, WRITE]),
    route("GET",   "/v1/tokens",                Here(Administer), &[STORE]),
    route("POST",  "/v1/tokens",                Here(Administer), &[BODY, TOKEN, STORE, WRITE]),
    route("DELETE", "/v1/tokens/{id}",          Here(Administer), &[&[Code::TokenNotFound, Code::AmbiguousId], STORE, WRITE]),
    route("GET",   "/v1/audit",                 Here(Administer), &[QUERY, CURSOR, STORE]),
    route("GET",   "/v1/tasks",                 Here(Read),       &[]),
    route("POST",  "/v1/schedules",             Here(Submit),     &[BODY, SCHEDULED, NAMED, STORE, WRITE]),
    route("GET",   "/v1/schedules",             Here(Read),       &[QUERY, CURSOR, STORE]),
    route("POST",  "/v1/schedules/preview",     Here(Read),       &[BODY, &[Code::ConflictingFields]]),
    route("GET",   "/v1/schedules/{id}",        Here(Read),       &[SCHEDULE, STORE]),
    route("PUT",   "/v1/schedules/{id}",        Here(Operate),    &[SCHEDULE, QUERY, BODY, SCHEDULED, &[Code::NoSlots, Code::VersionConflict], STORE, WRITE]),
    route("PATCH", "/v1/schedules/{id}",        Here(Operate),    &[SCHEDULE, BODY, SCHEDULED, EDIT, STORE, WRITE]),
    route("DELETE", "/v1/schedules/{id}",       Here(Operate),    &[SCHEDULE, STORE, WRITE]),
    route("GET",   "/v1/schedules/{id}/runs",   Here(Read),       &[SCHEDULE, QUERY, CURSOR, STORE]),
    route("GET",   "/v1/schedules/{id}/preview", Here(Read),      &[SCHEDULE, QUERY, STORE]),
    route("POST",  "/v1/schedules/{id}/trigger", Here(Submit),    &[SCHEDULE, GRANT, FULL, STORE, WRITE]),
    route("POST",  "/v1/schedules/{id}/pause",  Here(Operate),    &[SCHEDULE, STORE, WRITE]),
    route("POST",  "/v1/schedules/{id}/resume", Here(Operate),    &[SCHEDULE, GRANT, &[Code::NoSlots], STORE, WRITE]),
    route("POST",  "/v1/grants",                Here(Operate),    &[BODY, STORE, WRITE]),
    route("GET",   "/v1/grants",                Here(Read),       &[QUERY, CURSOR, STORE]),
    route("GET",   "/v1/grants/{id}",           Here(Read),       &[&[Code::GrantNotFound, Code::AmbiguousId], STORE]),
    route("GET",   "/v1/grants/{id}/validate",  Here(Read),       &[&[Code::GrantNotFound, Code::AmbiguousId], QUERY, STORE]),
    route("POST",  "/v1/grants/{id}/revoke",    Here(Operate),    &[&[Code::GrantNotFound, Code::AmbiguousId], STORE, WRITE]),
    route("GET",   "/v1/usage",                 Here(Read),       &[QUERY, STORE]),
    route("GET",   "/healthz",                  Nothing,          &[]),
    route("GET",   "/readyz",                   Nothing,          &[STORE, &[Code::ShuttingDown]]),
    route("GET",   "/metrics",                  Everywhere(Read),       &[&[Code::RouteNotFound]]),
];

/// The route of a request that was matched to a path.
pub(in crate::http) fn find(method: &str, path: &str) -> Option<&'static Route> {
    // A HEAD is a GET whose body nobody reads.
    let method = if method == "HEAD" { "GET" } else { method };
    ROUTES.iter().find(|route| route.method == method && route.path == path)
}

/// The methods that a path knows.
pub(in crate::http) fn methods(path: &str) -> Vec<&'static str> {
    ROUTES.iter().filter(|route| route.path == path).map(|route| route.method).collect()
}

/// What can go wrong with every route.
pub(in crate::http) const ANY: &[Code] = &[Code::HostNotAllowed, Code::OriginNotAllowed, Code::InternalError];

/// What can go wrong where the caller must be permitted something.
pub(in crate::http) const GUARDED: &[Code] =
    &[Code::Unauthenticated, Code::Forbidden, Code::InvalidHeader, Code::WorkspaceNotFound, Code::RateLimited];

const BODY: &[Code] = &[
    Code::InvalidJson,
    Code::JsonTooDeep,
    Code::DuplicateKey,
    Code::NulCharacter,
    Code::BodyTooLarge,
    Code::RequestTimeout,
    Code::UnsupportedMediaType,
    Code::UnknownField,
    Code::MissingField,
    Code::InvalidField,
];
const SUBMIT: &[Code] = &[
    Code::ConflictingFields,
    Code::UnknownTask,
    Code::InvalidPayload,
    Code::UnknownUpstream,
    Code::CircularWait,
    Code::RunQueueFull,
    Code::ShuttingDown,
];
const DIRECT: &[Code] = &[Code::QueueDisabled, Code::ConcurrencyLimit];
const KEYS: &[Code] = &[Code::IdempotencyMismatch];
const QUERY: &[Code] = &[Code::InvalidParameter, Code::UnknownParameter];
const CURSOR: &[Code] = &[Code::InvalidCursor];
const RUN: &[Code] = &[Code::RunNotFound, Code::AmbiguousId];
const STATUS: &[Code] = &[Code::StatusConflict];
const FULL: &[Code] = &[Code::RunQueueFull];
const NAME: &[Code] = &[Code::RouteNotFound];
const TOKEN: &[Code] = &[Code::ConflictingFields];
const SCHEDULE: &[Code] = &[Code::ScheduleNotFound, Code::AmbiguousId];
const SCHEDULED: &[Code] = &[
    Code::ConflictingFields,
    Code::UnknownTask,
    Code::InvalidPayload,
    Code::UnknownGrant,
    Code::GrantRevoked,
    Code::GrantExpired,
    Code::GrantScope,
];
const GRANT: &[Code] = &[Code::UnknownGrant, Code::GrantRevoked, Code::GrantExpired, Code::GrantScope];
const NAMED: &[Code] = &[Code::ScheduleExists];
const EDIT: &[Code] = &[Code::NoSlots, Code::VersionConflict, Code::ScheduleExists];
const STORE: &[Code] = &[Code::StoreUnavailable];
const WRITE: &[Code] = &[Code::OutcomeUnknown];
