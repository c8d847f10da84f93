//! Lets a held lane go on.

use super::By;
use super::by::detail;
use crate::run::LaneName;
use crate::store::{Result, Store};

/// Dismisses whatever holds it; answers how many runs did.
pub async fn release_lane(store: &dyn Store, by: &By, lane: &LaneName) -> Result<usize> {
    let released = store.release_lane(&by.workspace, lane).await?;
    if released > 0 {
        by.did(store, "lane.release", lane, detail(serde_json::json!({"released": released}))).await;
    }
    Ok(released)
}
