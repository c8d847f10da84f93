//! Direct mode: a worker in the same process executes what is submitted, while its caller waits.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use runlane::clock::Clock;
use runlane::run::{QueueName, RunId};
use runlane::store::Store;
use runlane::store::sqlite::SqliteStore;
use runlane::worker::{Builder, Served, Settings, Worker, with_demo_tasks};
use serde_json::{Value, json};
use tokio::sync::{AcquireError, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Answer, PATIENCE, Site};

/// A server without a queue, and the worker behind it. The task `gate` waits until it is let through.
struct Direct {
    site: Site,
    gate: Arc<Semaphore>,
    leave: CancellationToken,
    worker: JoinHandle<()>,
    _place: tempfile::TempDir,
}

impl Direct {
    async fn with(settings: Settings) -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Database).await;
        let store: Arc<dyn Store> = Arc::new(store.expect("a store"));
        let gate = Arc::new(Semaphore::new(0));
        let worker = gated(with_demo_tasks(Worker::builder(Arc::clone(&store)).settings(settings)), &gate);
        let worker = worker.build().expect("a worker");
        let site = Site::on(store, |api| {
            api.direct = Some(worker.direct_slots());
            api.ended = worker.ended();
        })
        .await;
        let leave = CancellationToken::new();
        let told = leave.clone();
        let worker = tokio::spawn(async move {
            worker.run(told).await;
        });
        Self { site, gate, leave, worker, _place: place }
    }

    async fn slots(concurrency: usize) -> Self {
        Self::with(Settings { concurrency, ..Settings::default() }).await
    }

    /// Submits a run that waits at the gate, and goes on once it is there.
    async fn at_the_gate(&self, body: Value) -> JoinHandle<Answer> {
        let before = self.live().await;
        let answer = tokio::spawn(Answer::of(self.site.request(Method::POST, "/v1/runs").json(&body)));
        until(async || self.live().await > before).await;
        answer
    }

    async fn live(&self) -> u64 {
        self.site.store.counts().await.expect("counts").iter().map(|count| count.runs).sum()
    }

    /// The newest run.
    async fn newest(&self) -> Value {
        self.site.get("/v1/runs?limit=1").await.body["data"][0].clone()
    }
}

fn gated(builder: Builder, gate: &Arc<Semaphore>) -> Builder {
    let gate = Arc::clone(gate);
    builder.task("gate", move |_, _: Value| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await?.forget();
            Ok::<_, AcquireError>("through")
        }
    })
}

async fn until(mut done: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !done().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("in time");
}

fn gate() -> Value {
    json!({"task": "gate"})
}

#[tokio::test]
async fn a_run_is_executed_while_its_caller_waits() {
    let direct = Direct::slots(1).await;
    for _ in 0..3 {
        let answer = direct.site.post("/v1/runs", json!({"task": "echo", "payload": {"a": 1}})).await;
        assert_eq!((answer.status, &answer.body["status"]), (StatusCode::CREATED, &json!("succeeded")));
        assert_eq!((&answer.body["output"], &answer.body["attempt"]), (&json!({"a": 1}), &json!(1)));
        let id = answer.body["id"].as_str().expect("an id");
        assert_eq!(answer.header("location"), format!("/v1/runs/{id}"));
        let again = direct.site.tell(&format!("/v1/runs/{id}/rerun")).await;
        assert_eq!((again.status, &again.body["output"]), (StatusCode::CREATED, &json!({"a": 1})));
        assert_eq!(direct.site.get(&format!("/v1/runs/{id}/attempts")).await.body["data"][0]["status"], "succeeded");
    }
}

#[tokio::test]
async fn beyond_the_cap_nothing_is_stored() {
    let direct = Direct::slots(2).await;
    let (first, second) = (direct.at_the_gate(gate()).await, direct.at_the_gate(gate()).await);
    for _ in 0..3 {
        let refused = direct.site.post("/v1/runs", json!({"task": "echo"})).await;
        assert_eq!(refused.is_problem("concurrency_limit").status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refused.header("retry-after"), "1");
    }
    assert_eq!(direct.site.get("/v1/runs").await.body["data"].as_array().map(Vec::len), Some(2));
    direct.gate.add_permits(2);
    for answer in [first, second] {
        assert_eq!(answer.await.expect("no panic").body["output"], "through");
    }
    assert_eq!(direct.site.post("/v1/runs", json!({"task": "echo"})).await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn however_many_ask_at_once_only_as_many_are_stored_as_there_are_slots() {
    let direct = Direct::slots(3).await;
    let ask = || direct.site.post("/v1/runs", json!({"task": "sleep", "payload": {"seconds": 0.05}}));
    let answers = futures::future::join_all((0..200).map(|_| ask())).await;
    let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == StatusCode::CREATED);
    assert!(done.len() >= 3 && !refused.is_empty(), "{} done", done.len());
    assert!(done.iter().all(|answer| answer.body["status"] == "succeeded"));
    assert!(refused.iter().all(|answer| answer.body["code"] == "concurrency_limit"));
    let stored = direct.site.get("/v1/runs?limit=500").await.body["data"].as_array().map(Vec::len);
    assert_eq!(stored, Some(done.len()));
}

#[tokio::test]
async fn who_hangs_up_does_not_lose_the_run() {
    let direct = Direct::slots(1).await;
    let answer = direct.at_the_gate(gate()).await;
    answer.abort();
    assert!(answer.await.expect_err("hung up").is_cancelled());
    direct.site.post("/v1/runs", gate()).await.is_problem("concurrency_limit");
    direct.gate.add_permits(1);
    until(async || direct.newest().await["status"] == "succeeded").await;
    until(async || direct.site.post("/v1/runs", json!({"task": "echo"})).await.status == StatusCode::CREATED).await;
}

#[tokio::test]
async fn a_failed_attempt_is_tried_again_within_the_request() {
    let direct = Direct::slots(1).await;
    let answer = direct.site.post("/v1/runs", json!({"task": "fail", "payload": {"times": 1}})).await;
    assert_eq!((&answer.body["status"], &answer.body["attempt"]), (&json!("succeeded"), &json!(2)));
    let hopeless = json!({"task": "fail", "payload": {"times": 9}, "max_attempts": 1});
    let failed = direct.site.post("/v1/runs", hopeless).await;
    assert_eq!((failed.status, &failed.body["status"]), (StatusCode::CREATED, &json!("failed")));
}

#[tokio::test]
async fn what_would_have_to_wait_is_refused() {
    let reports = Served { queue: QueueName::parse("reports").expect("a name"), concurrency: Some(1) };
    let direct = Direct::with(Settings { queues: vec![reports], ..Settings::default() }).await;
    let cases = [
        (json!({"hold": true}), "hold"),
        (json!({"available_at": "2999-01-01T00:00:00Z"}), "available_at"),
        (json!({"delay_seconds": 5}), "delay_seconds"),
        (json!({"after": [RunId::new()]}), "after"),
        (json!({"queue": "elsewhere"}), "queue"),
    ];
    for (options, field) in cases {
        let mut body = json!({"task": "gate", "queue": "reports"});
        for (name, value) in options.as_object().expect("options") {
            body[name] = value.clone();
        }
        let refused = direct.site.post("/v1/runs", body).await;
        assert_eq!(refused.is_problem("queue_disabled").body["field"], field, "{:?}", refused.body);
    }
    direct.site.post("/v1/runs/batch", json!({"runs": [{"task": "echo"}]})).await.is_problem("queue_disabled");
    let allowed = json!({"task": "echo", "queue": "reports", "hold": false, "delay_seconds": 0, "after": []});
    assert_eq!(direct.site.post("/v1/runs", allowed).await.status, StatusCode::CREATED);
    let at_work = direct.at_the_gate(json!({"task": "gate", "queue": "reports"})).await;
    let more = json!({"task": "echo", "queue": "reports"});
    direct.site.post("/v1/runs", more).await.is_problem("concurrency_limit");
    direct.gate.add_permits(1);
    assert_eq!(at_work.await.expect("no panic").status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_repeated_request_waits_for_the_first_ones_run() {
    let direct = Direct::slots(2).await;
    let ask = || Answer::of(direct.site.request(Method::POST, "/v1/runs").header("idempotency-key", "k").json(&gate()));
    let first = tokio::spawn(ask());
    until(async || direct.live().await == 1).await;
    let second = tokio::spawn(ask());
    tokio::time::sleep(Duration::from_millis(50)).await;
    direct.gate.add_permits(1);
    let (first, second) = (first.await.expect("no panic"), second.await.expect("no panic"));
    assert_eq!((first.status, second.status), (StatusCode::CREATED, StatusCode::OK));
    assert_eq!((&first.body["id"], &second.body["status"]), (&second.body["id"], &json!("succeeded")));
}

#[tokio::test]
async fn a_run_waits_for_its_lane_and_keeps_its_slot() {
    let direct = Direct::slots(2).await;
    let body = json!({"task": "gate", "lane": "customer-17"});
    let (first, second) = (direct.at_the_gate(body.clone()).await, direct.at_the_gate(body).await);
    direct.site.post("/v1/runs", json!({"task": "echo"})).await.is_problem("concurrency_limit");
    assert_eq!(direct.newest().await["blocked_by"], "lane");
    direct.gate.add_permits(2);
    let (first, second) = (first.await.expect("no panic").body, second.await.expect("no panic").body);
    assert!(first["finished_at"].as_str() <= second["started_at"].as_str(), "{first} {second}");
}

#[tokio::test]
async fn a_caller_may_wait_less_long() {
    let direct = Direct::slots(1).await;
    let request = direct.site.request(Method::POST, "/v1/runs").header("prefer", "wait=0");
    let answer = Answer::of(request.json(&gate())).await;
    assert_eq!((answer.status, &answer.body["finished_at"]), (StatusCode::CREATED, &json!(null)));
    direct.site.post("/v1/runs", gate()).await.is_problem("concurrency_limit");
}

#[tokio::test]
async fn a_run_that_is_paused_frees_its_slot_and_its_caller() {
    let direct = Direct::slots(1).await;
    let answer = direct.at_the_gate(json!({"task": "sleep", "payload": {"seconds": 60}})).await;
    until(async || direct.newest().await["status"] == "running").await;
    let id = direct.newest().await["id"].as_str().expect("an id").to_owned();
    direct.site.tell(&format!("/v1/runs/{id}/pause")).await;
    assert_eq!(answer.await.expect("no panic").body["status"], "paused");
    assert_eq!(direct.site.post("/v1/runs", json!({"task": "echo"})).await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_worker_that_leaves_is_given_no_more() {
    let direct = Direct::slots(2).await;
    let answer = direct.at_the_gate(gate()).await;
    until(async || direct.newest().await["status"] == "running").await;
    direct.leave.cancel();
    until(async || direct.site.post("/v1/runs", json!({"task": "echo"})).await.body["code"] == "shutting_down").await;
    direct.gate.add_permits(1);
    assert_eq!(answer.await.expect("no panic").body["status"], "succeeded");
    tokio::time::timeout(PATIENCE, direct.worker).await.expect("in time").expect("no panic");
    let waiting = direct.site.get("/v1/runs?status=queued").await;
    assert_eq!(waiting.body["data"], json!([]), "nothing is left that nobody would execute");
}
