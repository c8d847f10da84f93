//! Whether the API answers, and by which clock.

use reqwest::header::DATE;
use serde_json::Value;

use super::clock;
use super::report::Check;
use crate::cli::client::problem::{ApiError, Problem};
use crate::cli::client::remote::Remote;
use crate::cli::client::render::now;

/// What asking it brought.
pub(super) struct Asked {
    /// Whether it can be asked more.
    pub(super) answers: bool,
    pub(super) clock: Option<Check>,
}

pub(super) async fn check(remote: &Remote) -> (Check, Asked) {
    let response = match remote.outside("readyz").await {
        Ok(response) => response,
        Err(error) => return (unreachable(remote, &error), Asked { answers: false, clock: None }),
    };
    let clock = clock::check(response.headers().get(DATE).and_then(|date| date.to_str().ok()), now());
    let ready = response.status().is_success();
    let body: Value = response.json().await.unwrap_or_default();
    let check = judge(remote, ready, &body);
    if !ready {
        return (check, Asked { answers: false, clock });
    }
    match remote.get(&["queues"]).await {
        Ok(_) => (check, Asked { answers: true, clock }),
        Err(error) => (refused(remote, &error), Asked { answers: false, clock }),
    }
}

fn judge(remote: &Remote, ready: bool, body: &Value) -> Check {
    let address = remote.address();
    let (ours, theirs) = (env!("CARGO_PKG_VERSION"), body.get("version").and_then(Value::as_str));
    match (ready, theirs) {
        (true, Some(theirs)) if theirs != ours => Check::warn(
            "server",
            format!("{address} is ready, and of release {theirs}; this is {ours}"),
            "use the same release on both sides",
        ),
        (true, Some(_)) => Check::ok("server", format!("{address} is ready, release {ours}")),
        (true, None) => {
            Check::fail("server", format!("{address} answers, but is not Runlane"), "check --url or RUNLANE_URL")
        }
        (false, _) => {
            let why = Problem::read(body.clone()).map_or("it does not say why".into(), |problem| problem.in_short());
            Check::fail("server", format!("{address} is not ready: {why}"), "check its log")
        }
    }
}

/// Where the database can be examined, a server that is not there is no failure: workers do without one.
fn unreachable(remote: &Remote, error: &ApiError) -> Check {
    let words = error.to_string();
    let why = words.lines().find_map(|line| line.trim().strip_prefix("because: ")).unwrap_or("no answer").to_owned();
    let words = format!("none answers at {}: {why}", remote.address());
    Check::warn("server", words, "start one (runlane serve), or name another by --url")
}

fn refused(remote: &Remote, error: &ApiError) -> Check {
    let words = error.to_string();
    let first = words.lines().next().unwrap_or_default();
    Check::warn(
        "server",
        format!("{} is ready, but refuses: {first}", remote.address()),
        "give a token: --token or RUNLANE_TOKEN",
    )
}
