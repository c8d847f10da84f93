//! `runlane queues`, `lanes`, `workers`, `workspaces` and `top`.

use std::time::Duration;

use super::assert_said;
use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn queues_are_listed_paused_resumed_and_limited() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["queues"]).await);
    server.submit(&["echo"]).await;
    assert_said!(server.runlane(&["queues", "pause", "mail"]).await);
    assert_said!(server.runlane(&["queues", "limit", "default", "4"]).await);
    assert_said!(server.runlane(&["queues", "list"]).await);
    assert_said!(server.runlane(&["queues", "resume", "mail"]).await);
    assert_said!(server.runlane(&["queues", "limit", "default", "none"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn lanes_have_a_policy_and_are_released() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["lanes"]).await);
    assert_said!(server.runlane(&["lanes", "policy", "user/7", "hold"]).await);
    assert_said!(server.runlane(&["lanes", "list"]).await);
    assert_said!(server.runlane(&["lanes", "release", "user/7"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_listed_and_drained() {
    let idle = Server::idle().await;
    assert_said!(idle.runlane(&["workers"]).await);
    let server = Server::start().await;
    let listed = server.runlane(&["workers"]).await;
    assert!(listed.out.starts_with("WORKER") && listed.out.contains("working"), "{}", listed.out);
    let workers = server.json(&["workers", "list"]).await;
    let id = workers["data"][0]["id"].as_str().expect("an id").to_owned();
    assert_said!(server.runlane(&["workers", "drain", &id]).await);
    for _ in 0..1000 {
        let listed = server.json(&["workers"]).await;
        if listed["data"].as_array().is_some_and(Vec::is_empty) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let again = server.runlane(&["workers", "drain", &id]).await;
    assert!(again.status.success() && again.out.contains("; there is nothing to drain"), "{}{}", again.out, again.err);
    let unknown = server.runlane(&["workers", "drain", "01a1e28b-6f91-76af-bd6a-34dbec60c6a3"]).await;
    assert_eq!(unknown.status.code(), Some(1), "{}", unknown.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn workspaces_are_made_and_listed() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["workspaces", "create", "acme"]).await);
    assert_said!(server.runlane(&["workspaces"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn top_is_one_snapshot_where_there_is_no_terminal() {
    let server = Server::idle().await;
    server.submit(&["echo"]).await;
    assert_said!(server.runlane(&["top"]).await);
    let seen = server.json(&["top"]).await;
    assert_eq!(seen["queues"][0]["waiting"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_is_listed_by_who_what_and_when() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["audit"]).await);
    server.runlane(&["queues", "pause", "mail"]).await;
    let run = server.submit(&["echo"]).await;
    server.runlane(&["runs", "cancel", &run]).await;
    assert_said!(server.runlane(&["audit"]).await);
    let actions = async |args: &[&str]| {
        let found = server.json(&[&["audit"], args].concat()).await;
        found["data"].as_array().expect("records").iter().map(|record| record["action"].to_string()).collect::<String>()
    };
    assert_eq!(actions(&["--action", "run"]).await, "\"run.cancel\"");
    assert_eq!(actions(&["--subject", "mail"]).await, "\"queue.set\"");
    assert_eq!(actions(&["--actor", "nobody"]).await, "");
    assert_eq!(actions(&["--since", "1h", "-n", "1"]).await, "\"run.cancel\"");
    assert_eq!(actions(&["--since", "2126-01-01T00:00:00Z", "--all"]).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tasks_that_the_server_knows_are_listed() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["tasks"]).await);
}
