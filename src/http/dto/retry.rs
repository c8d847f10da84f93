//! The backoff between the attempts of a run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::run::RetryPolicy;

/// The backoff: random between `base_seconds` and `base_seconds` × `factor` ^ attempt, at most `cap_seconds`. Absent fields
/// are the task's, or 1, 3 and 60.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"base_seconds": 10, "factor": 2, "cap_seconds": 300}))]
pub struct SubmitRetry {
    /// The minimum backoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 2592000)]
    pub base_seconds: Option<f64>,
    /// The factor by which the upper bound grows with each attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    pub factor: Option<u32>,
    /// The maximum backoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 2592000)]
    pub cap_seconds: Option<f64>,
}

/// The backoff: random between `base_seconds` and `base_seconds` × `factor` ^ attempt, at most `cap_seconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunRetry {
    /// The minimum backoff.
    #[serde(rename = "base_seconds", with = "seconds")]
    #[schema(value_type = f64, example = 10)]
    pub base_ms: u32,
    /// The factor by which the upper bound grows with each attempt.
    #[schema(example = 2)]
    pub factor: u32,
    /// The maximum backoff.
    #[serde(rename = "cap_seconds", with = "seconds")]
    #[schema(value_type = f64, example = 300)]
    pub cap_ms: u32,
}

impl From<RetryPolicy> for RunRetry {
    fn from(policy: RetryPolicy) -> Self {
        Self { base_ms: policy.base_ms, factor: policy.factor, cap_ms: policy.cap_ms }
    }
}

/// Milliseconds, written as seconds: whole ones without a point.
mod seconds {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(ms: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        match ms % 1000 {
            0 => serializer.serialize_u32(ms / 1000),
            _ => serializer.serialize_f64(f64::from(*ms) / 1000.0),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        Ok((f64::deserialize(deserializer)? * 1000.0).round() as u32)
    }
}
