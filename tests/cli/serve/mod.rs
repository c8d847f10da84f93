//! A deployment from its first command to its last: `runlane serve` on a real database, used over HTTP and with the
//! command line. Both databases are held to the same snapshots.

mod database;
mod deployment;
mod metrics;

use reqwest::Client;
use serde_json::{Value, json};

use self::database::{Database, Kind};
use self::deployment::Deployment;
use crate::client::{filters, told};
use crate::server::{Said, runlane_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_on_sqlite() {
    play(Kind::Sqlite).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_on_postgres() {
    play(Kind::Postgres).await;
}

async fn play(kind: Kind) {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(database) = Database::empty(kind, folder.path()).await else { return };
    let token = set_up(&database.url).await;
    let server = Deployment::start(folder.path(), &database.url, &token).await;
    nobody_comes_in_without_a_token(&server).await;
    seen("tasks", &server.runlane(&["tasks"]).await);
    runs_succeed_and_are_tried_again(&server).await;
    what_waits_is_explained(&server).await;
    work_is_paused_resumed_and_cancelled(&server).await;
    many_are_submitted_from_a_file(&server, folder.path()).await;
    the_same_over_http(&server).await;
    the_doctor_is_content(&server, &database.url).await;
    let before = server.json(&["runs", "list", "--all"]).await;
    let (status, words) = server.stop().await;
    assert!(status.success() && words.ends_with("0 released, 0 left to adopt, 0 lost"), "{status}: {words}");

    let again = Deployment::start(folder.path(), &database.url, &token).await;
    assert_eq!(again.json(&["runs", "list", "--all"]).await, before, "everything survives a restart");
    again.stop().await;
    database.drop().await;
}

/// What a person reads, the same on every database.
fn seen(name: &str, said: &Said) {
    insta::with_settings!({filters => filters(), omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("serve_{name}"), told(said));
    });
}

/// Migrates, and makes the first token.
async fn set_up(database: &str) -> String {
    let alone = |args: &'static [&str]| runlane_alone(args, database);
    seen("not_migrated", &alone(&["serve", "--listen", "127.0.0.1:0"]).await);
    let migrated = alone(&["migrate"]).await;
    assert!(migrated.out.starts_with("schema version 0 → "), "{} {}", migrated.out, migrated.err);
    let made = alone(&["tokens", "create", "me", "--role", "admin", "--everywhere", "--direct"]).await;
    assert!(made.out.starts_with("rl_") && made.out.lines().count() == 1, "{} {}", made.out, made.err);
    made.out.trim_end().to_owned()
}

/// Where no server is needed.
async fn runlane_alone(args: &[&str], database: &str) -> Said {
    runlane_at("http://127.0.0.1:1", &[args, &["--database", database]].concat(), None).await
}

async fn nobody_comes_in_without_a_token(server: &Deployment) {
    seen("no_token", &runlane_at(&server.url, &["runs", "list"], None).await);
    let answer = http_client().get(server.at("/v1/runs")).send().await.expect("an answer");
    assert_eq!(answer.status().as_u16(), 401);
    let problem: Value = answer.json().await.expect("a problem");
    assert_eq!(problem["code"], "unauthenticated");
    seen("no_runs", &server.runlane(&["runs", "list"]).await);
}

async fn runs_succeed_and_are_tried_again(server: &Deployment) {
    seen("waited_for", &server.runlane(&["submit", "echo", "-p", r#"{"hello": "world"}"#, "--wait"]).await);
    let run = server.submit(&["flaky"]).await;
    server.until(&run, "succeeded").await;
    seen("tried_again", &server.runlane(&["runs", "show", &run]).await);
    seen("logs", &server.runlane(&["logs", "-f", &run]).await);
}

async fn what_waits_is_explained(server: &Deployment) {
    seen("queue_paused", &server.runlane(&["queues", "pause", "reports"]).await);
    let waiting = server.submit(&["echo", "--queue", "reports"]).await;
    seen("explained_by_its_queue", &server.runlane(&["explain", &waiting]).await);
    seen("queues", &server.runlane(&["queues"]).await);
    seen("queue_resumed", &server.runlane(&["queues", "resume", "reports"]).await);
    server.until(&waiting, "succeeded").await;

    seen("lane_policy", &server.runlane(&["lanes", "policy", "customer-42", "hold"]).await);
    let failing = ["submit", "flaky", "--lane", "customer-42", "--max-attempts", "1", "--wait"];
    seen("failed", &server.runlane(&failing).await);
    let behind = server.submit(&["echo", "--lane", "customer-42"]).await;
    seen("explained_by_its_lane", &server.runlane(&["explain", &behind]).await);
    seen("lanes", &server.runlane(&["lanes"]).await);
    seen("lane_released", &server.runlane(&["lanes", "release", "customer-42"]).await);
    server.until(&behind, "succeeded").await;
}

async fn work_is_paused_resumed_and_cancelled(server: &Deployment) {
    let run = server.submit(&["wait"]).await;
    server.until(&run, "running").await;
    seen("asked_to_pause", &server.runlane(&["runs", "pause", &run]).await);
    server.until(&run, "paused").await;
    // Queued, or running again by now.
    assert!(server.runlane(&["runs", "resume", &run]).await.status.success());
    server.until(&run, "running").await;
    seen("asked_to_cancel", &server.runlane(&["runs", "cancel", &run]).await);
    server.until(&run, "cancelled").await;
    seen("cancelled_before", &server.runlane(&["runs", "cancel", &run]).await);
}

async fn many_are_submitted_from_a_file(server: &Deployment, folder: &std::path::Path) {
    let file = folder.join("runs.ndjson");
    std::fs::write(&file, "{\"payload\": 1}\n{\"payload\": 2, \"priority\": 5000}\n{\"payload\": 3}\n")
        .expect("written");
    let args = ["submit", "echo", "--queue", "many", "--file", &file.to_string_lossy()];
    seen("from_a_file", &server.runlane(&args).await);
    for run in server.json(&["runs", "list", "--queue", "many"]).await["data"].as_array().expect("runs") {
        server.until(run["id"].as_str().expect("an id"), "succeeded").await;
    }
    seen("listed", &server.runlane(&["runs", "list"]).await);
}

async fn the_same_over_http(server: &Deployment) {
    let client = http_client();
    let submit = || {
        let body = json!({"task": "echo", "payload": {"order": 17}}).to_string();
        let request = client.post(server.at("/v1/runs")).header("Idempotency-Key", "order-17").body(body);
        request.header("Content-Type", "application/json").header("Prefer", "wait=30")
    };
    let (status, body) = server.http(submit()).await;
    let run: Value = serde_json::from_str(&body).expect("a run");
    assert_eq!((status, &run["status"], &run["output"]), (201, &json!("succeeded"), &json!({"order": 17})), "{body}");
    let (status, again) = server.http(submit()).await;
    let again: Value = serde_json::from_str(&again).expect("a run");
    assert_eq!((status, &again["id"]), (200, &run["id"]));

    let id = run["id"].as_str().expect("an id");
    let (status, events) = server.http(client.get(server.at(&format!("/v1/runs/{id}/events")))).await;
    assert!(status == 200 && events.contains("hello from echo"), "{events}");
    let (status, body) = server.http(client.post(server.at(&format!("/v1/runs/{id}/cancel")))).await;
    assert!(status == 409 && body.contains("status_conflict"), "{status} {body}");
    let (status, scraped) = server.http(client.get(server.at("/metrics"))).await;
    assert_eq!(status, 200);
    metrics::are_as_documented(&scraped);
    let ready = client.get(server.at("/readyz")).send().await.expect("an answer");
    assert_eq!(ready.status().as_u16(), 200);
}

/// But for disk space and limits, which are the machine's own.
async fn the_doctor_is_content(server: &Deployment, database: &str) {
    let said = server.json(&["doctor", "--database", database]).await;
    let judged: Vec<(&str, &str)> = said["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter_map(|check| Some((check["name"].as_str()?, check["level"].as_str()?)))
        .filter(|(name, _)| !["data", "limits"].contains(name))
        .collect();
    assert!(judged.len() >= 8 && judged.iter().all(|(_, level)| *level == "ok"), "{said:#}");
}

/// A client with the cryptography the product has: reqwest is built without one of its own.
fn http_client() -> Client {
    // An error says that another test has installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::new()
}
