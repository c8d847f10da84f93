//! Makes a retry policy of what a caller sent.

use crate::actions::{RetryRequest, plan_retry};
use crate::http::dto::SubmitRetry;
use crate::http::problem::Problem;
use crate::run::RetryPolicy;

/// The policy of a run: what the caller says, and otherwise what the task says.
pub(super) fn policy(given: Option<SubmitRetry>, task: Option<RetryPolicy>) -> Result<Option<RetryPolicy>, Problem> {
    Ok(plan_retry(given.map(request), task)?)
}

/// What the caller says.
pub(super) fn request(given: SubmitRetry) -> RetryRequest {
    let SubmitRetry { base_seconds, factor, cap_seconds } = given;
    RetryRequest { base_seconds, factor, cap_seconds }
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
