//! Schedules made, listed and deleted.

use std::sync::Arc;

use reqwest::{Method, StatusCode};
use runlane::actions::{Catalog, Refusal, TaskDefaults};
use runlane::http::Api;
use runlane::run::{Json, QueueName, TaskName};
use serde_json::{Value, json};

use super::super::{Answer, Site};
use super::{path, runs_of, schedule};

#[tokio::test]
async fn a_schedule_is_made_with_its_first_run_and_its_own_grant() {
    let site = Site::new().await;
    let body = json!({"task": "report", "payload": {"a": 1}, "cron": "30 2 * * *", "timezone": "europe/berlin",
        "dst": {"gap": "skip"}, "queue": "q", "lane": "l", "priority": 7, "max_attempts": 2, "timeout_seconds": 60,
        "metadata": {"team": "x"}, "overlap": "allow", "catch_up_limit": 3, "start_within_seconds": 600,
        "jitter_seconds": 30, "retry": {"base_seconds": 5, "factor": 2, "cap_seconds": 60}});
    let made = site.post("/v1/schedules", body.clone()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    assert_eq!(made.header("location"), path(&made.body, ""));
    let mut expected = body;
    expected["timezone"] = json!("Europe/Berlin");
    expected["dst"] = json!({"gap": "skip", "overlap": "first"});
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&made.body[field], value, "{field}");
    }
    assert_eq!(
        (&made.body["name"], &made.body["enabled"], &made.body["version"], &made.body["workspace"]),
        (&json!("report"), &json!(true), &json!(1), &json!("default"))
    );
    assert_eq!(
        (&made.body["every_seconds"], &made.body["at"], &made.body["disabled"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(site.get(&path(&made.body, "")).await.body, made.body);
    let runs = runs_of(&site, &made.body).await;
    let [run] = &runs[..] else { panic!("one run: {runs:?}") };
    assert_eq!(
        (&run["slot"], &run["schedule_id"], &run["grant_id"], &run["usage"], &run["status"]),
        (&made.body["next_slot"], &made.body["id"], &made.body["grant_id"], &json!({}), &json!("queued"))
    );
    assert_eq!((&run["payload"], &run["lane"], &run["priority"]), (&json!({"a": 1}), &json!("l"), &json!(7)));
    let grant = site.get(&format!("/v1/grants/{}", made.body["grant_id"].as_str().expect("an id"))).await.body;
    assert_eq!(
        (&grant["user_id"], &grant["billing_account"], &grant["scopes"]),
        (&json!("local"), &json!("default"), &json!(["report"]))
    );
}

#[tokio::test]
async fn schedules_are_listed_in_pages_and_deleted_with_their_waiting_run() {
    let site = Site::new().await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.insert(0, schedule(&site, json!({"task": "t", "every_seconds": 60})).await);
    }
    let first = site.get("/v1/schedules?limit=2").await.body;
    assert_eq!(first["data"], json!(&made[..2]));
    let cursor = first["next_cursor"].as_str().expect("more");
    let rest = site.get(&format!("/v1/schedules?limit=2&cursor={cursor}")).await.body;
    assert_eq!((&rest["data"], &rest["next_cursor"]), (&json!([made[2]]), &json!(null)));
    let under = format!("/v1/schedules?grant={}", made[1]["grant_id"].as_str().expect("an id"));
    assert_eq!(site.get(&under).await.body["data"], json!([made[1]]));
    let gone = Answer::of(site.request(Method::DELETE, &path(&made[0], ""))).await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    site.get(&path(&made[0], "")).await.is_problem("schedule_not_found");
    Answer::of(site.request(Method::DELETE, &path(&made[0], ""))).await.is_problem("schedule_not_found");
    assert_eq!(runs_of(&site, &made[0]).await, [] as [Value; 0]);
}

/// Knows one task, whose payload is a number and whose runs go to `numbers`.
struct Picky;

impl Catalog for Picky {
    fn admit(&self, task: &TaskName, payload: &Json) -> Result<TaskDefaults, Refusal> {
        match task.as_str() {
            "count" if payload.as_str().parse::<i64>().is_ok() => {
                Ok(TaskDefaults { queue: QueueName::parse("numbers").ok(), ..TaskDefaults::default() })
            }
            "count" => Err(Refusal::InvalidPayload { pointer: None, reason: "not a number".into() }),
            _ => Err(Refusal::UnknownTask { task: task.clone(), known: vec!["count".into()] }),
        }
    }
}

#[tokio::test]
async fn a_schedule_is_held_against_its_task_as_a_submission_is() {
    let site = Site::with(|api: &mut Api| api.catalog = Arc::new(Picky)).await;
    let made = schedule(&site, json!({"task": "count", "payload": 1, "every_seconds": 60})).await;
    assert_eq!(made["queue"], "numbers");
    let refused = site.post("/v1/schedules", json!({"task": "cuont", "every_seconds": 60})).await;
    refused.is_problem("unknown_task");
    site.post("/v1/schedules", json!({"task": "count", "every_seconds": 60})).await.is_problem("invalid_payload");
    site.patch(&path(&made, ""), json!({"payload": "x"})).await.is_problem("invalid_payload");
    let moved = site.patch(&path(&made, ""), json!({"queue": "q"})).await.body;
    assert_eq!(moved["queue"], "q");
    assert_eq!(site.patch(&path(&made, ""), json!({"queue": null})).await.body["queue"], "numbers");
}
