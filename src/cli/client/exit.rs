//! What the process exits with; `docs/cli.md` and `--help` list the same.

use std::error::Error;
use std::process::ExitCode;

use super::problem::ApiError;
use super::seen::Run;

/// 3 is that of a worker that left work behind.
pub(super) const FAILED: u8 = 1;
const USAGE: u8 = 2;
pub(super) const CANCELLED: u8 = 4;
pub(super) const TIMED_OUT: u8 = 5;
pub(super) const UNFINISHED: u8 = 6;
pub(super) const UNREACHABLE: u8 = 7;
pub(super) const INTERRUPTED: u8 = 130;

/// For the end of `--help`.
pub(in crate::cli) const HELP: &str = "\
Exit codes:
  0    the command succeeded; with --wait or logs -f, the run succeeded
  1    the command failed; with --wait or logs -f, the run failed
  2    the command line is invalid
  3    a worker stopped and left work for others
  4    with --wait or logs -f: the run was cancelled
  5    with --wait or logs -f: the run timed out
  6    with --wait: the run did not end in time, or needs a person to continue
  7    no server answered
  130  interrupted";

/// Something on the command line that only its verb could tell is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// How a run that was waited for ended.
pub(super) fn of_run(run: &Run) -> ExitCode {
    match run.status.as_str() {
        "succeeded" => ExitCode::SUCCESS,
        "failed" => ExitCode::from(FAILED),
        "cancelled" => ExitCode::from(CANCELLED),
        "timed_out" => ExitCode::from(TIMED_OUT),
        _ => ExitCode::from(UNFINISHED),
    }
}

/// What a failure of any verb exits with.
pub(in crate::cli) fn of_failure(failure: &(dyn Error + Send + Sync + 'static)) -> ExitCode {
    if failure.is::<Usage>() {
        return ExitCode::from(USAGE);
    }
    match failure.downcast_ref::<ApiError>() {
        Some(ApiError::Url { .. } | ApiError::Unsendable { .. }) => ExitCode::from(USAGE),
        Some(ApiError::Unreachable { .. } | ApiError::Foreign { .. }) => ExitCode::from(UNREACHABLE),
        _ => ExitCode::from(FAILED),
    }
}
