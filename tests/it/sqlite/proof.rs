//! The SQLite store under the proof machinery: the model, the concurrent workload, and faults of its statements.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::sqlite::SqliteStore;

use crate::concurrent::{Size, seed, verdict, workload};
use crate::model::{cases, compare_with_model};
use crate::mutants::all_are_reported;
use crate::mutants::sql::SQLITE;

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
