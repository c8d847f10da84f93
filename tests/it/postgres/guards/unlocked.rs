//! Without a single row lock: every `for update` and `for share` is taken out of the statements, and with them every `skip
//! locked`. Then only the guards of the writes, unique indexes and updates of rows keep transactions apart, as they must on a
//! database that takes no such hint. Slower, because more is decided again, and never wrong.

use std::path::Path;
use std::sync::Arc;

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::postgres::PostgresStore;

use super::super::fixture::Database;
use crate::concurrent::{Size, seed, verdict, workload};
use crate::mutants::sql::Edit;

const LOCKS: [&str; 3] = ["for update skip locked", "for update", "for share"];

/// What takes the locks out of all statements.
pub(crate) fn without_locks() -> Vec<Edit> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/postgres/sql");
    let mut edits = Vec::new();
    for file in std::fs::read_dir(folder).expect("the statements").map(|entry| entry.expect("readable").path()) {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned().leak();
        let mut text = std::fs::read_to_string(&file).expect("readable");
        for lock in LOCKS.into_iter().filter(|lock| text.contains(lock)).collect::<Vec<_>>() {
            // The longer one may have been all there was.
            if text.contains(lock) {
                edits.push((&*name, lock, ""));
                text = text.replace(lock, "");
            }
        }
    }
    edits
}

/// A store whose statements lock no rows, and have these other faults.
pub(crate) async fn unlocked(url: &str, clock: Clock, faults: &[Edit]) -> PostgresStore {
    let edits = [faults, &without_locks()].concat();
    PostgresStore::connect_sabotaged(url, clock, &edits).await.expect("a store")
}

#[test]
fn the_locks_are_found() {
    let edits = without_locks();
    for statement in
        ["lock_runs", "lock_finished", "lock_schedules", "lock_grants", "keyed_runs", "claim", "adopt", "renew"]
    {
        assert!(edits.iter().any(|(name, ..)| *name == statement), "{statement}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_row_locks_postgres_keeps_every_promise_under_concurrency() {
    let Some(database) = Database::empty().await else { return };
    let seed = seed();
    for round in 0..3 {
        database.clear().await;
        let store: Arc<dyn Store> = Arc::new(unlocked(&database.url, Clock::Database, &[]).await);
        let recording = workload(Arc::clone(&store), seed ^ round, Size::usual()).await;
        let mut found = verdict(&*store, &recording).await;
        // Without locks a verb may give up, which its caller is told; nothing was done then.
        found.retain(|broken| !broken.starts_with("the store failed: gave up"));
        assert!(found.is_empty(), "{found:#?}");
    }
}
