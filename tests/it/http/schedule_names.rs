//! Schedules by name over the API: found, created once, and applied as often as anybody likes.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::schedules::{schedule, timed};
use super::{Answer, Site};

/// A name with everything that a URL could take for something else.
const NAME: &str = "reports/nightly 100% ü?#";
const IN_A_URL: &str = "/v1/schedules/reports%2Fnightly%20100%25%20%C3%BC%3F%23";

async fn put(site: &Site, path: &str, body: Value) -> Answer {
    Answer::of(site.request(Method::PUT, path).json(&body)).await
}

async fn actions(site: &Site) -> Vec<Value> {
    let log = site.get("/v1/audit").await.body;
    log["data"].as_array().expect("records").iter().rev().map(|record| record["action"].clone()).collect()
}

#[tokio::test]
async fn every_route_of_a_schedule_takes_its_name() {
    let site = Site::new().await;
    let made = schedule(&site, json!({"name": NAME, "task": "t", "every_seconds": 60})).await;
    assert_eq!(site.get(IN_A_URL).await.body, made);
    assert_eq!(site.patch(IN_A_URL, json!({"payload": 1})).await.body["version"], 2);
    assert_eq!(site.tell(&format!("{IN_A_URL}/pause")).await.body["enabled"], false);
    assert_eq!(site.tell(&format!("{IN_A_URL}/resume")).await.body["enabled"], true);
    let run = site.tell(&format!("{IN_A_URL}/trigger")).await.body;
    assert_eq!(run["schedule_id"], made["id"]);
    assert_eq!(site.get(&format!("{IN_A_URL}/preview?count=2")).await.body["data"].as_array().map(Vec::len), Some(2));
    assert_eq!(site.get(&format!("{IN_A_URL}/runs")).await.body["data"].as_array().map(Vec::len), Some(2));
    let found = site.get("/v1/runs?schedule=reports%2Fnightly%20100%25%20%C3%BC%3F%23").await.body;
    assert_eq!(found["data"].as_array().map(Vec::len), Some(2));
    let deleted = Answer::of(site.request(Method::DELETE, IN_A_URL)).await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    site.get(IN_A_URL).await.is_problem("schedule_not_found");
    site.get("/v1/runs?schedule=nobody").await.is_problem("invalid_parameter");
}

#[tokio::test]
async fn a_name_is_given_once_and_made_up_where_none_is_given() {
    let site = Site::new().await;
    let body = json!({"name": "nightly", "task": "t", "cron": "@daily"});
    let first = schedule(&site, body.clone()).await;
    let again = site.post("/v1/schedules", body).await;
    assert_eq!((again.status, &again.body["field"]), (StatusCode::CONFLICT, &json!("name")));
    assert!(again.body["hint"].as_str().is_some_and(|hint| hint.contains("apply")), "{}", again.body);
    again.is_problem("schedule_exists");
    let unnamed = json!({"task": "t", "cron": "@daily"});
    let mut names = Vec::new();
    for _ in 0..3 {
        names.push(schedule(&site, unnamed.clone()).await["name"].clone());
    }
    assert_eq!(names, ["t", "t-2", "t-3"]);
    site.patch("/v1/schedules/t", json!({"name": "nightly"})).await.is_problem("schedule_exists");
    assert_eq!(site.patch("/v1/schedules/t-3", json!({"name": null})).await.body["name"], "t-3", "it is its own");
    assert_eq!(site.patch("/v1/schedules/nightly", json!({"name": null})).await.body["name"], "t-4");
    for name in [first["id"].as_str().expect("an id"), "..", "preview"] {
        let refused = site.post("/v1/schedules", json!({"name": name, "task": "t", "cron": "@daily"})).await;
        assert_eq!(refused.body["field"], "name");
        refused.is_problem("invalid_field");
    }
    assert_eq!(schedule(&site, json!({"task": "preview", "cron": "@daily"})).await["name"], "preview-2");
}

#[tokio::test]
async fn what_is_applied_twice_is_written_once() {
    let (site, clock, _place) = timed().await;
    let body = json!({"task": "t", "every_seconds": 60, "payload": {"a": [1, 2]}, "metadata": {"team": "x"}});
    let made = put(&site, IN_A_URL, body.clone()).await;
    assert_eq!((made.status, &made.body["outcome"]), (StatusCode::CREATED, &json!("created")), "{}", made.body);
    assert_eq!((&made.body["schedule"]["name"], &made.body["schedule"]["version"]), (&json!(NAME), &json!(1)));
    clock.advance(jiff::SignedDuration::from_secs(7));
    for _ in 0..2 {
        let again = put(&site, IN_A_URL, body.clone()).await;
        assert_eq!((again.status, &again.body["outcome"]), (StatusCode::OK, &json!("unchanged")), "{}", again.body);
        assert_eq!((&again.body["schedule"], &again.body["changes"]), (&made.body["schedule"], &json!([])));
    }
    assert_eq!(actions(&site).await, ["grant.create", "schedule.create"]);
    let mut other = body.clone();
    other["every_seconds"] = json!(90);
    let dry = put(&site, &format!("{IN_A_URL}?dry_run=true"), other.clone()).await.body;
    let changes = json!([{"field": "every_seconds", "from": 60, "to": 90}]);
    assert_eq!((&dry["outcome"], &dry["changes"], &dry["dry_run"]), (&json!("updated"), &changes, &json!(true)));
    assert_eq!(site.get(IN_A_URL).await.body["every_seconds"], 60, "nothing was written");
    let updated = put(&site, IN_A_URL, other).await.body;
    assert_eq!((&updated["outcome"], &updated["changes"]), (&json!("updated"), &changes));
    assert_eq!(updated["schedule"]["version"], 2);
    assert_eq!(actions(&site).await.last(), Some(&json!("schedule.edit")));
}

#[tokio::test]
async fn a_dry_run_creates_nothing() {
    let site = Site::new().await;
    let dry = put(&site, "/v1/schedules/nightly?dry_run=true", json!({"task": "t", "cron": "@daily"})).await;
    assert_eq!((dry.status, &dry.body["outcome"]), (StatusCode::OK, &json!("created")));
    assert_eq!(dry.body["schedule"], json!(null));
    for list in ["/v1/schedules", "/v1/grants", "/v1/audit"] {
        assert_eq!(site.get(list).await.body["data"], json!([]), "{list}");
    }
    let bad = json!({"task": "t", "cron": "0 0 30 2 *"});
    put(&site, "/v1/schedules/nightly?dry_run=true", bad).await.is_problem("invalid_field");
}

#[tokio::test]
async fn a_hand_on_a_schedule_is_respected_where_nothing_else_is_said() {
    let site = Site::new().await;
    let body = json!({"task": "t", "cron": "@daily"});
    put(&site, "/v1/schedules/nightly", body.clone()).await;
    site.tell("/v1/schedules/nightly/pause").await;
    assert_eq!(put(&site, "/v1/schedules/nightly", body.clone()).await.body["outcome"], "unchanged");
    site.patch("/v1/schedules/nightly", json!({"cron": "@hourly", "priority": 5})).await;
    let back = put(&site, "/v1/schedules/nightly", body.clone()).await.body;
    assert_eq!((&back["schedule"]["cron"], &back["schedule"]["priority"]), (&json!("@daily"), &json!(0)));
    assert_eq!(back["schedule"]["enabled"], false, "what somebody paused stays paused");
    let mut enabled = body.clone();
    enabled["enabled"] = json!(true);
    assert_eq!(put(&site, "/v1/schedules/nightly", enabled).await.body["schedule"]["enabled"], true);
    let grant = back["schedule"]["grant_id"].clone();
    assert_eq!(put(&site, "/v1/schedules/nightly", body).await.body["schedule"]["grant_id"], grant);
    let other = put(&site, "/v1/schedules/nightly", json!({"task": "other", "cron": "@daily"})).await.body;
    assert_ne!(other["schedule"]["grant_id"], grant, "the grant was for the other task");
}

#[tokio::test]
async fn a_schedule_that_is_over_stays_so_until_it_gets_another_time() {
    let (site, clock, _place) = timed().await;
    let at = |seconds| (clock.now() + jiff::SignedDuration::from_secs(seconds)).to_string();
    let body = json!({"task": "t", "at": at(60)});
    put(&site, "/v1/schedules/once", body.clone()).await;
    clock.advance(jiff::SignedDuration::from_secs(61));
    site.store.promote(10).await.expect("promoted");
    let run = site.claim().await;
    site.succeed(run.lease(), json!(1)).await;
    let over = put(&site, "/v1/schedules/once", body).await.body;
    assert_eq!((&over["outcome"], &over["schedule"]["disabled"]["code"]), (&json!("unchanged"), &json!("completed")));
    let again = put(&site, "/v1/schedules/once", json!({"task": "t", "at": at(86_400)})).await.body;
    assert_eq!((&again["outcome"], &again["schedule"]["enabled"]), (&json!("updated"), &json!(true)));
}

#[tokio::test]
async fn grants_in_the_body_are_made_once() {
    let site = Site::new().await;
    let terms = json!({"user_id": "ada", "billing_account": "acme", "scopes": ["t"]});
    let body = json!({"task": "t", "cron": "@daily", "grant": terms});
    let made = put(&site, "/v1/schedules/nightly", body.clone()).await.body;
    let again = put(&site, "/v1/schedules/nightly", body.clone()).await.body;
    assert_eq!((&again["outcome"], &again["schedule"]), (&json!("unchanged"), &made["schedule"]));
    assert_eq!(site.get("/v1/grants").await.body["data"].as_array().map(Vec::len), Some(1));
    let mut other = body;
    other["grant"]["billing_account"] = json!("research");
    let moved = put(&site, "/v1/schedules/nightly", other).await.body;
    assert_eq!(moved["outcome"], "updated");
    assert_ne!(moved["schedule"]["grant_id"], made["schedule"]["grant_id"]);
}

#[tokio::test]
async fn what_was_edited_since_is_not_overwritten() {
    let site = Site::new().await;
    let made = put(&site, "/v1/schedules/nightly", json!({"task": "t", "cron": "@daily"})).await;
    assert_eq!(made.header("etag"), "\"1\"");
    let send = |path: &str, version: &str| {
        let request = site.request(Method::PUT, path).header("if-match", version.to_owned());
        Answer::of(request.json(&json!({"task": "t", "cron": "@hourly"})))
    };
    send("/v1/schedules/nightly", "\"7\"").await.is_problem("version_conflict");
    send("/v1/schedules/other", "\"1\"").await.is_problem("version_conflict");
    send("/v1/schedules/nightly", "soon").await.is_problem("invalid_header");
    assert_eq!(send("/v1/schedules/nightly", "\"1\"").await.body["schedule"]["version"], 2);
    let unknown = format!("/v1/schedules/{}", uuid::Uuid::now_v7());
    put(&site, &unknown, json!({"task": "t", "cron": "@daily"})).await.is_problem("schedule_not_found");
    let by_id = format!("/v1/schedules/{}", made.body["schedule"]["id"].as_str().expect("an id"));
    let same = put(&site, &by_id, json!({"task": "t", "cron": "@hourly"})).await.body;
    assert_eq!((&same["outcome"], &same["schedule"]["name"]), (&json!("unchanged"), &json!("nightly")));
    let named = json!({"name": "other", "task": "t", "cron": "@daily"});
    put(&site, "/v1/schedules/nightly", named).await.is_problem("conflicting_fields");
}

/// Eight at once, each time: one creates it, the others find it.
async fn of_many_one_creates(site: &Site) {
    let body = json!({"task": "t", "cron": "@daily"});
    let applied = (0..8).map(|_| put(site, "/v1/schedules/nightly", body.clone()));
    let outcomes: Vec<Value> =
        futures::future::join_all(applied).await.into_iter().map(|answer| answer.body["outcome"].clone()).collect();
    let created = outcomes.iter().filter(|outcome| **outcome == json!("created")).count();
    let unchanged = outcomes.iter().filter(|outcome| **outcome == json!("unchanged")).count();
    assert_eq!((created, unchanged), (1, 7), "{outcomes:?}");
    assert_eq!(actions(site).await, ["grant.create", "schedule.create"]);
}

#[tokio::test]
async fn of_many_that_apply_at_once_one_creates_it() {
    of_many_one_creates(&Site::new().await).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn of_many_that_apply_at_once_on_postgresql_one_creates_it() {
    use runlane::store::postgres::PostgresStore;
    let Some(database) = crate::postgres::fixture::Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, runlane::clock::Clock::Database).await.expect("a store");
    of_many_one_creates(&Site::on(std::sync::Arc::new(store), |_| {}).await).await;
}
