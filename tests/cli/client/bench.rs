//! `runlane bench`.

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, QueueName, TaskName};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, Store};
use serde_json::Value;

use super::assert_said;
use crate::server::{Server, runlane_at};

/// No server listens there.
const NOWHERE: &str = "http://127.0.0.1:9";

#[tokio::test(flavor = "multi_thread")]
async fn a_bench_measures_through_the_api_and_leaves_nothing_behind() {
    let server = Server::start().await;
    let figures = server.json(&["bench", "--runs", "50", "--concurrency", "4", "--payload-bytes", "200"]).await;
    for name in ["submit_per_second", "submit_batch_per_second", "drain_per_second"] {
        assert!(figures[name].as_f64().is_some_and(|figure| figure > 0.0), "{name}: {figures}");
    }
    let pickup = &figures["pickup_ms"];
    assert!(pickup["p50"].as_f64() <= pickup["p99"].as_f64() && pickup["p99"].is_f64(), "{figures}");
    assert_eq!((&figures["runs"], &figures["concurrency"]), (&50.into(), &4.into()));
    assert_eq!((&figures["payload_bytes"], &figures["database"]), (&200.into(), &"sqlite".into()));
    let runs = server.json(&["runs", "list", "--queue", "bench", "--limit", "1"]).await;
    assert_eq!(runs["data"][0]["payload"].to_string().len(), 200);
    let left = server.json(&["runs", "list", "--queue", "bench", "--status", "queued,running"]).await;
    assert_eq!(left["data"].as_array().map(Vec::len), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_worker_there_is_nothing_to_measure() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["bench"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_measured_with_a_worker_of_its_own_that_leaves_other_work_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("runlane.db");
    let database = format!("sqlite:{}", file.display());
    let store = SqliteStore::open_and_migrate(&file, Clock::Database).await.expect("a store");
    let other = NewRun::of(TaskName::parse("echo").expect("a name"), Json::of(&()).expect("json"));
    store.submit(&[other], Admission::default()).await.expect("submitted");
    drop(store);
    let said = runlane_at(NOWHERE, &["bench", "--database", &database, "--runs", "50", "--json"], None).await;
    assert!(said.status.success(), "{}", said.err);
    let figures: Value = serde_json::from_str(&said.out).expect("figures");
    assert!(figures["drain_per_second"].as_f64() > Some(0.0) && figures["database"] == "sqlite", "{figures}");
    let store = SqliteStore::open(&file, Clock::Database).await.expect("a store");
    let live: Vec<_> =
        store.counts().await.expect("counts").into_iter().map(|count| (count.queue, count.runs)).collect();
    assert_eq!(live, [(QueueName::default(), 1)]);
    let tokens = store.tokens(None).await.expect("tokens");
    assert!(tokens.len() == 1 && tokens[0].revoked_at.is_some(), "the server asked for a token: {tokens:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_not_measured_before_it_was_migrated() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("empty.db");
    std::fs::File::create(&file).expect("a file");
    let said = runlane_at(NOWHERE, &["bench", "--database", &format!("sqlite:{}", file.display())], None).await;
    assert!(!said.status.success() && said.err.contains("runlane migrate"), "{}", said.err);
}
