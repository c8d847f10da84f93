//! `runlane bench`.

use super::assert_said;
use crate::server::Server;

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
