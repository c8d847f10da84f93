//! What people and programs outside ask of runs.

use std::collections::BTreeSet;

use super::apply::lane_of;
use super::lanes::lock_and_promote_fronts;
use super::submit::submit_one;
use super::{Change, Tx, apply};
use crate::run::lifecycle::{self, Command, CommandOutcome};
use crate::run::{Run, RunId, WorkspaceName};
use crate::store::{Admission, RerunOutcome, Result, SubmitOutcome};

/// One run after the other, since what happens to one may change what another may do.
pub(in crate::store) async fn command<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    runs: &[RunId],
    command: Command,
    admission: Admission,
) -> Result<Vec<CommandOutcome>> {
    if command == Command::Resume {
        is_full(tx, admission).await?;
    }
    let mut outcomes = Vec::new();
    for run in runs {
        outcomes.push(command_one(tx, workspace, *run, command, admission).await?);
    }
    Ok(outcomes)
}

async fn command_one<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    id: RunId,
    command: Command,
    admission: Admission,
) -> Result<CommandOutcome> {
    let Some(before) = lock(tx, workspace, id).await? else { return Ok(CommandOutcome::NotFound) };
    let waits = tx.waiting(&[id]).await?.contains(&id);
    let now = tx.now().await?;
    let lanes: BTreeSet<_> = lane_of(&before).into_iter().collect();
    let (changes, outcome) = match lifecycle::command(before.clone(), command, waits, now) {
        Ok((_, CommandOutcome::Dismissed)) => {
            let held = tx.delete_holds(&[id]).await?.contains(&id);
            (Vec::new(), if held { CommandOutcome::Dismissed } else { CommandOutcome::NotHolding })
        }
        Ok((_, CommandOutcome::Resumed)) if before.status().is_terminal() && is_full(tx, admission).await? => {
            (Vec::new(), CommandOutcome::QueueFull)
        }
        Ok((step, outcome)) => (vec![Change { before, step }], outcome),
        Err(refused) => (Vec::new(), refused),
    };
    apply(tx, changes, lanes, now).await?;
    Ok(outcome)
}

/// Also takes the admission lock, which comes before all others.
async fn is_full<T: Tx>(tx: &mut T, admission: Admission) -> Result<bool> {
    Ok(match admission.queue_size {
        Some(size) => tx.count_live().await? >= size,
        None => false,
    })
}

/// The run, live or finished. A run moves from one to the other in one transaction: one that is not live at the first read and not in
/// history at the second was resumed in between, or does not exist.
async fn lock<T: Tx>(tx: &mut T, workspace: &WorkspaceName, id: RunId) -> Result<Option<Run>> {
    if let Some(run) = tx.lock_runs(&[id]).await?.pop() {
        return Ok(Some(run).filter(|run| run.workspace == *workspace));
    }
    if let Some(run) = tx.lock_finished(workspace, &[id]).await?.pop() {
        return Ok(Some(run));
    }
    // Resumed between the two reads.
    Ok(tx.lock_runs(&[id]).await?.pop().filter(|run| run.workspace == *workspace))
}

pub(in crate::store) async fn rerun<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    run: RunId,
    id: RunId,
    admission: Admission,
) -> Result<RerunOutcome> {
    is_full(tx, admission).await?;
    let Some(old) = lock(tx, workspace, run).await? else { return Ok(RerunOutcome::NotFound) };
    let lanes: BTreeSet<_> = lane_of(&old).into_iter().collect();
    let request = lifecycle::rerun(&old, id);
    let outcome = submit_one(tx, &request, admission).await?;
    lock_and_promote_fronts(tx, &lanes).await?;
    Ok(RerunOutcome::Submitted(outcome))
}

/// As [`rerun`], after a commit that was not answered: the new run may be there already.
pub(in crate::store) async fn rerun_again<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    run: RunId,
    id: RunId,
    admission: Admission,
) -> Result<RerunOutcome> {
    let outcome = rerun(tx, workspace, run, id, admission).await?;
    if outcome != RerunOutcome::Submitted(SubmitOutcome::DuplicateId) {
        return Ok(outcome);
    }
    let (old, new) = (tx.run(workspace, run).await?, tx.run(workspace, id).await?);
    let made = old.zip(new).is_some_and(|(old, new)| lifecycle::rerun(&old, id).made(&new));
    Ok(if made { RerunOutcome::Submitted(SubmitOutcome::Created) } else { outcome })
}
