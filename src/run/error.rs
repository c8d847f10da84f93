//! Why an attempt, and perhaps its run, failed.

/// A stable code for machines and a message for people.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunError {
    /// Stable: `lost`, `timed_out`, `upstream_failed`, or what the executor says.
    pub code: String,
    /// What happened, in a sentence.
    pub message: String,
}

impl RunError {
    /// An error with this code and message. NUL cannot be stored as text, so it is shown escaped.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        let (code, message): (String, String) = (code.into(), message.into());
        Self { code: code.replace('\0', "\\0"), message: message.replace('\0', "\\0") }
    }

    /// The worker disappeared and its work could not be found.
    pub fn lost() -> Self {
        Self::new("lost", "the worker was lost and its work could not be found again")
    }

    /// The attempt ran longer than its limit.
    pub fn timed_out(limit_seconds: u32) -> Self {
        Self::new("timed_out", format!("the attempt exceeded its time limit of {limit_seconds} s"))
    }

    /// Shutdowns interrupted the run more often than is allowed for free.
    pub fn interrupted(times: u32) -> Self {
        Self::new("interrupted", format!("interrupted by shutdown {times} times; the attempt now counts"))
    }

    /// A run it waited for did not succeed.
    pub fn upstream_failed(upstream: super::RunId, status: super::Status) -> Self {
        Self::new("upstream_failed", format!("run {upstream}, which this run waited for, ended {status}"))
    }

    /// The run had not begun by its start deadline.
    pub fn start_deadline_passed(start_by: jiff::Timestamp) -> Self {
        Self::new("start_deadline_passed", format!("it had not begun by {start_by}"))
    }
}
