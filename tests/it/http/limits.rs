//! How often, how slowly and how much callers may send.

use std::num::NonZeroU32;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use runlane::access::Role;
use runlane::http::{Auth, RateLimit};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::auth::token;
use super::{Answer, PATIENCE, Site};

fn limit(burst: u32) -> Option<RateLimit> {
    Some(RateLimit { per_second: NonZeroU32::MIN, burst: NonZeroU32::new(burst)? })
}

async fn connect(site: &Site) -> TcpStream {
    TcpStream::connect(site.base.trim_start_matches("http://")).await.expect("a connection")
}

/// Everything that comes until the server hangs up.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // It may hang up without waiting for what was not read.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("hung up in time");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn each_token_has_a_rate_of_its_own() {
    let site = Site::with(|api| (api.auth, api.rate_limit) = (Auth::Tokens, limit(3))).await;
    let (one, other) = (token(&site, Role::Viewer, None).await, token(&site, Role::Viewer, None).await);
    let ask = |secret: &str| Answer::of(site.request(Method::GET, "/v1/runs").bearer_auth(secret));
    for _ in 0..3 {
        assert_eq!(ask(&one).await.status, StatusCode::OK);
    }
    let refused = ask(&one).await;
    assert_eq!(refused.is_problem("rate_limited").status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|seconds| (1..=3).contains(&seconds)));
    assert_eq!(ask(&other).await.status, StatusCode::OK);
    for path in ["/healthz", "/readyz", "/metrics"] {
        for _ in 0..5 {
            let answer = Answer::of(site.request(Method::GET, path).bearer_auth(&one)).await;
            assert_ne!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{path}");
        }
    }
}

#[tokio::test]
async fn without_tokens_an_address_has_a_rate_and_so_has_who_guesses() {
    let site = Site::with(|api| api.rate_limit = limit(2)).await;
    for _ in 0..2 {
        assert_eq!(site.get("/v1/runs").await.status, StatusCode::OK);
    }
    site.get("/v1/runs").await.is_problem("rate_limited");
    let guarded = Site::with(|api| (api.auth, api.rate_limit) = (Auth::Tokens, limit(2))).await;
    for code in ["unauthenticated", "unauthenticated", "rate_limited"] {
        Answer::of(guarded.request(Method::GET, "/v1/runs").bearer_auth("rl_guess")).await.is_problem(code);
    }
    let good = token(&guarded, Role::Viewer, None).await;
    let answer = Answer::of(guarded.request(Method::GET, "/v1/runs").bearer_auth(good)).await;
    assert_eq!(answer.status, StatusCode::OK, "who has a token does not suffer for others at the same address");
}

#[tokio::test]
async fn who_sends_a_head_too_slowly_is_hung_up_on() {
    let site = Site::with(|api| api.limits.header_wait = Duration::from_millis(300)).await;
    let mut silent = connect(&site).await;
    let mut slow = connect(&site).await;
    let trickle = async {
        for byte in b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" {
            if slow.write_all(&[*byte]).await.is_err() {
                break;
            }
            sleep(Duration::from_millis(25)).await;
        }
        rest(&mut slow).await
    };
    let (nothing, _) = tokio::join!(rest(&mut silent), timeout(PATIENCE, trickle));
    assert_eq!(nothing, "");
    let mut idle = connect(&site).await;
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("sent");
    assert!(rest(&mut idle).await.starts_with("HTTP/1.1 200"), "answered, then closed once it was idle for too long");
}

#[tokio::test]
async fn many_slow_callers_keep_nobody_from_being_served() {
    let site = Site::with(|api| {
        api.limits.header_wait = Duration::from_millis(500);
        api.limits.connections = 20;
    })
    .await;
    let mut slow = Vec::new();
    for _ in 0..60 {
        let mut stream = connect(&site).await;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: local").await.expect("sent");
        slow.push(stream);
    }
    assert_eq!(site.get("/healthz").await.status, StatusCode::OK);
}

#[tokio::test]
async fn who_waits_for_an_answer_is_not_slow() {
    let site = Site::with(|api| {
        api.limits.header_wait = Duration::from_millis(100);
        api.limits.body_wait = Duration::from_millis(100);
    })
    .await;
    let request = site.request(Method::POST, "/v1/runs").header("prefer", "wait=1");
    let answer = Answer::of(request.json(&json!({"task": "t"}))).await;
    assert_eq!((answer.status, &answer.body["status"]), (StatusCode::CREATED, &json!("queued")));
    let events = format!("/v1/runs/{}/events", answer.body["id"].as_str().expect("an id"));
    let stream = tokio::spawn(Answer::of(site.request(Method::GET, &events).header("accept", "text/event-stream")));
    sleep(Duration::from_millis(400)).await;
    let claimed = site.claim().await;
    site.say(claimed.lease(), "still there").await;
    site.succeed(claimed.lease(), json!(null)).await;
    let text = stream.await.expect("no panic").body.to_string();
    assert!(text.contains("still there") && text.contains("event: end"), "{text}");
}

#[tokio::test]
async fn a_body_that_trickles_in_is_not_waited_for() {
    let site = Site::with(|api| api.limits.body_wait = Duration::from_millis(200)).await;
    let mut stream = connect(&site).await;
    let head =
        "POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let (mut reader, mut writer) = stream.into_split();
    let trickle = tokio::spawn(async move {
        while writer.write_all(b" ").await.is_ok() {
            sleep(Duration::from_millis(20)).await
        }
    });
    let mut answer = vec![0; 4096];
    let length = timeout(PATIENCE, reader.read(&mut answer)).await.expect("in time").expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains(r#""code":"request_timeout""#), "{answer}");
    trickle.abort();
}

#[tokio::test]
async fn a_head_has_a_limit() {
    let site = Site::new().await;
    let head = |lines: String| format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{lines}connection: close\r\n\r\n");
    let many: String = (0..200).map(|number| format!("x-{number}: 1\r\n")).collect();
    let large = format!("x-large: {}\r\n", "x".repeat(100 * 1024));
    for (lines, expected) in [(String::new(), "HTTP/1.1 200"), (many, "HTTP/1.1 431"), (large, "HTTP/1.1 431")] {
        let mut stream = connect(&site).await;
        let _ = stream.write_all(head(lines).as_bytes()).await;
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with(expected), "{expected}: {answer}");
    }
}

#[tokio::test]
async fn a_token_that_another_process_revoked_is_no_good_within_seconds() {
    let site = Site::with(|api| api.auth = Auth::Tokens).await;
    let secret = token(&site, Role::Viewer, None).await;
    let ask = || Answer::of(site.request(Method::GET, "/v1/runs").bearer_auth(&secret));
    assert_eq!(ask().await.status, StatusCode::OK);
    let known = site.store.tokens(None).await.expect("tokens")[0].id;
    site.store.revoke_token(known).await.expect("revoked");
    assert_eq!(ask().await.status, StatusCode::OK, "remembered for a moment");
    sleep(Duration::from_millis(5100)).await;
    ask().await.is_problem("unauthenticated");
}
