//! Queues, workers, workspaces, health.

use std::sync::Arc;

use reqwest::{Method, StatusCode};
use runlane::run::{HostName, QueueName, TaskName, WorkerId};
use runlane::store::{QueueLimit, WorkerInfo};
use serde_json::json;

use super::{Answer, Site};

#[tokio::test]
async fn a_queue_can_be_paused_limited_and_let_go() {
    let site = Site::new().await;
    site.submit(json!({"task": "t", "queue": "images"})).await;
    let settings = |paused: bool, limit| json!({"name": "images", "paused": paused, "concurrency": limit});
    assert_eq!(site.tell("/v1/queues/images/pause").await.body, settings(true, json!(null)));
    let set = site.patch("/v1/queues/images", json!({"concurrency": 4})).await;
    assert_eq!(set.body, settings(true, json!(4)));
    let list = site.get("/v1/queues").await.body;
    let expected = json!([{"name": "images", "paused": true, "concurrency": 4, "running": 0, "waiting": 1}]);
    assert_eq!(list["data"], expected);
    assert_eq!(site.tell("/v1/queues/images/resume").await.body, settings(false, json!(4)));
    let lifted = site.patch("/v1/queues/images", json!({"concurrency": null})).await;
    assert_eq!(lifted.body, settings(false, json!(null)));
    let refused = site.patch("/v1/queues/images", json!({"concurrency": 4_000_000_000u32})).await;
    assert_eq!(refused.is_problem("invalid_field").body["field"], "concurrency");
}

#[tokio::test]
async fn a_worker_is_listed_and_can_be_asked_to_leave() {
    let site = Site::new().await;
    let host = HostName::parse("here").expect("a name");
    let limits = vec![QueueLimit { queue: QueueName::default(), concurrency: 2, busy: 1 }];
    let tasks = Some(vec![TaskName::parse("resize").expect("a name")]);
    let info = WorkerInfo { busy: 1, limits, tasks, ..WorkerInfo::new(WorkerId::new(), host, 4) };
    site.store.heartbeat(&info).await.expect("a heartbeat");
    let worker = site.get("/v1/workers").await.body["data"][0].clone();
    assert_eq!((&worker["id"], &worker["draining"]), (&json!(info.id.to_string()), &json!(false)));
    assert_eq!((&worker["state"], &worker["tasks"]), (&json!("working"), &json!(["resize"])));
    assert_eq!(worker["queue_limits"], json!([{"queue": "default", "concurrency": 2, "busy": 1}]));
    let drained = site.tell(&format!("/v1/workers/{}/drain", info.id)).await;
    assert_eq!((drained.status, &drained.body["draining"]), (StatusCode::ACCEPTED, &json!(true)));
    assert_eq!(drained.body["state"], "draining");
    assert!(drained.body["draining_since"].is_string());
    site.store.leave(info.id).await.expect("an answer");
    assert_eq!(site.get("/v1/workers").await.body["data"], json!([]));
    let gone = site.tell(&format!("/v1/workers/{}/drain", info.id)).await;
    assert_eq!((gone.status, &gone.body["state"]), (StatusCode::OK, &json!("left")));
    assert!(gone.body["left_at"].is_string());
    for id in [WorkerId::new().to_string(), "nobody".to_owned()] {
        site.tell(&format!("/v1/workers/{id}/drain")).await.is_problem("worker_not_found");
    }
}

#[tokio::test]
async fn workspaces_keep_apart() {
    let site = Site::new().await;
    let made = site.post("/v1/workspaces", json!({"name": "acme"})).await;
    assert_eq!((made.status, made.body), (StatusCode::CREATED, json!({"name": "acme"})));
    assert_eq!(site.post("/v1/workspaces", json!({"name": "acme"})).await.status, StatusCode::OK);
    let list = site.get("/v1/workspaces").await.body;
    assert_eq!(list["data"], json!([{"name": "acme"}, {"name": "default"}]));

    let there = |method: Method, path: &str| site.request(method, path).header("x-runlane-workspace", "acme");
    let run = Answer::of(there(Method::POST, "/v1/runs").json(&json!({"task": "t"}))).await.body;
    assert_eq!(run["workspace"], "acme");
    let path = format!("/v1/runs/{}", run["id"].as_str().expect("an id"));
    assert_eq!(Answer::of(there(Method::GET, &path)).await.status, StatusCode::OK);
    site.get(&path).await.is_problem("run_not_found");
    site.tell(&format!("{path}/cancel")).await.is_problem("run_not_found");
    assert_eq!(site.get("/v1/runs").await.body["data"], json!([]));
}

#[tokio::test]
async fn health_and_readiness_are_told_apart() {
    let site = Site::with(|api| api.metrics = Some(Arc::new(|| "runlane_up 1\n".to_owned()))).await;
    assert_eq!(site.get("/healthz").await.body["status"], "ok");
    assert_eq!(site.get("/readyz").await.body["status"], "ready");
    let metrics = site.get("/metrics").await;
    assert_eq!(
        (metrics.header("content-type"), &metrics.body),
        ("text/plain; version=0.0.4; charset=utf-8", &json!("runlane_up 1\n"))
    );
}

#[tokio::test]
async fn a_request_has_an_id_the_callers_own_if_it_can_be_shown() {
    let site = Site::new().await;
    let ask = |id: &'static str| Answer::of(site.request(Method::GET, "/healthz").header("x-request-id", id));
    assert_eq!(ask("trace-17").await.header("x-request-id"), "trace-17");
    let made = ask("not good").await;
    assert!(made.header("x-request-id").len() == 36, "{made:?}");
}

#[tokio::test]
async fn a_server_without_tokens_serves_its_own_machine_only() {
    let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.expect("a free port");
    let store = Arc::new(runlane::store::memory::MemoryStore::new(runlane::clock::Clock::Database));
    let refused = runlane::http::serve(listener, runlane::http::Api::on(store), Default::default()).await;
    let words = refused.expect_err("refused").to_string();
    assert!(words.contains("without tokens"), "{words}");
}
