//! What the end of a program means for its run.

use jiff::SignedDuration;

use super::directory::{Directory, MOST_OUTPUT_ENTRIES};
use super::foreign::MOST_LEVELS;
use super::record::{Exit, RetryWish, StartError, Why};
use super::task::ProcessTask;
use crate::executor::{Completion, Order};
use crate::run::lifecycle::Retry;
use crate::run::{Json, RunError};

/// Signals that programs are killed by, and what to think of.
const SIGNALS: [(i32, &str); 15] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL; the system does so when memory runs out"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU: its limit of CPU time"),
    (25, "SIGXFSZ: its limit of file size"),
    (31, "SIGSYS"),
];

/// `order` is what the worker wanted when it ended.
pub(super) fn completion(directory: &Directory, task: &ProcessTask, exit: &Exit, order: Order) -> Completion {
    let is_ordered = matches!(order, Order::Stop { .. });
    match &exit.why {
        Why::Exited => by_itself(directory, task, exit),
        Why::StartFailed(StartError { code, message }) => Completion::failed(code, message),
        Why::OutputLimit => {
            let limit = task.limits.output_bytes;
            never("output_limit", format!("the output directory exceeded its limit of {limit} bytes"))
        }
        Why::OutputTree => never(
            "output_limit",
            format!("the output directory has more than {MOST_OUTPUT_ENTRIES} entries or {MOST_LEVELS} levels"),
        ),
        Why::Stopped if is_ordered => Completion::Stopped,
        Why::NeverStarted if is_ordered => Completion::NotBegun,
        Why::Stopped => Completion::failed("stopped", "stopped by something other than Runlane"),
        Why::NeverStarted | Why::LeaseExpired => Completion::NotFound,
    }
}

fn by_itself(directory: &Directory, task: &ProcessTask, exit: &Exit) -> Completion {
    match (exit.code, exit.signal) {
        (Some(0), _) => result(directory, task),
        (Some(code), _) => {
            let retry = wished(exit).unwrap_or_else(|| task.after_exit(code));
            failed_by_itself("exit_code", format!("exited with code {code}"), exit, retry)
        }
        (None, Some(signal)) => {
            let name = SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |(_, name)| name);
            let how = if name.is_empty() { format!("signal {signal}") } else { format!("signal {signal} ({name})") };
            let retry = wished(exit).unwrap_or(Retry::Backoff);
            failed_by_itself("killed_by_signal", format!("killed by {how}"), exit, retry)
        }
        (None, None) => Completion::failed("exit_unknown", "ended without an exit record"),
    }
}

/// What the program said itself; it outranks what its exit code means.
fn wished(exit: &Exit) -> Option<Retry> {
    Some(match exit.retry? {
        RetryWish::Usual => Retry::Backoff,
        RetryWish::Never => Retry::Never,
        RetryWish::InSeconds(seconds) => Retry::Later(Some(SignedDuration::from_secs(seconds.into()))),
    })
}

fn failed_by_itself(code: &str, how: String, exit: &Exit, retry: Retry) -> Completion {
    let how = match retry {
        Retry::Never => format!("{how} (not to be tried again)"),
        Retry::Later(_) => format!("{how} (to be tried later)"),
        Retry::Backoff | Retry::After(_) => how,
    };
    Completion::Failed { error: RunError::new(code, with_last_words(how, exit)), retry }
}

fn with_last_words(message: String, exit: &Exit) -> String {
    let words = exit.last_words.join("\n");
    if words.trim().is_empty() { message } else { format!("{message}: {words}") }
}

fn result(directory: &Directory, task: &ProcessTask) -> Completion {
    let limit = task.limits.result_bytes;
    let bytes = match directory.read_result(task.user, limit.saturating_add(1)) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Completion::Succeeded { output: None },
        Err(error) => return Completion::failed("invalid_result", format!("the result cannot be read: {error}")),
    };
    if bytes.len() as u64 > limit {
        return Completion::failed("result_too_large", format!("the result exceeds its limit of {limit} bytes"));
    }
    let parsed = String::from_utf8(bytes).map_err(|error| error.to_string());
    match parsed.and_then(|text| Json::parse(text).map_err(|error| error.to_string())) {
        Ok(output) => Completion::Succeeded { output: Some(output) },
        Err(why) => Completion::failed("invalid_result", format!("the result cannot be used: {why}")),
    }
}

fn never(code: &str, message: String) -> Completion {
    Completion::Failed { error: RunError::new(code, message), retry: Retry::Never }
}
