//! Submitting runs.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{Answer, PATIENCE, Site};

#[tokio::test]
async fn a_submitted_run_is_answered_with_everything_that_is_known_of_it() {
    let site = Site::new().await;
    let answer = site.post("/v1/runs", json!({"task": "resize", "payload": {"width": 100}, "priority": 5})).await;
    assert_eq!(answer.status, StatusCode::CREATED);
    let id = answer.body["id"].as_str().expect("an id");
    assert_eq!(answer.header("location"), format!("/v1/runs/{id}"));
    assert_eq!(site.get(&format!("/v1/runs/{id}")).await.body, answer.body);
    let mut body = answer.body.clone();
    for changing in ["id", "available_at", "requested_at"] {
        assert!(body[changing].is_string(), "{changing}");
        body[changing] = "…".into();
    }
    let expected = json!({
        "id": "…", "workspace": "default", "task": "resize", "queue": "default", "lane": null, "status": "queued",
        "blocked_by": null, "priority": 5, "payload": {"width": 100}, "attempt": 0, "max_attempts": 3, "postponements": 0,
        "timeout_seconds": null, "retry": null, "key": null, "available_at": "…", "start_by": null, "requested_at": "…", "started_at": null,
        "finished_at": null, "lease": null, "cancel_requested": false, "error": null, "output": null, "usage": {},
        "schedule_id": null, "slot": null, "grant_id": null, "build_id": null, "metadata": null,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn every_option_reaches_the_run() {
    let site = Site::new().await;
    let upstream = site.submit(json!({"task": "first"})).await;
    let body = json!({
        "task": "t", "queue": "q", "lane": "l", "max_attempts": 7, "timeout_seconds": 9, "delay_seconds": 0.5, "start_within_seconds": 60,
        "after": [upstream], "key": "k", "key_mode": "replace", "metadata": {"a": 1},
    });
    let run = site.post("/v1/runs", body).await.body;
    assert_eq!((&run["queue"], &run["lane"], &run["max_attempts"]), (&json!("q"), &json!("l"), &json!(7)));
    assert_eq!((&run["timeout_seconds"], &run["key"]), (&json!(9), &json!("k")));
    let times = ["available_at", "start_by"].map(|name| run[name].as_str().and_then(|at| at.parse::<Timestamp>().ok()));
    let [Some(available_at), Some(start_by)] = times else { panic!("both times are there: {run}") };
    assert_eq!(start_by.duration_since(available_at), SignedDuration::from_mins(1));
    assert_eq!((&run["blocked_by"], &run["metadata"]), (&json!("upstream"), &json!({"a": 1})));
    let held = site.post("/v1/runs", json!({"task": "t", "hold": true})).await.body;
    assert_eq!(held["status"], "pending");
    let later = site.post("/v1/runs", json!({"task": "t", "available_at": "2999-01-01T00:00:00Z"})).await.body;
    assert_eq!(
        (&later["blocked_by"], &later["available_at"]),
        (&json!("available_at"), &json!("2999-01-01T00:00:00Z"))
    );
}

#[tokio::test]
async fn a_run_may_have_a_retry_policy_of_its_own() {
    let site = Site::new().await;
    let given = json!({"base_seconds": 0.25, "factor": 2, "cap_seconds": 300});
    let run = site.post("/v1/runs", json!({"task": "t", "retry": given})).await.body;
    assert_eq!(run["retry"], given);
    let path = format!("/v1/runs/{}", run["id"].as_str().expect("an id"));
    assert_eq!(site.get(&path).await.body["retry"], given);
    let again = site.post(&format!("{path}/rerun"), json!({})).await.body;
    assert_eq!(again["retry"], given);
    // In a batch, and with what is left out.
    let batch = json!({"runs": [{"task": "t", "retry": {"base_seconds": 90}}, {"task": "t", "retry": null}]});
    let answer = site.post("/v1/runs/batch", batch).await;
    assert_eq!(answer.body["created"], 2, "{:?}", answer.body);
    let retry_of = async |item: usize| {
        let id = answer.body["data"][item]["id"].as_str().expect("an id").to_owned();
        site.get(&format!("/v1/runs/{id}")).await.body["retry"].clone()
    };
    assert_eq!(retry_of(0).await, json!({"base_seconds": 90, "factor": 3, "cap_seconds": 90}));
    assert_eq!(retry_of(1).await, json!(null));
}

#[tokio::test]
async fn the_wait_before_the_next_attempt_is_what_the_submission_said() {
    let site = Site::new().await;
    let retry = json!({"base_seconds": 5000, "cap_seconds": 5000});
    let id = site.submit(json!({"task": "t", "retry": retry})).await;
    let claimed = site.claim().await;
    site.fail_for_now(claimed.lease()).await;
    let run = site.get(&format!("/v1/runs/{id}")).await.body;
    assert_eq!(run["status"], "retrying");
    let time = |name: &str| run[name].as_str().expect("a time").parse::<jiff::Timestamp>().expect("a time");
    let waits = time("available_at").duration_since(time("started_at"));
    assert!((5000..5060).contains(&waits.as_secs()), "{waits:?}");
}

#[tokio::test]
async fn a_retry_policy_that_makes_no_sense_is_refused_by_field() {
    let site = Site::new().await;
    let refused = [
        (json!({"base_seconds": -1}), "invalid_field", "retry.base_seconds"),
        (json!({"cap_seconds": 1e9}), "invalid_field", "retry.cap_seconds"),
        (json!({"base_seconds": 10, "cap_seconds": 5}), "invalid_field", "retry.cap_seconds"),
        (json!({"factor": 0}), "invalid_field", "retry.factor"),
        (json!({"factor": 2.5}), "invalid_field", "retry.factor"),
        (json!({"min_seconds": 1}), "unknown_field", "retry.min_seconds"),
        (json!([1, 2, 3]), "invalid_field", "retry"),
        (json!("never"), "invalid_field", "retry"),
    ];
    for (retry, code, field) in refused {
        let answer = site.post("/v1/runs", json!({"task": "t", "retry": retry})).await;
        answer.is_problem(code);
        assert_eq!(answer.body["field"], field, "{retry}: {:?}", answer.body);
    }
}

#[tokio::test]
async fn a_payload_comes_back_as_it_was_sent() {
    let site = Site::new().await;
    let body = r#"{"task":"t","payload":{"big":12345678901234567890123,"b":1.50,"a":"é"}}"#;
    let request = site.request(Method::POST, "/v1/runs").header("content-type", "application/json").body(body);
    let text = request.send().await.expect("an answer").text().await.expect("a body");
    assert!(text.contains(r#""payload":{"big":12345678901234567890123,"b":1.50,"a":"é"}"#), "{text}");
}

#[tokio::test]
async fn a_repeated_request_is_answered_with_its_first_run() {
    let site = Site::new().await;
    let submit = |body: &'static str| {
        let request = site.request(Method::POST, "/v1/runs").header("idempotency-key", "order 17");
        // The caller's trace is another each time, and no part of what is asked for.
        let trace = format!("00-{:032x}-b7ad6b7169203331-01", body.len());
        Answer::of(request.header("content-type", "application/json").header("traceparent", trace).body(body))
    };
    let first = submit(r#"{"task":"t","payload":{"a":1,"b":2}}"#).await;
    let again = submit(r#"{ "payload": {"b":2, "a":1}, "task": "t" }"#).await;
    assert_eq!((first.status, again.status), (StatusCode::CREATED, StatusCode::OK));
    assert_eq!(first.body["id"], again.body["id"]);
    submit(r#"{"task":"t","payload":{"a":1,"b":3}}"#).await.is_problem("idempotency_mismatch");
}

#[tokio::test]
async fn a_key_keeps_or_replaces_what_has_not_started() {
    let site = Site::new().await;
    let first = site.submit(json!({"task": "t", "key": "nightly", "payload": 1})).await;
    let kept = site.post("/v1/runs", json!({"task": "t", "key": "nightly", "payload": 2})).await;
    assert_eq!((kept.status, &kept.body["id"], &kept.body["payload"]), (StatusCode::OK, &json!(first), &json!(1)));
    let body = json!({"task": "t", "key": "nightly", "key_mode": "replace", "payload": 3});
    let replaced = site.post("/v1/runs", body).await;
    assert_eq!((replaced.status, &replaced.body["id"]), (StatusCode::OK, &json!(first)));
    assert_eq!(replaced.body["payload"], 3);
}

#[tokio::test]
async fn who_prefers_to_wait_is_answered_with_the_outcome() {
    let site = Site::new().await;
    let request = site.request(Method::POST, "/v1/runs").header("prefer", "wait=15").json(&json!({"task": "t"}));
    let answer = tokio::spawn(Answer::of(request));
    let claimed = loop {
        match tokio::time::timeout(PATIENCE, site.store.counts()).await.expect("in time").expect("counts") {
            counts if counts.iter().any(|count| count.ready > 0) => break site.claim().await,
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    site.succeed(claimed.lease(), json!({"bytes": 1})).await;
    let answer = answer.await.expect("no panic");
    assert_eq!(answer.status, StatusCode::CREATED);
    assert_eq!((&answer.body["status"], &answer.body["output"]), (&json!("succeeded"), &json!({"bytes": 1})));
}

#[tokio::test]
async fn waiting_ends_in_time_and_when_the_server_stops() {
    let site = Site::new().await;
    let request = |prefer| site.request(Method::POST, "/v1/runs").header("prefer", prefer).json(&json!({"task": "t"}));
    assert_eq!(Answer::of(request("wait=0")).await.body["status"], "queued");
    let answer = tokio::spawn(Answer::of(request("wait=600")));
    while site.store.counts().await.expect("counts").iter().map(|count| count.runs).sum::<u64>() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    site.stop();
    assert_eq!(answer.await.expect("no panic").body["status"], "queued");
    site.stopped().await;
}

#[tokio::test]
async fn who_prefers_little_gets_the_id_alone() {
    let site = Site::new().await;
    let request = site.request(Method::POST, "/v1/runs").header("prefer", "return=minimal");
    let answer = Answer::of(request.json(&json!({"task": "t"}))).await;
    assert_eq!(answer.status, StatusCode::CREATED);
    assert_eq!(answer.body.as_object().expect("an object").len(), 1);
    let id = answer.body["id"].as_str().expect("an id");
    assert_eq!(site.get(&format!("/v1/runs/{id}")).await.body["task"], "t");
}

#[tokio::test]
async fn the_callers_trace_is_kept_with_the_run() {
    let site = Site::new().await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let submit = |body| Answer::of(site.request(Method::POST, "/v1/runs").header("traceparent", trace).json(&body));
    let run = submit(json!({"task": "t", "metadata": {"team": "x"}})).await.body;
    assert_eq!(run["metadata"], json!({"traceparent": trace, "team": "x"}));
    let own = submit(json!({"task": "t", "metadata": {"traceparent": "mine"}})).await.body;
    assert_eq!(own["metadata"], json!({"traceparent": "mine"}));
}

#[tokio::test]
async fn a_batch_is_judged_one_by_one() {
    let site = Site::with(|api| api.admission.queue_size = Some(2)).await;
    let nobody = "01890000-0000-7000-8000-000000000000";
    let runs = json!([{"task": "a"}, {"task": "b", "after": [nobody]}, {"task": "c"}, {"task": "d"}]);
    let answer = site.post("/v1/runs/batch", json!({"runs": runs})).await;
    assert_eq!(answer.status, StatusCode::OK);
    let outcomes: Vec<_> = answer.body["data"].as_array().expect("items").iter().map(|item| &item["outcome"]).collect();
    assert_eq!(outcomes, ["created", "refused", "created", "refused"]);
    assert_eq!((&answer.body["created"], &answer.body["refused"]), (&json!(2), &json!(2)));
    assert_eq!(answer.body["data"][1]["error"]["code"], "unknown_upstream");
    assert_eq!(answer.body["data"][3]["error"]["code"], "run_queue_full");
}

#[tokio::test]
async fn a_batch_can_be_sent_again() {
    let site = Site::new().await;
    let send = || {
        let request = site.request(Method::POST, "/v1/runs/batch").header("idempotency-key", "import 1");
        Answer::of(request.json(&json!({"runs": [{"task": "a"}, {"task": "a"}]})))
    };
    let (first, again) = (send().await.body, send().await.body);
    assert_eq!((&first["created"], &again["created"]), (&json!(2), &json!(0)));
    assert_eq!(again["data"][1]["outcome"], "existing");
    assert_eq!(first["data"][1]["id"], again["data"][1]["id"]);
    assert_ne!(first["data"][0]["id"], first["data"][1]["id"]);
    for key in [String::new(), "x".repeat(191)] {
        let request = site.request(Method::POST, "/v1/runs/batch").header("idempotency-key", key);
        Answer::of(request.json(&json!({"runs": [{"task": "a"}]}))).await.is_problem("invalid_header");
    }
}

#[tokio::test]
async fn a_batch_may_be_large_but_not_larger() {
    let site = Site::new().await;
    let batch = |size: usize| json!({"runs": vec![json!({"task": "t", "payload": "x".repeat(150)}); size]});
    let answer = site.post("/v1/runs/batch", batch(10_000)).await;
    assert_eq!(answer.body["created"], 10_000);
    let refused = site.post("/v1/runs/batch", batch(10_001)).await;
    assert_eq!(refused.is_problem("invalid_field").body["field"], "runs");
    site.post("/v1/runs/batch", batch(0)).await.is_problem("invalid_field");
    let nested =
        site.post("/v1/runs/batch", json!({"runs": [{"task": "t"}, {"task": "t", "delay_seconds": -1}]})).await;
    assert_eq!(nested.is_problem("invalid_field").body["field"], "runs[1].delay_seconds");
}
