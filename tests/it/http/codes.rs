//! Every code, shown once.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use runlane::access::Role;
use runlane::actions::{Catalog, DirectSlots, NoSlot, Refusal, Reservation, TaskDefaults};
use runlane::clock::Clock;
use runlane::http::{Auth, Code, RateLimit};
use runlane::run::{Json, QueueName, RunId, TaskName};
use runlane::store::sqlite::SqliteStore;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Answer, Site};

/// What cannot be provoked from outside without luck; unit tests show it.
const ELSEWHERE: [&str; 2] = ["outcome_unknown", "shutting_down"];

/// Knows one task, whose payload is a number, and has a bug.
struct Picky;

impl Catalog for Picky {
    fn admit(&self, task: &TaskName, payload: &Json) -> Result<TaskDefaults, Refusal> {
        match task.as_str() {
            "count" if payload.as_str().parse::<i64>().is_ok() => Ok(TaskDefaults::default()),
            "count" => Err(Refusal::InvalidPayload { pointer: Some("/n".into()), reason: "not a number".into() }),
            "bug" => panic!("as was to be shown"),
            _ => Err(Refusal::UnknownTask { task: task.clone(), known: vec!["count".into()] }),
        }
    }
}

#[tokio::test]
async fn every_code_is_shown_once() {
    let mut shown = BTreeSet::new();
    shown.extend(refused_bodies().await);
    shown.extend(refused_submissions().await);
    shown.extend(refused_requests().await);
    shown.extend(refused_by_state().await);
    shown.extend(refused_short_ids().await);
    shown.extend(refused_for_slowness().await);
    shown.extend(refused_by_the_catalog().await);
    shown.extend(refused_schedules().await);
    shown.extend(refused_without_a_token().await);
    shown.extend(refused_by_a_broken_store().await);
    shown.extend(refused_without_a_queue().await);
    shown.extend(refused_for_asking_too_often().await);
    let all: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let missing: BTreeSet<_> = all.difference(&shown).copied().collect();
    assert_eq!(missing, BTreeSet::from(ELSEWHERE));
}

type Shown = Vec<&'static str>;

async fn shows(request: RequestBuilder, code: &'static str, field: Value) -> &'static str {
    let answer = Answer::of(request).await;
    assert_eq!(answer.is_problem(code).body["field"], field, "{:?}", answer.body);
    code
}

async fn refused_bodies() -> Shown {
    let site = Site::new().await;
    let body = |text: String| {
        site.request(Method::POST, "/v1/runs").header("content-type", "application/json; charset=utf-8").body(text)
    };
    let deep = format!(r#"{{"task":"t","payload":{}{}}}"#, "[".repeat(64), "]".repeat(64));
    let large = format!(r#"{{"task":"t","payload":"{}"}}"#, "x".repeat(1024 * 1024));
    let cases = [
        (r#"{"task":"#.to_owned(), "invalid_json", json!(null)),
        (deep, "json_too_deep", json!(null)),
        (r#"{"task":"t","payload":{"a":1,"a":2}}"#.to_owned(), "duplicate_key", json!("a")),
        (r#"{"task":"t","payload":"\u0000"}"#.to_owned(), "nul_character", json!(null)),
        (large, "body_too_large", json!(null)),
        (r#"{"task":"t","prioritty":1}"#.to_owned(), "unknown_field", json!("prioritty")),
        (r#"{"payload":1}"#.to_owned(), "missing_field", json!("task")),
        (r#"{"task":"t","max_attempts":0}"#.to_owned(), "invalid_field", json!("max_attempts")),
        (
            r#"{"task":"t","available_at":"2030-01-01T00:00:00Z","delay_seconds":1}"#.to_owned(),
            "conflicting_fields",
            json!("delay_seconds"),
        ),
        (
            r#"{"task":"t","start_by":"2030-01-01T00:00:00Z","start_within_seconds":1}"#.to_owned(),
            "conflicting_fields",
            json!("start_within_seconds"),
        ),
    ];
    let mut shown = Vec::new();
    for (text, code, field) in cases {
        shown.push(shows(body(text), code, field).await);
    }
    let plain = site.request(Method::POST, "/v1/runs").header("content-type", "text/plain").body("{}");
    shown.push(shows(plain, "unsupported_media_type", json!("Content-Type")).await);
    let stored: u64 = site.store.counts().await.expect("counts").iter().map(|count| count.runs).sum();
    assert_eq!(stored, 0);
    shown
}

async fn refused_submissions() -> Shown {
    let site = Site::with(|api| api.admission.queue_size = Some(1)).await;
    let post = |body: Value| site.request(Method::POST, "/v1/runs").json(&body);
    let nobody = "01890000-0000-7000-8000-000000000000";
    let first = Answer::of(post(json!({"task": "t", "key": "k"})).header("idempotency-key", "i")).await.body;
    let circular = json!({"task": "t", "key": "k", "key_mode": "replace", "after": [first["id"]]});
    let elsewhere = post(json!({"task": "t"})).header("x-runlane-workspace", "nowhere");
    let long = post(json!({"task": "t"})).header("idempotency-key", "x".repeat(201));
    vec![
        shows(post(json!({"task": "t"})), "run_queue_full", json!(null)).await,
        shows(post(json!({"task": "t", "after": [nobody]})), "unknown_upstream", json!("after")).await,
        shows(post(circular), "circular_wait", json!("after")).await,
        shows(
            post(json!({"task": "u"})).header("idempotency-key", "i"),
            "idempotency_mismatch",
            json!("Idempotency-Key"),
        )
        .await,
        shows(elsewhere, "workspace_not_found", json!("X-Runlane-Workspace")).await,
        shows(long, "invalid_header", json!("Idempotency-Key")).await,
    ]
}

async fn refused_requests() -> Shown {
    let site = Site::with(|api| api.limits.streams = 0).await;
    let id = site.submit(json!({"task": "t"})).await;
    let get = |path: &str| site.request(Method::GET, path);
    let missing = site.request(Method::DELETE, "/v1/runs").send().await.expect("an answer");
    assert_eq!(missing.headers()["allow"], "POST, GET");
    let stream = get(&format!("/v1/runs/{id}/events")).header("accept", "text/event-stream");
    for unknown in ["x", "01890000-0000-7000-8000-000000000000", "%00"] {
        shows(get(&format!("/v1/runs/{unknown}")), "run_not_found", json!(null)).await;
    }
    vec![
        shows(get("/v2/runs"), "route_not_found", json!(null)).await,
        shows(site.request(Method::DELETE, "/v1/runs"), "method_not_allowed", json!(null)).await,
        shows(get("/v1/runs/x/attempts"), "run_not_found", json!(null)).await,
        shows(site.request(Method::POST, "/v1/workers/x/drain"), "worker_not_found", json!(null)).await,
        shows(get("/v1/runs?limit=no"), "invalid_parameter", json!("limit")).await,
        shows(get("/v1/runs?page=2"), "unknown_parameter", json!("page")).await,
        shows(get("/v1/runs?cursor=x"), "invalid_cursor", json!("cursor")).await,
        shows(stream, "too_many_streams", json!(null)).await,
        shows(get("/healthz").header("host", "evil.example"), "host_not_allowed", json!("Host")).await,
        shows(get("/healthz").header("origin", "http://evil.example"), "origin_not_allowed", json!("Origin")).await,
    ]
}

async fn refused_for_slowness() -> Shown {
    let site = Site::with(|api| api.limits.body_wait = Duration::from_millis(50)).await;
    let mut stream = TcpStream::connect(site.base.trim_start_matches("http://")).await.expect("a connection");
    let head =
        "POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = vec![0; 4096];
    let length = stream.read(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains(r#""code":"request_timeout""#), "{answer}");
    vec!["request_timeout"]
}

async fn refused_by_state() -> Shown {
    let site = Site::new().await;
    site.patch("/v1/lanes/l", json!({"policy": "hold"})).await;
    let id = site.submit(json!({"task": "t", "lane": "l"})).await;
    let tell = |verb: &str| site.request(Method::POST, &format!("/v1/runs/{id}/{verb}"));
    let conflict = shows(tell("resume"), "status_conflict", json!(null)).await;
    Answer::of(tell("pause")).await;
    Answer::of(tell("dismiss")).await;
    vec![conflict, shows(tell("dismiss"), "not_holding", json!(null)).await]
}

async fn refused_schedules() -> Shown {
    let (site, clock, _place) = super::schedules::timed().await;
    let at = |seconds| (clock.now() + jiff::SignedDuration::from_secs(seconds)).to_string();
    let post = |path: &str, body: Value| site.request(Method::POST, path).json(&body);
    let under = |grant: &Value| post("/v1/schedules", json!({"task": "t", "at": at(60), "grant_id": grant["id"]}));
    let grant = async |scope: &str, expires_at: Option<String>| {
        let body = json!({"user_id": "a", "billing_account": "b", "scopes": [scope], "expires_at": expires_at});
        Answer::of(post("/v1/grants", body)).await.body
    };
    let (scoped, expiring, revoked) =
        (grant("other", None).await, grant("t", Some(at(600))).await, grant("t", None).await);
    site.tell(&format!("/v1/grants/{}/revoke", revoked["id"].as_str().expect("an id"))).await;
    let once = site.post("/v1/schedules", json!({"task": "t", "at": at(60), "enabled": false})).await.body;
    let once = format!("/v1/schedules/{}", once["id"].as_str().expect("an id"));
    let nobody = json!({"id": "01890000-0000-7000-8000-000000000000"});
    clock.advance(jiff::SignedDuration::from_secs(3600));
    vec![
        shows(site.request(Method::GET, "/v1/schedules/x"), "schedule_not_found", json!(null)).await,
        shows(site.request(Method::GET, "/v1/grants/x"), "grant_not_found", json!(null)).await,
        shows(under(&nobody), "unknown_grant", json!("grant_id")).await,
        shows(under(&scoped), "grant_scope", json!("grant_id")).await,
        shows(under(&expiring), "grant_expired", json!("grant_id")).await,
        shows(under(&revoked), "grant_revoked", json!("grant_id")).await,
        shows(post("/v1/schedules", json!({"name": "t", "task": "t", "at": at(60)})), "schedule_exists", json!("name"))
            .await,
        shows(site.request(Method::POST, &format!("{once}/resume")), "no_slots", json!(null)).await,
        shows(site.request(Method::PATCH, &once).json(&json!({"version": 7})), "version_conflict", json!("version"))
            .await,
    ]
}

async fn refused_short_ids() -> Shown {
    let site = Site::new().await;
    let first = site.submit(json!({"task": "t"})).await;
    site.submit(json!({"task": "t"})).await;
    vec![shows(site.request(Method::GET, &format!("/v1/runs/{}", &first[..4])), "ambiguous_id", json!(null)).await]
}

async fn refused_by_the_catalog() -> Shown {
    let site = Site::with(|api| api.catalog = Arc::new(Picky)).await;
    let post = |task: &str, payload: Value| {
        site.request(Method::POST, "/v1/runs").json(&json!({"task": task, "payload": payload}))
    };
    site.submit(json!({"task": "count", "payload": 1})).await;
    vec![
        shows(post("cuont", json!(1)), "unknown_task", json!("task")).await,
        shows(post("count", json!("x")), "invalid_payload", json!("payload/n")).await,
        shows(post("bug", json!(1)), "internal_error", json!(null)).await,
    ]
}

async fn refused_without_a_token() -> Shown {
    let site = Site::with(|api| api.auth = Auth::Tokens).await;
    let admin = super::auth::token(&site, Role::Admin, None).await;
    let viewer = super::auth::token(&site, Role::Viewer, None).await;
    let get = |path: &str| site.request(Method::GET, path);
    vec![
        shows(get("/v1/runs"), "unauthenticated", json!("Authorization")).await,
        shows(get("/v1/tokens").bearer_auth(viewer), "forbidden", json!(null)).await,
        shows(site.request(Method::DELETE, "/v1/tokens/x").bearer_auth(admin), "token_not_found", json!(null)).await,
    ]
}

/// Has no slot left.
struct NoSlots;

impl DirectSlots for NoSlots {
    fn reserve(&self, _: RunId, _: &QueueName) -> Result<Reservation, NoSlot> {
        Err(NoSlot::Full)
    }
}

async fn refused_without_a_queue() -> Shown {
    let site = Site::with(|api| api.direct = Some(Arc::new(NoSlots))).await;
    let post = |body: Value| site.request(Method::POST, "/v1/runs").json(&body);
    vec![
        shows(post(json!({"task": "t", "hold": true})), "queue_disabled", json!("hold")).await,
        shows(post(json!({"task": "t"})), "concurrency_limit", json!(null)).await,
    ]
}

async fn refused_for_asking_too_often() -> Shown {
    let once = RateLimit { per_second: NonZeroU32::MIN, burst: NonZeroU32::MIN };
    let site = Site::with(|api| api.rate_limit = Some(once)).await;
    site.get("/v1/runs").await;
    vec![shows(site.request(Method::GET, "/v1/runs"), "rate_limited", json!(null)).await]
}

async fn refused_by_a_broken_store() -> Shown {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("runs.db");
    drop(SqliteStore::open_and_migrate(&file, Clock::Database).await.expect("a store"));
    let faults = [("insert_ready", "insert", "broken"), ("workspaces", "select", "broken")];
    let store = SqliteStore::open_sabotaged(&file, Clock::Database, &faults).await.expect("a store");
    let site = Site::on(Arc::new(store), |_| {}).await;
    let answer = site.post("/v1/runs", json!({"task": "t"})).await;
    assert!(answer.header("retry-after").parse::<u32>().is_ok());
    assert!(!answer.body.to_string().contains("syntax"), "what the database says is for the log: {}", answer.body);
    site.get("/readyz").await.is_problem("store_unavailable");
    assert_eq!(site.get("/healthz").await.status, 200);
    answer.is_problem("store_unavailable");
    vec!["store_unavailable"]
}
