//! Makes a retry policy of what a caller wrote and what the task says.

use super::{TimingMistake, TimingRefusal};
use crate::run::RetryPolicy;

/// Thirty days: whoever wants to wait longer has mistaken the unit.
const LONGEST_SECONDS: f64 = 2_592_000.0;

/// With more, the second attempt already waits as long as may be.
const LARGEST_FACTOR: u32 = 1000;

/// How long to wait between attempts, as a caller writes it; what is `None` is as the task says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RetryRequest {
    /// The shortest wait.
    pub base_seconds: Option<f64>,
    /// What each attempt multiplies the longest wait by.
    pub factor: Option<u32>,
    /// The longest wait.
    pub cap_seconds: Option<f64>,
}

/// The policy of a run: what the caller says, and otherwise what the task says.
pub fn plan_retry(
    given: Option<RetryRequest>,
    task: Option<RetryPolicy>,
) -> Result<Option<RetryPolicy>, TimingRefusal> {
    let Some(RetryRequest { base_seconds, factor, cap_seconds }) = given else { return Ok(task) };
    let base_ms = base_seconds.map(|seconds| millis("retry.base_seconds", seconds)).transpose()?;
    let cap_ms = cap_seconds.map(|seconds| millis("retry.cap_seconds", seconds)).transpose()?;
    let usual = task.unwrap_or_default();
    let policy = match (base_ms, cap_ms) {
        (Some(base_ms), Some(cap_ms)) if cap_ms < base_ms => {
            let reason = "retry.cap_seconds, the longest wait, is shorter than retry.base_seconds, the shortest";
            return Err(refusal("retry.cap_seconds", reason.to_owned(), "give the longer one as cap_seconds"));
        }
        // What is left out makes room for what is given.
        (Some(base_ms), None) => RetryPolicy { base_ms, cap_ms: usual.cap_ms.max(base_ms), ..usual },
        (None, Some(cap_ms)) => RetryPolicy { base_ms: usual.base_ms.min(cap_ms), cap_ms, ..usual },
        (base_ms, cap_ms) => {
            RetryPolicy { base_ms: base_ms.unwrap_or(usual.base_ms), cap_ms: cap_ms.unwrap_or(usual.cap_ms), ..usual }
        }
    };
    match factor {
        Some(factor) if !(1..=LARGEST_FACTOR).contains(&factor) => {
            let reason = format!("retry.factor is {factor}");
            Err(refusal("retry.factor", reason, &format!("give 1 to {LARGEST_FACTOR}")))
        }
        factor => Ok(Some(RetryPolicy { factor: factor.unwrap_or(policy.factor), ..policy })),
    }
}

fn millis(field: &'static str, seconds: f64) -> Result<u32, TimingRefusal> {
    if (0.0..=LONGEST_SECONDS).contains(&seconds) {
        return Ok((seconds * 1000.0).round() as u32);
    }
    Err(refusal(field, format!("{field} is {seconds}"), &format!("give 0 to {LONGEST_SECONDS} seconds")))
}

fn refusal(field: &'static str, reason: String, hint: &str) -> TimingRefusal {
    TimingRefusal { kind: TimingMistake::Invalid, field, reason, hint: hint.to_owned() }
}
