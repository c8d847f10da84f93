//! Submits an old run's work again, as a new run.

use super::By;
use super::by::detail;
use crate::run::RunId;
use crate::store::{Admission, RerunOutcome, Result, Store, StoreError, SubmitOutcome};

/// Makes the run `new` of the run `old`. If the connection broke during the commit, asks again: the id settles it.
pub async fn rerun_run(
    store: &dyn Store,
    by: &By,
    old: RunId,
    new: RunId,
    admission: Admission,
) -> Result<RerunOutcome> {
    let outcome = match store.rerun(&by.workspace, old, new, admission).await {
        Err(StoreError::Ambiguous(_)) => match store.rerun(&by.workspace, old, new, admission).await {
            Ok(RerunOutcome::Submitted(SubmitOutcome::DuplicateId)) => RerunOutcome::Submitted(SubmitOutcome::Created),
            Ok(outcome) => outcome,
            Err(error) => return Err(StoreError::Ambiguous(Box::new(error))),
        },
        answer => answer?,
    };
    if outcome == RerunOutcome::Submitted(SubmitOutcome::Created) {
        by.did(store, "run.rerun", &old, detail(serde_json::json!({"new": new}))).await;
    }
    Ok(outcome)
}
