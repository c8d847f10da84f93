//! The PostgreSQL store under the proof machinery: the model, the concurrent workload in one process and in several,
//! and faults of its statements.

use std::sync::Arc;

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::postgres::PostgresStore;

use super::fixture::Database;
use crate::chaos::chaos;
use crate::concurrent::{Size, seed, verdict, workload};
use crate::model::{cases, compare_with_model};
use crate::mutants::sql::{POSTGRES, POSTGRES_RACES};
use crate::mutants::{all_are_reported, is_reported_under_load};

async fn store(url: &str, clock: Clock) -> Arc<dyn Store> {
    Arc::new(PostgresStore::connect(url, clock).await.expect("a store can be made"))
}

#[test]
fn postgres_agrees_with_the_model() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime can be made");
    let Some(database) = runtime.block_on(Database::empty()) else { return };
    let fresh = |clock| {
        let database = &database;
        async move {
            database.clear().await;
            // Not listening, so that each signal is due to the step before it.
            store(&format!("{}?listen=false", database.url), Clock::Manual(clock)).await
        }
    };
    compare_with_model(fresh, cases(), 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_keeps_every_promise_under_concurrency() {
    let Some(database) = Database::empty().await else { return };
    let store = store(&database.url, Clock::Database).await;
    let recording = workload(store.clone(), seed(), Size::usual()).await;
    let found = verdict(&*store, &recording).await;
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_share_a_database_keep_every_promise_when_one_is_killed() {
    let Some(database) = Database::empty().await else { return };
    let url = database.url.clone();
    let found = tokio::task::spawn_blocking(move || chaos(&url, 3)).await.expect("the processes end");
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_of_a_postgres_statement_is_reported() {
    let Some(database) = Database::empty().await else { return };
    all_are_reported(POSTGRES.iter().map(|mutant| (*mutant, mutant.sign())), async |mutant, clock| {
        database.clear().await;
        let store = PostgresStore::connect_sabotaged(&database.url, clock, &mutant.edits()).await;
        Arc::new(store.expect("a broken store can be opened")) as Arc<dyn Store>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_that_only_a_race_shows_is_reported() {
    let Some(database) = Database::empty().await else { return };
    for mutant in POSTGRES_RACES {
        let reported = is_reported_under_load(mutant.breaks, seed(), async || {
            database.clear().await;
            let store = PostgresStore::connect_sabotaged(&database.url, Clock::Database, &mutant.edits()).await;
            Arc::new(store.expect("a broken store can be opened")) as Arc<dyn Store>
        });
        assert_eq!(reported.await, Ok(()), "{mutant:?}");
    }
}
