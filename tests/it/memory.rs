//! The reference model under the checker that judges the databases.

use std::sync::Arc;

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::memory::MemoryStore;

use crate::concurrent::{Size, seed, verdict, workload};
use crate::model::{cases, compare_with_model};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_model_keeps_every_promise_under_concurrency() {
    let store = Arc::new(MemoryStore::new(Clock::Database));
    let recording = workload(store.clone(), seed(), Size::usual()).await;
    let found = verdict(&*store, &recording).await;
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_model_agrees_with_itself() {
    let make = |clock| async move { Arc::new(MemoryStore::new(Clock::Manual(clock))) as Arc<dyn Store> };
    compare_with_model(make, cases(), 40);
}
