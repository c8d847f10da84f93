//! Names and ids in paths. What cannot be one is not found, just as one that does not exist.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use super::short::{Noun, resolve, short_schedule};
use crate::access::TokenId;
use crate::http::auth::Caller;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::{GrantId, LaneName, QueueName, RunId, ScheduleId, WorkerId, WorkspaceName};
use crate::schedule::ScheduleName;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ident), $noun:ident, $missing:expr;)+) => {$(
        $(#[$doc])*
        pub(in crate::http) struct $name(pub(in crate::http) $inner);

        impl FromRequestParts<Server> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
                let Ok(Path(text)) = Path::<String>::from_request_parts(parts, server).await else {
                    return Err($missing("?"));
                };
                let caller = Caller::from_request_parts(parts, server).await?;
                resolve(server, &caller, Noun::$noun, &text, $missing).await.map(|id| Self($inner(id)))
            }
        }
    )+};
}

ids! {
    /// A run.
    RunPath(RunId), Run, Problem::no_run;
    /// A worker.
    WorkerPath(WorkerId), Worker, Problem::no_worker;
    /// A token.
    TokenPath(TokenId), Token, Problem::no_token;
    /// A grant.
    GrantPath(GrantId), Grant, Problem::no_grant;
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident($inner:ty), $missing:expr;)+) => {$(
        $(#[$doc])*
        pub(in crate::http) struct $name(pub(in crate::http) $inner);

        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
                let Ok(Path(text)) = Path::<String>::from_request_parts(parts, state).await else {
                    return Err($missing("?"));
                };
                text.parse().map(Self).map_err(|_| $missing(&text))
            }
        }
    )+};
}

names! {
    /// A queue. Every name may have one, so that only what is no name is not found.
    QueuePath(QueueName), |name: &str| Problem::new(Code::RouteNotFound, format!("{name:?} cannot be the name of a queue"));
    /// A lane, likewise.
    LanePath(LaneName), |name: &str| Problem::new(Code::RouteNotFound, format!("{name:?} cannot be the name of a lane"));
}

/// A schedule, by its id or its name. What can be an id is one.
pub(in crate::http) struct SchedulePath(pub(in crate::http) ScheduleId);

impl FromRequestParts<Server> for SchedulePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, server).await?;
        schedule_id(server, &caller.workspace, &text(parts, server).await?).await.map(Self)
    }
}

/// The name of a schedule, there is one or not; or the id of one there is.
pub(in crate::http) struct ScheduleNamePath(pub(in crate::http) ScheduleName);

impl FromRequestParts<Server> for ScheduleNamePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, server).await?;
        let text = text(parts, server).await?;
        match text.parse() {
            Ok(id) => {
                let found = server.store().schedule(&caller.workspace, id).await?;
                found.map(|found| Self(found.spec.name)).ok_or_else(|| Problem::no_schedule(&text))
            }
            Err(_) => ScheduleName::parse(text.as_str()).map(Self).map_err(|_| Problem::no_schedule(&text)),
        }
    }
}

async fn text(parts: &mut Parts, server: &Server) -> Result<String, Problem> {
    let path = Path::<String>::from_request_parts(parts, server).await;
    path.map(|Path(text)| text).map_err(|_| Problem::no_schedule("?"))
}

/// The schedule that a caller names, by its id, its name, or part of its id. A name goes first.
pub(in crate::http) async fn schedule_id(
    server: &Server,
    workspace: &WorkspaceName,
    text: &str,
) -> Result<ScheduleId, Problem> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let Ok(name) = ScheduleName::parse(text) else { return Err(Problem::no_schedule(text)) };
    if let Some(found) = server.store().schedule_named(workspace, &name).await? {
        return Ok(found.id);
    }
    short_schedule(server, workspace, text).await
}
