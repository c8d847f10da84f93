//! What is said of a run that was submitted.

use jiff::Timestamp;

use crate::cli::client::render::{ago, plain};
use crate::cli::client::seen::Run;

/// What became of a request that made no new run; `None` if it made one.
pub(super) fn not_new(outcome: &str) -> Option<&'static str> {
    match outcome {
        "existing" => {
            Some("already there: this idempotency key was used for the same request before; nothing new was submitted")
        }
        "kept" => Some("already there: a run with this key has not started yet; nothing new was submitted"),
        "replaced" => Some("replaced: the run with this key had not started and took on this request"),
        _ => None,
    }
}

/// What keeps it from starting, if anything, and what to do next. The same whether or not it has started meanwhile.
pub(super) fn next(run: &Run, outcome: &str, now: Timestamp) -> String {
    let id = plain(&run.id);
    let state = match (run.status.as_str(), run.available_at.filter(|at| *at > now)) {
        ("pending", _) => format!("on hold; `runlane runs enqueue {id}` releases it"),
        ("queued", Some(at)) => format!("due {}", ago(at, now)),
        ("queued", None) if run.blocked_by.is_some() => format!("waiting; `runlane explain {id}` says why"),
        (_, None) if run.is_terminal() => format!("`runlane runs show {id}` shows its outcome"),
        _ => format!("follow it with `runlane logs -f {id}`"),
    };
    match not_new(outcome) {
        None => format!("submitted to queue {}: {state}", plain(&run.queue)),
        Some(_) => format!("the run is {} in queue {}: {state}", plain(&run.status), plain(&run.queue)),
    }
}
