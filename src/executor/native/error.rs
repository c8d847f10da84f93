//! Why a function failed, and whether it should be called again.

use std::time::Duration;

use jiff::SignedDuration;

use crate::executor::{LONGEST_POSTPONEMENT, SHORTEST_POSTPONEMENT};
use crate::run::RunError;
use crate::run::lifecycle::Retry;

/// A failure. Any error becomes one by `?`, with the code `failed` and a retry with the usual wait.
#[derive(Clone, Debug)]
pub struct TaskError {
    pub(super) error: RunError,
    pub(super) retry: Retry,
}

impl TaskError {
    /// A failure with a code that programs can tell apart.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { error: RunError::new(code, message), retry: Retry::Backoff }
    }

    /// Trying again would not help.
    #[must_use]
    pub fn fatal(self) -> Self {
        Self { retry: Retry::Never, ..self }
    }

    /// The work cannot be done now and is tried again after so long, from 1 s to 7 days. This burns no attempt, up to
    /// 100 times per run; beyond that, and for runs with a single attempt, it counts as a failed attempt.
    #[must_use]
    pub fn try_later(self, wait: Duration) -> Self {
        let wait = wait.clamp(SHORTEST_POSTPONEMENT, LONGEST_POSTPONEMENT);
        Self { retry: Retry::Later(SignedDuration::try_from(wait).ok()), ..self }
    }

    /// Another attempt helps after so long, and not before. This one counts.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        Self { retry: Retry::After(wait), ..self }
    }
}

impl<E: std::error::Error> From<E> for TaskError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Self::new("failed", message)
    }
}
