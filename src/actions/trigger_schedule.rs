//! Submits a run of a schedule outside of all slots.

use super::by::detail;
use super::{By, submit_runs};
use crate::run::lifecycle::Command;
use crate::run::{RunId, ScheduleId, Status};
use crate::schedule::{Overlap, Schedule, Standing};
use crate::store::{Admission, Page, Result, RunFilter, Store, StoreError, SubmitOutcome};

/// At most so many runs are replaced; a schedule that replaces has hardly more than one.
const REPLACED: usize = 100;

/// What came of asking for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerOutcome {
    /// The run's submission went so.
    Submitted(SubmitOutcome),
    /// There is no such schedule.
    NotFound,
    /// Its grant is gone.
    UnknownGrant,
    /// Its grant does not allow its task, or not any more.
    GrantRefused(Box<Schedule>, Standing),
}

/// Submits the run `run`, of a paused schedule too. Where runs replace each other, those under way are cancelled, and the new
/// one starts when they have stopped.
pub async fn trigger_schedule(
    store: &dyn Store,
    by: &By,
    id: ScheduleId,
    run: RunId,
    admission: Admission,
) -> Result<TriggerOutcome> {
    let Some(schedule) = store.schedule(&by.workspace, id).await? else { return Ok(TriggerOutcome::NotFound) };
    let checked = store.check_grant(&by.workspace, schedule.grant, &schedule.spec.task).await?;
    match checked.map(|checked| checked.standing) {
        None => return Ok(TriggerOutcome::UnknownGrant),
        Some(Standing::Good) => {}
        Some(standing) => return Ok(TriggerOutcome::GrantRefused(Box::new(schedule), standing)),
    }
    let submitted = submit_runs(store, &[schedule.run_now(run)], admission).await?.outcomes.pop();
    let outcome = submitted.ok_or_else(|| StoreError::Corrupt("no answer to a submission".into()))?;
    if outcome == SubmitOutcome::Created {
        let replaced = match schedule.spec.overlap {
            Overlap::Replace => cancel_others(store, by, &schedule, run, admission).await.unwrap_or_else(|error| {
                // The run is stored, and saying otherwise would make callers ask for another.
                tracing::warn!(%error, schedule = %id, "cannot cancel the run that the triggered run replaces; the new run waits for it");
                0
            }),
            _ => 0,
        };
        let words = serde_json::json!({"run": run, "replaced": replaced});
        by.did(store, "schedule.trigger", &id, detail(words)).await;
    }
    Ok(TriggerOutcome::Submitted(outcome))
}

/// Cancels what has started, after the new run is safely stored; answers how many.
async fn cancel_others(
    store: &dyn Store,
    by: &By,
    schedule: &Schedule,
    new: RunId,
    admission: Admission,
) -> Result<usize> {
    let statuses = vec![Status::Running, Status::Retrying];
    let filter = RunFilter { statuses, schedule: Some(schedule.id), ..RunFilter::default() };
    let under_way = store.runs(&by.workspace, &filter, &Page::first(REPLACED)).await?.data;
    let ids: Vec<RunId> = under_way.iter().map(|run| run.id).filter(|id| *id != new).collect();
    if !ids.is_empty() {
        store.command(&by.workspace, &ids, Command::Cancel, admission).await?;
    }
    Ok(ids.len())
}
