//! Measures the stores: `make bench-store`.
mod cycle;
mod database;

use runlane::clock::Clock;
use runlane::store::postgres::PostgresStore;
use std::sync::Arc;

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let url = std::env::var("RUNLANE_TEST_POSTGRES").expect("run through scripts/with-postgres --durable");
    let runs: usize = std::env::var("RUNS").ok().and_then(|v| v.parse().ok()).unwrap_or(100_000);
    println!("{args:?}");
    for lanes in 1..=3usize {
        for batch in [500, 1000, 2000] {
            let url = database::create(&url).await;
            PostgresStore::migrate(&url).await.expect("migrate");
            let store = Arc::new(PostgresStore::connect(&url, Clock::Database).await.expect("connect"));
            let s = cycle::submit(store.clone(), runs, batch, lanes).await;
            database::vacuum(&url).await;
            let d = cycle::drain(store.clone(), runs, batch, lanes).await;
            println!("tasks {lanes} batch {batch}: submit {s:.0}/s drain {d:.0}/s");
        }
    }
}
