//! What was acknowledged is there after the file is opened again, and only that.

use futures::future::join_all;
use runlane::clock::Clock;
use runlane::run::{Status, WorkerId};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, FinishOutcome, Store, StoreError, SubmitOutcome};

use super::{Place, a_run, claim, noon, success};

#[tokio::test]
async fn runs_and_outcomes_survive_a_restart() {
    let (place, clock) = (Place::new(), noon());
    let store = place.open(Clock::Manual(clock.clone())).await;
    let runs = [a_run(), a_run(), a_run()];
    store.submit(&runs, Admission::default()).await.expect("a submission");
    let first = claim(&store, 1).await.runs.remove(0);
    assert_eq!(first.run.id, runs[0].id);
    let outcome = store.finish(&[success(first.lease())]).await.expect("an outcome");
    assert_eq!(outcome, [FinishOutcome::Accepted(Status::Succeeded)]);
    let second = claim(&store, 1).await.runs.remove(0);
    let workspace = runs[0].workspace.clone();
    let before = store.run(&workspace, second.run.id).await.expect("a read");
    drop(store);

    let store = SqliteStore::open(place.file(), Clock::Manual(clock)).await.expect("the same file");
    let status = async |at: usize| store.run(&workspace, runs[at].id).await.expect("a read").map(|run| run.status());
    assert_eq!(status(0).await, Some(Status::Succeeded));
    assert_eq!(status(1).await, Some(Status::Running));
    assert_eq!(status(2).await, Some(Status::Queued));
    assert_eq!(store.run(&workspace, second.run.id).await.expect("a read"), before);
    let outcome = store.finish(&[success(second.lease())]).await.expect("an outcome");
    assert_eq!(outcome, [FinishOutcome::Accepted(Status::Succeeded)]);
}

#[tokio::test]
async fn numbers_are_not_given_twice_even_after_the_last_run_is_gone() {
    let place = Place::new();
    let store = place.open(Clock::Database).await;
    store.submit(&[a_run()], Admission::default()).await.expect("a submission");
    let first = claim(&store, 1).await.runs.remove(0);
    store.finish(&[success(first.lease())]).await.expect("an outcome");
    drop(store);
    let store = SqliteStore::open(place.file(), Clock::Database).await.expect("the same file");
    store.submit(&[a_run()], Admission::default()).await.expect("a submission");
    assert!(claim(&store, 1).await.runs[0].run.seq > first.run.seq);
}

#[tokio::test]
async fn a_verb_that_fails_takes_no_other_with_it() {
    let place = Place::new();
    SqliteStore::migrate(place.file()).await.expect("a migration");
    let faults = [("drain", "update workers", "update nobody")];
    let store = SqliteStore::open_sabotaged(place.file(), Clock::Database, &faults).await.expect("a store");
    let runs: Vec<_> = (0..50).map(|_| [a_run()]).collect();
    let submissions = join_all(runs.iter().map(|run| store.submit(run, Admission::default())));
    let failures = join_all((0..50).map(|_| store.drain(WorkerId::new())));
    let (submitted, failed) = futures::future::join(submissions, failures).await;
    assert!(submitted.into_iter().all(|outcome| outcome.is_ok_and(|o| o == [SubmitOutcome::Created])));
    assert!(failed.into_iter().all(|result| matches!(result, Err(StoreError::Database { doing: "drain", .. }))));
    assert_eq!(claim(&store, 100).await.runs.len(), 50);
}
