//! Many callers at once.

use std::collections::BTreeSet;

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::json;

use super::Site;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_callers_fill_a_bounded_queue_exactly() {
    let site = Site::with(|api| api.admission.queue_size = Some(500)).await;
    fills_exactly(&site).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_callers_fill_a_bounded_queue_exactly_on_postgres() {
    let Some(database) = crate::postgres::fixture::Database::empty().await else { return };
    let store = runlane::store::postgres::PostgresStore::connect(&database.url, runlane::clock::Clock::Database).await;
    let site = Site::on(std::sync::Arc::new(store.expect("a store")), |api| api.admission.queue_size = Some(500)).await;
    fills_exactly(&site).await;
    // Rows of one transaction have the same xmin.
    let commits = database.lines("select count(distinct xmin::text)::text from runlane.runs").await;
    let commits: u32 = commits[0].parse().expect("a number");
    assert!(commits <= 100, "500 runs came in {commits} transactions");
}

async fn fills_exactly(site: &Site) {
    let answers = join_all((0..1000).map(|n| site.post("/v1/runs", json!({"task": "t", "payload": n})))).await;
    let created: BTreeSet<_> =
        answers.iter().filter(|a| a.status == StatusCode::CREATED).map(|a| a.body["id"].to_string()).collect();
    assert_eq!(created.len(), 500);
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status != StatusCode::CREATED).collect();
    assert_eq!(refused.len(), 500);
    for answer in refused {
        assert_eq!(answer.is_problem("run_queue_full").status, StatusCode::TOO_MANY_REQUESTS);
        assert!(answer.header("retry-after").parse::<u32>().is_ok());
    }
    let live: u64 = site.store.counts().await.expect("counts").iter().map(|count| count.runs).sum();
    assert_eq!(live, 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_makes_one_run_however_many_ask_at_once() {
    let site = Site::new().await;
    let ask = || {
        let request = site.request(reqwest::Method::POST, "/v1/runs").header("idempotency-key", "k");
        super::Answer::of(request.json(&json!({"task": "t"})))
    };
    let answers = join_all((0..100).map(|_| ask())).await;
    let ids: BTreeSet<_> = answers.iter().map(|answer| answer.body["id"].to_string()).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == StatusCode::CREATED).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == StatusCode::OK).count(), 99);
}
