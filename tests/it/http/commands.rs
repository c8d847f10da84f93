//! Commanding runs.

use reqwest::StatusCode;
use serde_json::json;

use super::Site;

#[tokio::test]
async fn a_cancel_says_whether_it_is_done_or_was_asked_for() {
    let site = Site::new().await;
    let waiting = site.submit(json!({"task": "t"})).await;
    let cancelled = site.tell(&format!("/v1/runs/{waiting}/cancel")).await;
    assert_eq!((cancelled.status, &cancelled.body["status"]), (StatusCode::OK, &json!("cancelled")));
    let again = site.tell(&format!("/v1/runs/{waiting}/cancel")).await;
    again.is_problem("status_conflict");

    let running = site.submit(json!({"task": "t"})).await;
    let lease = site.claim().await.lease();
    let asked = site.tell(&format!("/v1/runs/{running}/cancel")).await;
    assert_eq!((asked.status, &asked.body["status"]), (StatusCode::ACCEPTED, &json!("running")));
    assert_eq!(asked.body["cancel_requested"], true);
    assert_eq!(asked.body["lease"]["epoch"], 1);
    site.succeed(lease, json!(null)).await;
    site.tell(&format!("/v1/runs/{running}/cancel")).await.is_problem("status_conflict");
}

#[tokio::test]
async fn a_run_can_be_paused_and_resumed() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t"})).await;
    let path = |verb: &str| format!("/v1/runs/{id}/{verb}");
    assert_eq!(site.tell(&path("pause")).await.body["status"], "paused");
    assert_eq!(site.tell(&path("resume")).await.body["status"], "queued");
    site.tell(&path("resume")).await.is_problem("status_conflict");
    site.claim().await;
    let asked = site.tell(&path("pause")).await;
    assert_eq!((asked.status, &asked.body["cancel_requested"]), (StatusCode::ACCEPTED, &json!(false)));
}

#[tokio::test]
async fn a_pending_run_waits_to_be_enqueued() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t", "hold": true})).await;
    assert_eq!(site.tell(&format!("/v1/runs/{id}/enqueue")).await.body["status"], "queued");
    site.tell(&format!("/v1/runs/{id}/enqueue")).await.is_problem("status_conflict");
}

#[tokio::test]
async fn a_rerun_is_a_new_run_of_the_same_work() {
    let site = Site::new().await;
    let old = site.submit(json!({"task": "t", "payload": {"a": 1}, "lane": "l"})).await;
    let claimed = site.claim().await;
    site.fail(claimed.lease()).await;
    let new = site.tell(&format!("/v1/runs/{old}/rerun")).await;
    assert_eq!((new.status, &new.body["status"]), (StatusCode::CREATED, &json!("queued")));
    assert_eq!((&new.body["payload"], &new.body["lane"]), (&json!({"a": 1}), &json!("l")));
    assert_ne!(new.body["id"], json!(old));
    assert_eq!(site.get(&format!("/v1/runs/{old}")).await.body["status"], "failed");
}

#[tokio::test]
async fn a_failed_run_holds_its_lane_until_it_is_dismissed_or_the_lane_released() {
    let site = Site::new().await;
    let set = site.patch("/v1/lanes/customer%2F17", json!({"policy": "hold"})).await;
    assert_eq!(set.body, json!({"name": "customer/17", "policy": "hold"}));
    for release in ["dismiss", "release"] {
        let failing = site.submit(json!({"task": "t", "lane": "customer/17"})).await;
        let next = site.submit(json!({"task": "t", "lane": "customer/17"})).await;
        let claimed = site.claim().await;
        site.fail(claimed.lease()).await;
        let lanes = site.get("/v1/lanes").await.body;
        assert_eq!(lanes["data"][0]["held_by"], json!([failing]));
        assert_eq!((&lanes["data"][0]["policy"], &lanes["data"][0]["waiting"]), (&json!("hold"), &json!(1)));
        assert_eq!(site.get(&format!("/v1/runs/{next}")).await.body["blocked_by"], "lane");
        if release == "dismiss" {
            assert_eq!(site.tell(&format!("/v1/runs/{failing}/dismiss")).await.status, StatusCode::OK);
            site.tell(&format!("/v1/runs/{failing}/dismiss")).await.is_problem("not_holding");
        } else {
            assert_eq!(site.tell("/v1/lanes/customer%2F17/release").await.body, json!({"released": 1}));
        }
        let claimed = site.claim().await;
        assert_eq!(claimed.run.id.to_string(), next);
        site.succeed(claimed.lease(), json!(null)).await;
    }
}

#[tokio::test]
async fn attempts_are_listed_with_their_ends() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t", "max_attempts": 1})).await;
    let path = format!("/v1/runs/{id}/attempts");
    assert_eq!(site.get(&path).await.body, json!({"data": [], "next_cursor": null}));
    let claimed = site.claim().await;
    assert_eq!(site.get(&path).await.body["data"][0]["status"], json!(null));
    site.fail(claimed.lease()).await;
    let attempt = &site.get(&path).await.body["data"][0];
    assert_eq!((&attempt["number"], &attempt["status"]), (&json!(1), &json!("failed")));
    assert_eq!((&attempt["host"], &attempt["error"]["code"]), (&json!("here"), &json!("exit")));
}
