//! Waits for a run to end.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;

use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::{Extra, Remote};
use crate::cli::client::render::{now, plain};
use crate::cli::client::{exit, seen};

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli::client) enum Patience {
    Endless,
    AtMost(SignedDuration),
}

/// How many seconds the server is asked to wait with its answer, unless the run ends before.
const HELD: u64 = 2;

/// Between two looks, for a server that does not wait: soon at first, for the many runs that take a moment.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);

/// How often in a row the server may not answer; it may be restarting, and the run does not mind.
const SILENCES: u32 = 30;

/// The run as it is when it ended, when it was paused or held, or when patience ran out.
pub(in crate::cli::client) async fn wait(remote: &Remote, id: &str, patience: Patience) -> Result<Doc, Failure> {
    let spinner = spinner();
    let until = match patience {
        Patience::Endless => None,
        Patience::AtMost(span) => Some(runlane::clock::later(now(), span)),
    };
    let waited = tokio::select! {
        waited = look(remote, id, until, &spinner) => waited,
        _ = tokio::signal::ctrl_c() => {
            spinner.finish_and_clear();
            eprintln!("no longer waiting; the run continues: runlane runs show {}", plain(id));
            std::process::exit(exit::INTERRUPTED.into());
        }
    };
    spinner.finish_and_clear();
    waited
}

async fn look(remote: &Remote, id: &str, until: Option<Timestamp>, spinner: &ProgressBar) -> Result<Doc, Failure> {
    let (mut pause, mut silences) = (FIRST, 0);
    loop {
        let headers = [("Prefer", format!("wait={}", held(left(until))))];
        let extra = Extra { headers: &headers, ..Extra::default() };
        match remote.call(Method::GET, &["runs", id], extra).await {
            Ok(answer) => {
                silences = 0;
                let run: seen::Run = seen::read(&answer)?;
                let over = run.is_terminal() || matches!(run.status.as_str(), "paused" | "pending");
                if over || until.is_some_and(|until| now() >= until) {
                    return Ok(answer);
                }
                spinner.set_message(match run.attempt {
                    0 => run.status,
                    attempt => format!("{} (attempt {attempt} of {})", run.status, run.max_attempts),
                });
            }
            Err(error @ ApiError::Unreachable { .. }) => {
                silences += 1;
                if silences > SILENCES || until.is_some_and(|until| now() >= until) {
                    return Err(error.into());
                }
                spinner.set_message("the server does not answer; trying again");
            }
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(pause.min(left(until))).await;
        pause = (pause * 3 / 2).min(LONGEST);
    }
}

/// The time until patience runs out.
fn left(until: Option<Timestamp>) -> Duration {
    until.map_or(Duration::MAX, |until| until.duration_since(now()).try_into().unwrap_or_default())
}

/// Whole seconds are all that the header can say, so the last fraction of one is spent on looking again and again.
fn held(left: Duration) -> u64 {
    left.as_secs().min(HELD)
}

/// Beside standard output, and only where somebody watches.
fn spinner() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_style(style());
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_never_waits_longer_than_there_is_time() {
        let held = |millis| held(Duration::from_millis(millis));
        assert_eq!([held(0), held(999), held(1000), held(1999), held(60_000)], [0, 0, 1, 1, 2]);
    }

    #[test]
    fn there_is_no_time_left_once_it_has_run_out() {
        assert_eq!(left(Some(Timestamp::UNIX_EPOCH)), Duration::ZERO);
        assert_eq!(left(None), Duration::MAX);
    }
}
