//! Names and ids in paths. What cannot be one is not found, just as one that does not exist.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::access::TokenId;
use crate::http::problem::{Code, Problem};
use crate::run::{GrantId, LaneName, QueueName, RunId, ScheduleId, WorkerId};

macro_rules! paths {
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

paths! {
    /// A run.
    RunPath(RunId), Problem::no_run;
    /// A worker.
    WorkerPath(WorkerId), |id: &str| Problem::new(Code::WorkerNotFound, format!("no worker {id:?}"));
    /// A token.
    TokenPath(TokenId), Problem::no_token;
    /// A schedule.
    SchedulePath(ScheduleId), Problem::no_schedule;
    /// A grant.
    GrantPath(GrantId), Problem::no_grant;
    /// A queue. Every name may have one, so that only what is no name is not found.
    QueuePath(QueueName), |name: &str| Problem::new(Code::RouteNotFound, format!("{name:?} cannot be the name of a queue"));
    /// A lane, likewise.
    LanePath(LaneName), |name: &str| Problem::new(Code::RouteNotFound, format!("{name:?} cannot be the name of a lane"));
}
