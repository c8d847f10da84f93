//! What runs have used up.

use std::collections::{BTreeMap, HashMap};

use crate::run::{Run, RunId, WorkspaceName};
use crate::store::{Result, Store};

/// Amounts by unit, over all attempts of a run.
pub type UnitSums = BTreeMap<String, u64>;

/// By run; one that has not started has used up nothing, and is not asked about.
pub async fn run_usage(store: &dyn Store, workspace: &WorkspaceName, runs: &[Run]) -> Result<HashMap<RunId, UnitSums>> {
    let started: Vec<RunId> = runs.iter().filter(|run| run.started_at.is_some()).map(|run| run.id).collect();
    let mut sums: HashMap<RunId, UnitSums> = HashMap::new();
    if started.is_empty() {
        return Ok(sums);
    }
    for usage in store.usage_of(workspace, &started).await? {
        let sum = sums.entry(usage.run).or_default().entry(usage.unit).or_default();
        *sum = sum.saturating_add(usage.amount);
    }
    Ok(sums)
}
