//! Submits an old run's work again, as a new run.

use super::By;
use super::by::detail;
use crate::run::RunId;
use crate::store::{Admission, RerunOutcome, Result, Store, SubmitOutcome};

/// Makes the run `new` of the run `old`.
pub async fn rerun_run(
    store: &dyn Store,
    by: &By,
    old: RunId,
    new: RunId,
    admission: Admission,
) -> Result<RerunOutcome> {
    let outcome = store.rerun(&by.workspace, old, new, admission).await?;
    if outcome == RerunOutcome::Submitted(SubmitOutcome::Created) {
        by.did(store, "run.rerun", &old, detail(serde_json::json!({"new": new}))).await;
    }
    Ok(outcome)
}
