//! Ids in paths: a full one, or part of one that stands for it.

use uuid::Uuid;

use crate::actions::{Found, ShortId, find_grant, find_run, find_schedule, find_token, find_worker};
use crate::http::auth::Caller;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::{ScheduleId, WorkspaceName};
use crate::store::Result;

/// What an id names.
#[derive(Clone, Copy)]
pub(super) enum Noun {
    Run,
    Grant,
    Worker,
    Token,
}

/// The id that the text stands for. `missing` is what is said if there is none.
pub(super) async fn resolve(
    server: &Server,
    caller: &Caller,
    noun: Noun,
    text: &str,
    missing: fn(&str) -> Problem,
) -> std::result::Result<Uuid, Problem> {
    if let Ok(id) = Uuid::parse_str(text) {
        return Ok(id);
    }
    let short = ShortId::parse(text).ok_or_else(|| missing(text))?;
    match find(server, caller, noun, &short).await? {
        Found::Nothing => Err(missing(text)),
        Found::One(id) => Ok(id),
        Found::Several(ids) => Err(ambiguous(text, &ids)),
    }
}

/// The schedule whose id begins or ends so.
pub(super) async fn short_schedule(
    server: &Server,
    workspace: &WorkspaceName,
    text: &str,
) -> std::result::Result<ScheduleId, Problem> {
    let short = ShortId::parse(text).ok_or_else(|| Problem::no_schedule(text))?;
    match find_schedule(server.store(), workspace, &short).await? {
        Found::Nothing => Err(Problem::no_schedule(text)),
        Found::One(id) => Ok(ScheduleId(id)),
        Found::Several(ids) => Err(ambiguous(text, &ids)),
    }
}

async fn find(server: &Server, caller: &Caller, noun: Noun, short: &ShortId) -> Result<Found> {
    let (store, workspace) = (server.store(), &caller.workspace);
    match noun {
        Noun::Run => find_run(store, workspace, short).await,
        Noun::Grant => find_grant(store, workspace, short).await,
        Noun::Worker => find_worker(store, short).await,
        Noun::Token => find_token(store, caller.view(), short).await,
    }
}

fn ambiguous(text: &str, ids: &[Uuid]) -> Problem {
    let named: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    Problem::new(Code::AmbiguousId, format!("{text:?} is part of several ids, among them {}", named.join(", ")))
        .hint("give more of the beginning or the end of the id; the last 8 characters nearly always suffice")
}
