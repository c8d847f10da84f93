//! Says what a lane does when one of its runs fails.

use super::By;
use super::by::detail;
use crate::run::LaneName;
use crate::store::{LanePolicy, Result, Store};

/// Sets it; `false` if there is no such workspace.
pub async fn set_lane_policy(store: &dyn Store, by: &By, lane: &LaneName, policy: LanePolicy) -> Result<bool> {
    let set = store.set_lane_policy(&by.workspace, lane, policy).await?;
    if set {
        by.did(store, "lane.set", lane, detail(serde_json::json!({"policy": policy}))).await;
    }
    Ok(set)
}
