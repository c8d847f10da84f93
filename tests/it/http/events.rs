//! Events, in pages and as a stream.

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use super::{PATIENCE, Site, id_of};

#[tokio::test]
async fn events_come_in_pages() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t"})).await;
    let claimed = site.claim().await;
    for line in ["one", "two", "three"] {
        site.say(claimed.lease(), line).await;
    }
    let first = site.get(&format!("/v1/runs/{id}/events?limit=2")).await.body;
    assert_eq!(first["data"][0]["data"]["text"], "one");
    assert_eq!((&first["data"][1]["seq"], &first["next_cursor"]), (&json!(2), &json!("2")));
    let second = site.get(&format!("/v1/runs/{id}/events?limit=2&after=2")).await.body;
    assert_eq!((&second["data"][0]["data"]["text"], &second["next_cursor"]), (&json!("three"), &json!(null)));
}

fn stream(site: &Site, id: &str) -> RequestBuilder {
    site.request(Method::GET, &format!("/v1/runs/{id}/events")).header("accept", "text/event-stream")
}

#[tokio::test]
async fn a_stream_brings_events_as_they_come_and_ends_with_the_run() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t"})).await;
    let claimed = site.claim().await;
    site.say(claimed.lease(), "before").await;
    let mut response = stream(&site, &id).send().await.expect("an answer");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    while !text.contains("before") {
        let chunk = tokio::time::timeout(PATIENCE, response.chunk()).await.expect("in time").expect("a chunk");
        text.push_str(&String::from_utf8_lossy(&chunk.expect("the stream goes on")));
    }
    site.say(claimed.lease(), "after").await;
    site.succeed(claimed.lease(), json!(null)).await;
    text.push_str(&tokio::time::timeout(PATIENCE, response.text()).await.expect("it ends").expect("text"));
    let heads: Vec<&str> =
        text.lines().filter(|line| line.starts_with("id:") || line.starts_with("event:")).map(str::trim_end).collect();
    assert_eq!(heads, ["id: 1", "event: log", "id: 2", "event: log", "event: end"]);
    assert!(text.contains(r#"data: {"status":"succeeded","error":null}"#), "{text}");
}

#[tokio::test]
async fn a_stream_goes_on_where_it_broke_off() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t"})).await;
    let claimed = site.claim().await;
    site.say(claimed.lease(), "one").await;
    site.say(claimed.lease(), "two").await;
    site.fail(claimed.lease()).await;
    let response = stream(&site, &id).header("last-event-id", "1").send().await.expect("an answer");
    let text = response.text().await.expect("it ends");
    assert!(!text.contains("one") && text.contains("two") && text.contains(r#""status":"failed""#), "{text}");
    let wrong = stream(&site, &id).header("last-event-id", "first");
    super::Answer::of(wrong).await.is_problem("invalid_header");
}

#[tokio::test]
async fn a_stream_ends_when_the_server_stops() {
    let site = Site::new().await;
    let id = site.submit(json!({"task": "t"})).await;
    let response = stream(&site, &id).send().await.expect("an answer");
    site.stop();
    let text = tokio::time::timeout(PATIENCE, response.text()).await.expect("it ends").expect("text");
    assert!(!text.contains("event: end"), "the run has not ended: {text}");
    site.stopped().await;
}

#[tokio::test]
async fn streams_are_counted() {
    let site = Site::with(|api| api.limits.streams = 1).await;
    let id = site.submit(json!({"task": "t"})).await;
    let first = stream(&site, &id).send().await.expect("an answer");
    super::Answer::of(stream(&site, &id)).await.is_problem("too_many_streams");
    drop(first);
    let workspace = Default::default();
    assert!(site.store.run(&workspace, id_of(&id)).await.expect("a read").is_some());
}
