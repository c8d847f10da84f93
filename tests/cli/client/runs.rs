//! `runlane runs`, `logs` and `explain`.

use super::assert_said;
use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_newest_first_and_by_what_is_asked() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["runs", "list"]).await);
    server.submit(&["echo"]).await;
    server.submit(&["echo", "--lane", "a", "--queue", "mail"]).await;
    server.submit(&["resize", "--lane", "a", "--queue", "mail"]).await;
    server.submit(&["resize", "--hold"]).await;
    assert_said!(server.runlane(&["runs", "list"]).await);
    assert_said!(server.runlane(&["runs", "list", "--queue", "mail", "--limit", "1"]).await);
    assert_said!(server.runlane(&["runs", "list", "--status", "failed,timed_out"]).await);
    let all = server.json(&["runs", "list", "--all", "--task", "resize"]).await;
    assert_eq!(all["data"].as_array().map(Vec::len), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_shown_with_its_attempts() {
    let server = Server::start().await;
    let run = server.submit(&["fail", "-p", r#"{"times":1}"#, "--lane", "a", "--priority", "3"]).await;
    server.until(&run, "succeeded").await;
    assert_said!(server.runlane(&["runs", "show", &run]).await);
    assert_said!(server.runlane(&["logs", &run]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_steered() {
    let server = Server::idle().await;
    let (first, second) = (server.submit(&["echo"]).await, server.submit(&["echo", "--hold"]).await);
    assert_said!(server.runlane(&["runs", "pause", &first]).await);
    assert_said!(server.runlane(&["runs", "resume", &first]).await);
    assert_said!(server.runlane(&["runs", "enqueue", &second]).await);
    assert_said!(server.runlane(&["runs", "cancel", &first, &second]).await);
    // One is refused, the other is not kept from it.
    let third = server.submit(&["echo"]).await;
    assert_said!(server.runlane(&["runs", "cancel", &first, &third]).await);
    assert_said!(server.runlane(&["runs", "rerun", &first]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_a_slot_and_then_for_a_worker_is_explained() {
    let server = Server::start().await;
    for _ in 0..4 {
        let id = server.submit(&["sleep", "-p", r#"{"seconds": 60}"#]).await;
        server.until(&id, "running").await;
    }
    server.submit(&["echo"]).await;
    let waiting = server.submit(&["echo"]).await;
    let said = server.runlane(&["explain", &waiting]).await.out;
    assert!(said.contains("  4 of 4 slots of the worker that can take it are busy, the longest for "), "{said}");
    assert!(said.contains("; 1 run is ahead of it\n    → it starts once a slot is free; "), "{said}");
    let workers = server.json(&["workers"]).await;
    let worker = workers["data"][0]["id"].as_str().expect("an id").to_owned();
    assert!(server.runlane(&["workers", "drain", &worker]).await.status.success());
    let said = server.runlane(&["explain", &waiting]).await.out;
    assert!(said.contains("  the only worker that serves queue default (on alpha) has been draining for "), "{said}");
    assert!(said.contains("    → start another: runlane worker --queues default\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_lane_is_explained_and_let_go() {
    let mut server = Server::idle().await;
    assert!(server.runlane(&["lanes", "policy", "a", "hold"]).await.status.success());
    let first = server.submit(&["fail", "-p", r#"{"times":9}"#, "--max-attempts", "1", "--lane", "a"]).await;
    let second = server.submit(&["echo", "--lane", "a"]).await;
    server.work().await;
    server.until(&first, "failed").await;
    assert_said!(server.runlane(&["explain", &second]).await);
    assert_said!(server.runlane(&["lanes"]).await);
    assert_said!(server.runlane(&["runs", "dismiss", &first]).await);
    server.until(&second, "succeeded").await;
    assert_said!(server.runlane(&["explain", &second]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_nothing_is_refused() {
    let server = Server::idle().await;
    let said = server.runlane(&["runs", "list", "-n", "0"]).await;
    assert_eq!(said.status.code(), Some(2));
    assert!(said.err.contains("--limit") && said.err.contains("1 or more"), "{}", said.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn part_of_an_id_is_enough() {
    let server = Server::idle().await;
    let (first, second) = (server.submit(&["echo"]).await, server.submit(&["echo", "--hold"]).await);
    let (start, end) = (&first[..13], &second[28..]);
    assert_eq!(server.json(&["runs", "show", end]).await["id"], second.as_str());
    let waiting = server.json(&["submit", "echo", "--after", end]).await;
    assert_eq!(waiting["blocked_by"], "upstream");
    let cancelled = server.runlane(&["runs", "cancel", end]).await;
    assert_eq!(cancelled.out, format!("{second} cancelled\n"), "{}", cancelled.err);
    let unclear = server.runlane(&["runs", "cancel", &start[..8]]).await;
    assert_eq!((unclear.out.as_str(), unclear.status.code()), ("", Some(1)));
    assert!(unclear.err.contains("part of several ids") && unclear.err.contains(&first), "{}", unclear.err);
    assert_eq!(server.json(&["runs", "show", &first]).await["status"], "queued");
    let schedule = server.runlane(&["schedules", "create", "--task", "echo", "--name", "a", "--every", "1h"]).await.out;
    let listed = server.json(&["runs", "list", "--schedule", &schedule.trim()[28..]]).await;
    assert_eq!(listed["data"].as_array().map(Vec::len), Some(1));
}
