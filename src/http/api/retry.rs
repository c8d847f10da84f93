//! Makes a retry policy of what a caller sent.

use crate::http::dto::SubmitRetry;
use crate::http::problem::{Code, Problem};
use crate::run::RetryPolicy;

/// Thirty days: whoever wants to wait longer has mistaken the unit.
const LONGEST_SECONDS: f64 = 2_592_000.0;

/// With more, the second attempt already waits as long as may be.
const LARGEST_FACTOR: u32 = 1000;

/// The policy of a run: what the caller says, and otherwise what the task says.
pub(super) fn policy(given: Option<SubmitRetry>, task: Option<RetryPolicy>) -> Result<Option<RetryPolicy>, Problem> {
    let Some(SubmitRetry { base_seconds, factor, cap_seconds }) = given else { return Ok(task) };
    let base_ms = base_seconds.map(|seconds| millis("retry.base_seconds", seconds)).transpose()?;
    let cap_ms = cap_seconds.map(|seconds| millis("retry.cap_seconds", seconds)).transpose()?;
    let usual = task.unwrap_or_default();
    let policy = match (base_ms, cap_ms) {
        (Some(base_ms), Some(cap_ms)) if cap_ms < base_ms => {
            let detail = "retry.cap_seconds, the longest wait, is shorter than retry.base_seconds, the shortest";
            return Err(Problem::new(Code::InvalidField, detail).field("retry.cap_seconds"));
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
            let detail = format!("retry.factor is {factor}; give 1 to {LARGEST_FACTOR}");
            Err(Problem::new(Code::InvalidField, detail).field("retry.factor"))
        }
        factor => Ok(Some(RetryPolicy { factor: factor.unwrap_or(policy.factor), ..policy })),
    }
}

fn millis(field: &str, seconds: f64) -> Result<u32, Problem> {
    if (0.0..=LONGEST_SECONDS).contains(&seconds) {
        return Ok((seconds * 1000.0).round() as u32);
    }
    let detail = format!("{field} is {seconds}; give 0 to {LONGEST_SECONDS} seconds");
    Err(Problem::new(Code::InvalidField, detail).field(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(base_seconds: Option<f64>, factor: Option<u32>, cap_seconds: Option<f64>) -> Option<SubmitRetry> {
        Some(SubmitRetry { base_seconds, factor, cap_seconds })
    }

    #[test]
    fn what_a_submission_leaves_out_is_as_the_task_says() {
        let task = Some(RetryPolicy { base_ms: 5_000, factor: 4, cap_ms: 90_000 });
        let policy = |given, task| {
            let policy: Option<RetryPolicy> = super::policy(given, task).expect("a policy");
            policy.map(|policy| (policy.base_ms, policy.factor, policy.cap_ms))
        };
        assert_eq!(policy(None, None), None);
        assert_eq!(policy(None, task), Some((5_000, 4, 90_000)));
        assert_eq!(policy(given(Some(0.25), None, None), None), Some((250, 3, 60_000)));
        assert_eq!(policy(given(None, Some(2), None), task), Some((5_000, 2, 90_000)));
        // What is left out makes room.
        assert_eq!(policy(given(Some(120.0), None, None), task), Some((120_000, 4, 120_000)));
        assert_eq!(policy(given(None, None, Some(2.0)), task), Some((2_000, 4, 2_000)));
        assert_eq!(
            policy(given(Some(2_592_000.0), Some(1000), Some(2_592_000.0)), None),
            Some((2_592_000_000, 1000, 2_592_000_000))
        );
    }

    #[test]
    fn a_policy_that_makes_no_sense_is_refused_by_field() {
        let refused = |given| {
            let problem = super::policy(given, None).expect_err("refused").written("");
            (problem.field.expect("a field"), problem.detail)
        };
        for (wrong, field) in [
            (given(Some(-1.0), None, None), "retry.base_seconds"),
            (given(Some(f64::NAN), None, None), "retry.base_seconds"),
            (given(None, None, Some(2_592_001.0)), "retry.cap_seconds"),
            (given(Some(10.0), None, Some(9.9)), "retry.cap_seconds"),
            (given(None, Some(0), None), "retry.factor"),
            (given(None, Some(1001), None), "retry.factor"),
        ] {
            let (named, detail) = refused(wrong);
            assert_eq!(named, field, "{detail}");
            assert!(detail.contains(field), "{detail}");
        }
    }
}
