//! Claims whose commit is not answered: the worker holds runs that it does not know of.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use runlane::clock::Clock;
use runlane::executor::native::TaskError;
use runlane::run::{NewRun, Status, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, Store};
use runlane::worker::{Settings, Worker};

use super::{Working, quick, request};
use crate::postgres::faults::{COMMIT, Cut, Proxy};
use crate::postgres::fixture::Database;

/// So long that nobody waits for it here.
const LEASE: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_whose_commit_was_not_answered_is_found_again_at_once_and_burns_no_attempt() {
    let Some(database) = Database::empty().await else { return };
    let proxy = Proxy::before(&database, COMMIT, Cut::After).await;
    let direct = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let store: Arc<dyn Store> = Arc::new(PostgresStore::connect(&proxy.url, Clock::Database).await.expect("a store"));
    // Nothing but claims and outcomes commits.
    let settings = Settings { lease_ttl: LEASE, heartbeat: LEASE / 3, poll: LEASE, ..quick() };
    let worker = Worker::builder(store)
        .settings(settings)
        .without_maintenance()
        .task("echo", |_, (): ()| async move { Ok::<_, TaskError>(()) });
    let working = Working::start(worker);
    let mut found_again = false;
    // The next commit may be that of the run before.
    for _ in 0..100 {
        let run = NewRun { max_attempts: std::num::NonZeroU16::MIN, ..request("echo", "null") };
        proxy.armed.store(true, Ordering::SeqCst);
        direct.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submitted");
        let ended = until_ended(&direct, &run).await;
        assert_eq!((ended.status(), ended.attempt), (Status::Succeeded, 1));
        found_again = ended.epoch > 1;
        if found_again {
            break;
        }
    }
    working.stop().await;
    assert!(found_again, "no claim was cut");
}

async fn until_ended(store: &PostgresStore, run: &NewRun) -> runlane::run::Run {
    let ended = async {
        loop {
            let seen = store.run(&WorkspaceName::default(), run.id).await.expect("a read").expect("a run");
            if seen.status().is_terminal() {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("it is found again long before its lease ends")
}
