//! The walk of one run through the API, on each database.

use reqwest::StatusCode;
use serde_json::json;

use super::Site;

#[tokio::test]
async fn a_run_can_be_followed_from_submission_to_outcome() {
    walk(&Site::new().await).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_run_can_be_followed_from_submission_to_outcome_on_postgres() {
    let Some(database) = crate::postgres::fixture::Database::empty().await else { return };
    let store = runlane::store::postgres::PostgresStore::connect(&database.url, runlane::clock::Clock::Database).await;
    walk(&Site::on(std::sync::Arc::new(store.expect("a store")), |_| {}).await).await;
}

async fn walk(site: &Site) {
    let id = site.submit(json!({"task": "resize", "payload": {"width": 100}, "lane": "l", "key": "k"})).await;
    let path = |rest: &str| format!("/v1/runs/{id}{rest}");
    assert_eq!(site.get("/v1/runs?status=queued").await.body["data"][0]["id"], json!(id));
    assert_eq!(site.get("/v1/queues").await.body["data"][0]["waiting"], 1);
    assert_eq!(site.get(&path("/explain")).await.body["reasons"][0]["code"], "no_worker");
    let claimed = site.claim().await;
    site.say(claimed.lease(), "resized").await;
    let running = site.get(&path("")).await.body;
    assert_eq!((&running["status"], &running["attempt"]), (&json!("running"), &json!(1)));
    assert_eq!(site.get("/v1/lanes").await.body["data"][0]["occupant"], json!(id));
    site.succeed(claimed.lease(), json!({"bytes": 4096})).await;
    let done = site.get(&path("")).await.body;
    assert_eq!((&done["status"], &done["output"]), (&json!("succeeded"), &json!({"bytes": 4096})));
    assert_eq!(site.get(&path("/events")).await.body["data"][0]["data"]["text"], "resized");
    assert_eq!(site.get(&path("/attempts")).await.body["data"][0]["status"], "succeeded");
    let again = site.tell(&path("/rerun")).await;
    assert_eq!((again.status, &again.body["payload"]), (StatusCode::CREATED, &json!({"width": 100})));
    assert_eq!(site.tell("/v1/queues/default/pause").await.body["paused"], true);
    assert_eq!(site.get("/v1/audit").await.body["data"].as_array().map(Vec::len), Some(2));
    assert_eq!(site.get("/readyz").await.status, StatusCode::OK);
}
