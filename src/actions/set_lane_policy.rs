//! Says what a lane does when one of its runs fails.

use super::By;
use super::by::detail;
use crate::run::LaneName;
use crate::store::{LanePolicy, LanePolicyOutcome, Result, Store};

/// Sets it. That it is so already is not written down: scripts repeat themselves.
pub async fn set_lane_policy(
    store: &dyn Store,
    by: &By,
    lane: &LaneName,
    policy: LanePolicy,
) -> Result<LanePolicyOutcome> {
    let outcome = store.set_lane_policy(&by.workspace, lane, policy).await?;
    if outcome == LanePolicyOutcome::Changed {
        by.did(store, "lane.set", lane, detail(serde_json::json!({"policy": policy}))).await;
    }
    Ok(outcome)
}
