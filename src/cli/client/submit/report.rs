//! What is said of a run that was submitted.

use jiff::Timestamp;

use crate::cli::client::render::{ago, plain};
use crate::cli::client::seen::Run;

/// What keeps it from starting, if anything, and what to do next. The same whether or not it has started meanwhile.
pub(super) fn next(run: &Run, now: Timestamp) -> String {
    let id = plain(&run.id);
    let state = match (run.status.as_str(), run.available_at.filter(|at| *at > now)) {
        ("pending", _) => format!("held; `runlane runs enqueue {id}` lets it go"),
        ("queued", Some(at)) => format!("due {}", ago(at, now)),
        ("queued", None) if run.blocked_by.is_some() => format!("waits; `runlane explain {id}` says for what"),
        _ => format!("follow it with `runlane logs -f {id}`"),
    };
    format!("submitted to queue {}: {state}", plain(&run.queue))
}
