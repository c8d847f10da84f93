//! What is said of a run that was submitted.

use jiff::Timestamp;

use crate::cli::client::render::{Paint, ago, card, plain};
use crate::cli::client::seen::Run;

/// The id first and alone on its line, for those who copy it; then what to do next. After a wait, how it ended.
pub(super) fn of(run: &Run, waited: bool, paint: Paint, now: Timestamp) -> String {
    if waited {
        return card(run, &[], paint, now);
    }
    let id = plain(&run.id);
    let state = match (run.status.as_str(), run.available_at.filter(|at| *at > now)) {
        ("pending", _) => format!("held; `runlane runs enqueue {id}` lets it go"),
        ("queued", Some(at)) => format!("due {}", ago(at, now)),
        ("queued", None) if run.blocked_by.is_some() => format!("waits; `runlane explain {id}` says for what"),
        ("queued", None) => format!("follow it with `runlane logs -f {id}`"),
        _ => format!("`runlane runs show {id}` shows it"),
    };
    format!("{}\n{} in queue {}: {state}\n", paint.strong(&id), paint.status(&run.status), plain(&run.queue))
}
