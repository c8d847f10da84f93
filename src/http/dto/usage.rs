//! What runs used up.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store;

/// What was used up of a unit on one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageSum {
    /// Who pays; `null` for runs without a grant.
    #[schema(required, example = "research")]
    pub account: Option<String>,
    /// By runs of this task.
    #[schema(example = "report")]
    pub task: String,
    /// Of what.
    #[schema(example = "tokens")]
    pub unit: String,
    /// When, in UTC.
    #[schema(value_type = String, format = Date, example = "2026-11-16")]
    pub day: Date,
    /// How much.
    #[schema(example = 120)]
    pub amount: u64,
}

impl From<store::UsageSum> for UsageSum {
    fn from(sum: store::UsageSum) -> Self {
        let store::UsageSum { account, task, unit, day, amount } = sum;
        Self { account: account.map(|account| account.to_string()), task: task.to_string(), unit, day, amount }
    }
}
