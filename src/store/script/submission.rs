//! Submits runs and, if the commit was not answered, finds out whether they were stored.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use super::database::OnLostCommit::{Repeat, Report};
use super::submit::{submit, submit_checked};
use super::{Database, Tx};
use crate::run::{KeyMode, NewRun, Run, RunId, WorkspaceName};
use crate::store::{Admission, Result, StoreError, Submission, SubmitOutcome};

/// Stores new runs, in a transaction of their own.
pub(in crate::store) async fn submission<D: Database>(
    database: &D,
    runs: &[NewRun],
    admission: Admission,
) -> Result<Submission> {
    // Only the very first try may go without reading which ids are taken.
    let tried = AtomicBool::new(false);
    let submitted = database.write("submit", Report, runs, move |tx, runs| match tried.swap(true, Ordering::Relaxed) {
        false => Box::pin(submit(tx, runs, admission)),
        true => Box::pin(submit_checked(tx, runs, admission)),
    });
    match submitted.await {
        // The run that a request replaced may have started since: replacing it once more could submit the work twice.
        Err(StoreError::Ambiguous(_)) if !runs.iter().any(replaces) => {
            // From here on they may have been stored, whatever else goes wrong.
            submit_again(database, runs, admission).await.map_err(StoreError::still_ambiguous)
        }
        answer => answer,
    }
}

fn replaces(request: &NewRun) -> bool {
    request.key.as_ref().is_some_and(|(_, mode)| *mode != KeyMode::Keep)
}

/// Submits runs whose first commit was not answered. What that stored after all is recognised by its content: an id that somebody
/// else has used stays a duplicate.
async fn submit_again<D: Database>(database: &D, runs: &[NewRun], admission: Admission) -> Result<Submission> {
    let submitted =
        database.write("submit", Repeat, runs, move |tx, runs| Box::pin(submit_checked(tx, runs, admission)));
    let mut again = submitted.await?;
    let is_taken = |(_, outcome): &(&NewRun, &SubmitOutcome)| **outcome == SubmitOutcome::DuplicateId;
    let taken: BTreeSet<(WorkspaceName, RunId)> =
        runs.iter().zip(&again.outcomes).filter(is_taken).map(|(run, _)| (run.workspace.clone(), run.id)).collect();
    let mut stored = HashMap::new();
    if !taken.is_empty() {
        let taken: Vec<_> = taken.into_iter().collect();
        stored = database.write("submit", Repeat, &taken[..], |tx, ids| Box::pin(stored_runs(tx, ids))).await?;
    }
    recognise(runs, &stored, &mut again);
    Ok(again)
}

/// The runs with these ids, live or finished.
async fn stored_runs<T: Tx>(tx: &mut T, ids: &[(WorkspaceName, RunId)]) -> Result<HashMap<RunId, Run>> {
    let wanted: BTreeSet<RunId> = ids.iter().map(|(_, id)| *id).collect();
    let live = tx.lock_runs(&wanted.into_iter().collect::<Vec<_>>()).await?;
    let mut found: HashMap<RunId, Run> = live.into_iter().map(|run| (run.id, run)).collect();
    for of_one in ids.chunk_by(|(one, _), (next, _)| one == next) {
        let missing: Vec<RunId> = of_one.iter().map(|(_, id)| *id).filter(|id| !found.contains_key(id)).collect();
        if !missing.is_empty() {
            let finished = tx.lock_finished(&of_one[0].0, &missing).await?;
            found.extend(finished.into_iter().map(|run| (run.id, run)));
        }
    }
    Ok(found)
}

/// Corrects the outcomes of those that the first try created. Nobody knows when that was.
fn recognise(runs: &[NewRun], stored: &HashMap<RunId, Run>, again: &mut Submission) {
    let mut seen = HashSet::new();
    for (request, outcome) in runs.iter().zip(&mut again.outcomes) {
        // Of several with the same id in one batch, only the first can have been created.
        let is_first = seen.insert(request.id);
        let created = match outcome {
            SubmitOutcome::DuplicateId => stored.get(&request.id).is_some_and(|run| request.made(run)),
            SubmitOutcome::Existing(id) => *id == request.id,
            _ => false,
        };
        if is_first && created {
            *outcome = SubmitOutcome::Created;
            again.at = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::lifecycle;
    use crate::run::{Json, TaskName};
    use SubmitOutcome::{Created, DuplicateId, Existing};
    use jiff::Timestamp;

    fn a_request(payload: &str) -> NewRun {
        NewRun::of(TaskName::parse("work").expect("a name"), Json::parse(payload).expect("JSON"))
    }

    /// What becomes of these answers, where these runs are stored.
    fn recognised(runs: &[NewRun], stored: &[&NewRun], outcomes: &[SubmitOutcome]) -> Submission {
        let run = |request: &&NewRun| (request.id, lifecycle::submit(request, 1, false, Timestamp::UNIX_EPOCH));
        let mut again = Submission { outcomes: outcomes.to_vec(), at: Some(Timestamp::MAX) };
        recognise(runs, &stored.iter().map(run).collect(), &mut again);
        again
    }

    #[test]
    fn what_the_first_try_stored_was_created_by_it_nobody_knows_when() {
        let runs = [a_request("1"), a_request("2")];
        let settled = recognised(&runs, &[&runs[0], &runs[1]], &[DuplicateId, Existing(runs[1].id)]);
        assert_eq!(settled, Submission { outcomes: vec![Created, Created], at: None });
    }

    #[test]
    fn an_id_that_somebody_else_took_stays_a_duplicate() {
        let runs = [a_request("1"), a_request("2")];
        let others = NewRun { id: runs[1].id, ..a_request("3") };
        let settled = recognised(&runs, &[&runs[0], &others], &[DuplicateId, DuplicateId]);
        assert_eq!(settled.outcomes, [Created, DuplicateId]);
        let settled = recognised(&runs, &[&others], &[Created, DuplicateId]);
        assert_eq!(settled, Submission { outcomes: vec![Created, DuplicateId], at: Some(Timestamp::MAX) });
    }

    #[test]
    fn of_two_requests_with_one_id_only_the_first_was_created() {
        let run = a_request("1");
        let settled = recognised(&[run.clone(), run.clone()], &[&run], &[DuplicateId, DuplicateId]);
        assert_eq!(settled.outcomes, [Created, DuplicateId]);
    }
}
