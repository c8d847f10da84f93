//! What runs used up.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store;

/// Usage of one unit on one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageSum {
    /// The account charged; `null` for runs without a grant.
    #[schema(required, example = "research")]
    pub account: Option<String>,
    /// The task.
    #[schema(example = "report")]
    pub task: String,
    /// The unit.
    #[schema(example = "tokens")]
    pub unit: String,
    /// The day in UTC.
    #[schema(value_type = String, format = Date, example = "2026-11-16")]
    pub day: Date,
    /// The amount.
    #[schema(example = 120)]
    pub amount: u64,
}

impl From<store::UsageSum> for UsageSum {
    fn from(sum: store::UsageSum) -> Self {
        let store::UsageSum { account, task, unit, day, amount } = sum;
        Self { account: account.map(|account| account.to_string()), task: task.to_string(), unit, day, amount }
    }
}
