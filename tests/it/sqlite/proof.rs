//! The SQLite store under the proof machinery: the model, the concurrent workload, and faults of its statements.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use runlane::clock::Clock;
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, NewRun, Status, TaskName, WorkerId, WorkspaceName};
use runlane::schedule::Overlap;
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, ClaimRequest, Finish, Page, RunFilter, Store};

use crate::concurrent::{Size, seed, verdict, workload};
use crate::model::{cases, compare_with_model};
use crate::mutants::all_are_reported;
use crate::mutants::sql::SQLITE;
use crate::schedules::support::{any_task, every, schedule, spec};

/// A directory of files that do not exist yet.
struct Files {
    dir: tempfile::TempDir,
    count: AtomicUsize,
}

impl Files {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a directory can be made"), count: AtomicUsize::new(0) }
    }

    fn next(&self) -> PathBuf {
        self.dir.path().join(format!("{}.db", self.count.fetch_add(1, Ordering::Relaxed)))
    }
}

async fn store(path: PathBuf, clock: Clock) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_and_migrate(path, clock).await.expect("a store can be made"))
}

#[test]
fn sqlite_agrees_with_the_model() {
    let files = Files::new();
    compare_with_model(|clock| store(files.next(), Clock::Manual(clock)), cases(), 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_every_promise_under_concurrency() {
    let files = Files::new();
    let store = store(files.next(), Clock::Database).await;
    let recording = workload(store.clone(), seed(), Size::usual()).await;
    let found = verdict(&*store, &recording).await;
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_of_a_sqlite_statement_is_reported() {
    let files = Files::new();
    all_are_reported(SQLITE.iter().map(|mutant| (*mutant, mutant.sign())), async |mutant, clock| {
        let path = files.next();
        SqliteStore::migrate(&path).await.expect("a file can be made");
        let store = SqliteStore::open_sabotaged(&path, clock, &mutant.edits()).await;
        Arc::new(store.expect("a broken store can be opened")) as Arc<dyn Store>
    })
    .await;
}

/// SQLite has one writer, so no decision is overtaken, and guards against that cannot be shown to count. Those of a plain end
/// choose the way that the end takes.
#[tokio::test]
async fn a_plain_end_leaves_runs_that_others_wait_for_and_runs_of_schedules_to_the_long_way() {
    let files = Files::new();
    for (guard, chained) in [(" and awaited = 0", false), (" and schedule_id is null", true)] {
        for faults in [&[][..], &[("finish_plain", guard, "")]] {
            let path = files.next();
            SqliteStore::migrate(&path).await.expect("a file can be made");
            let store = SqliteStore::open_sabotaged(&path, Clock::Database, faults).await.expect("a store");
            let goes_on = if chained { brings_the_next_slot(&store).await } else { frees_who_waits(&store).await };
            assert_eq!(goes_on, faults.is_empty(), "{guard}");
        }
    }
}

fn a_run() -> NewRun {
    NewRun::of(TaskName::parse("work").expect("a name"), Json::null())
}

/// Ends the one run that can be claimed.
async fn succeed(store: &dyn Store) {
    let taker = Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") };
    let claimed = store.claim(&ClaimRequest::of(taker, 10)).await.expect("a claim").runs;
    assert_eq!(claimed.len(), 1);
    let finish = Finish::of(claimed[0].lease(), Outcome::Succeeded { output: None });
    store.finish(&[finish]).await.expect("finished");
}

async fn frees_who_waits(store: &dyn Store) -> bool {
    let upstream = a_run();
    let waiting = NewRun { after: vec![upstream.id], ..a_run() };
    let id = waiting.id;
    store.submit(&[upstream, waiting], Admission::default()).await.expect("submitted");
    succeed(store).await;
    let run = store.run(&WorkspaceName::default(), id).await.expect("a read").expect("a run");
    run.blocked_by().is_none()
}

async fn brings_the_next_slot(store: &dyn Store) -> bool {
    let grant = any_task();
    store.create_grant(&grant).await.expect("a grant");
    let spec = spec("work", every(1, Timestamp::UNIX_EPOCH), Overlap::Forbid);
    let schedule = schedule(store, spec, grant.id).await;
    while store.promote(10).await.expect("promoted").runs == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    succeed(store).await;
    let filter = RunFilter { schedule: Some(schedule.id), statuses: vec![Status::Queued], ..RunFilter::default() };
    let waiting = store.runs(&WorkspaceName::default(), &filter, &Page::first(10)).await.expect("runs");
    !waiting.data.is_empty()
}
