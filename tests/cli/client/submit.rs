//! `runlane submit`: one run.

use super::assert_said;
use crate::server::{Server, runlane_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_submitted_and_what_to_do_next_is_said() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["submit", "echo", "--payload", r#"{"hello":"world"}"#]).await);
    let said =
        server.runlane(&["submit", "echo", "--hold", "--queue", "mail", "--lane", "a", "--priority", "-5"]).await;
    assert_said!(said);
    assert_said!(server.runlane(&["submit", "echo", "--delay", "1h30m"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_can_be_said_of_a_run_arrives() {
    let server = Server::idle().await;
    let first = server.submit(&["echo"]).await;
    let args = [
        "submit",
        "resize",
        "-p",
        "[1, 2]",
        "-q",
        "images",
        "--priority",
        "7",
        "-l",
        "user/7",
        "--at",
        "2126-11-20T09:00:00Z",
        "--max-attempts",
        "9",
        "--timeout",
        "5m",
        "--retry-wait",
        "10s",
        "--retry-factor",
        "2",
        "--retry-max-wait",
        "5m",
        "--after",
        &first,
        "--key",
        "k",
        "--key-mode",
        "replace",
        "--metadata",
        r#"{"team":"a"}"#,
    ];
    let run = server.json(&args).await;
    assert_eq!(run["task"], "resize");
    assert_eq!(run["payload"], serde_json::json!([1, 2]));
    assert_eq!((&run["queue"], &run["lane"]), (&"images".into(), &"user/7".into()));
    assert_eq!((&run["priority"], &run["max_attempts"]), (&7.into(), &9.into()));
    assert_eq!((&run["available_at"], &run["blocked_by"]), (&"2126-11-20T09:00:00Z".into(), &"upstream".into()));
    assert_eq!(run["metadata"]["team"], "a");
    assert_eq!(run["retry"], serde_json::json!({"base_seconds": 10, "factor": 2, "cap_seconds": 300}));
    let shown = server.runlane(&["runs", "show", run["id"].as_str().expect("an id")]).await;
    assert!(shown.out.contains("retry wait 10.0 s, ×2 with each attempt up to 5 min 0 s"), "{}", shown.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_comes_from_the_line_a_file_or_standard_input() {
    let server = Server::idle().await;
    let file = server.file.with_file_name("payload.json");
    std::fs::write(&file, "{\"from\": \"a file\"}").expect("written");
    let named = format!("@{}", file.display());
    let run = server.json(&["submit", "echo", "--payload", &named]).await;
    assert_eq!(run["payload"]["from"], "a file");
    let said = server.runlane_reading(&["submit", "echo", "--payload", "-", "--json"], "\"piped\"").await;
    assert!(said.out.contains("\"payload\": \"piped\""), "{}", said.out);
    assert_said!(server.runlane(&["submit", "echo", "--payload", "hello"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_idempotency_key_is_the_same_run() {
    let server = Server::idle().await;
    let args = ["echo", "--idempotency-key", "once"];
    assert_eq!(server.submit(&args).await, server.submit(&args).await);
    assert_said!(server.runlane(&["submit", "echo", "-p", "1", "--idempotency-key", "once"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_there_already_is_said_to_be() {
    let server = Server::idle().await;
    let first = server.runlane(&["submit", "echo", "--idempotency-key", "once"]).await;
    let again = server.runlane(&["submit", "echo", "--idempotency-key", "once"]).await;
    assert_eq!((&first.out, again.status.code()), (&again.out, Some(0)));
    assert_said!(again);
    let named = ["submit", "echo", "--key", "nightly"];
    let named_first = server.runlane(&named).await;
    assert!(named_first.err.starts_with("submitted to queue"), "{}", named_first.err);
    let kept = server.runlane(&named).await;
    assert_eq!(named_first.out, kept.out);
    assert_said!(kept);
    assert_said!(server.runlane(&[&named[..], &["-p", "1", "--key-mode", "replace"]].concat()).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_shows_the_outcome_and_exits_by_it() {
    let server = Server::start().await;
    assert_said!(server.runlane(&["submit", "echo", "-p", r#"{"a":1}"#, "--wait"]).await);
    let failed = server.runlane(&["submit", "fail", "-p", r#"{"times":9}"#, "--max-attempts", "1", "--wait"]).await;
    assert_said!(failed);
    let late = ["submit", "sleep", "-p", r#"{"seconds":30}"#, "--timeout", "1", "--max-attempts", "1", "--wait"];
    assert_eq!(server.runlane(&late).await.status.code(), Some(5));
    let unfinished = server.runlane(&["submit", "sleep", "-p", r#"{"seconds":30}"#, "--wait=0.1"]).await;
    assert_eq!(unfinished.status.code(), Some(6), "{}", unfinished.err);
    let held = server.runlane(&["submit", "echo", "--hold", "--wait"]).await;
    assert_eq!(held.status.code(), Some(6), "{}", held.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_run_that_is_cancelled_says_so() {
    let server = Server::idle().await;
    let wait = server.runlane(&["submit", "echo", "--wait"]);
    let cancel = async {
        let run = loop {
            let runs = server.json(&["runs", "list"]).await;
            if let Some(id) = runs["data"][0]["id"].as_str() {
                break id.to_owned();
            }
        };
        server.runlane(&["runs", "cancel", &run]).await
    };
    let (waited, cancelled) = tokio::join!(wait, cancel);
    assert_eq!(cancelled.status.code(), Some(0), "{}", cancelled.err);
    assert_eq!(waited.status.code(), Some(4), "{} {}", waited.out, waited.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_asked_to_wait_no_longer_than_there_is_time() {
    use axum::http::HeaderMap;
    use axum::routing::{get, post};
    let queued = || async { axum::Json(serde_json::json!({"id": "a", "status": "queued"})) };
    let (heard, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let look = move |headers: HeaderMap| {
        let _ = heard.send(headers.get("prefer").map(|value| value.to_str().expect("text").to_owned()));
        queued()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let routes = axum::Router::new().route("/v1/runs", post(queued)).route("/v1/runs/a", get(look));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let said = runlane_at(&url, &["submit", "echo", "--wait=1"], None).await;
    assert_eq!(said.status.code(), Some(6), "{}", said.err);
    let mut looks = 0;
    while let Ok(prefer) = asked.try_recv() {
        looks += 1;
        assert!(matches!(prefer.as_deref(), None | Some("wait=0" | "wait=1")), "{prefer:?}");
    }
    assert!(looks > 0);
}
