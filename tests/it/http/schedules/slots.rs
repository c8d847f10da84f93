//! Slots: previewed, due, skipped, triggered in between, and held up by a pause.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reqwest::StatusCode;
use runlane::clock::{Clock, ManualClock};
use serde_json::{Value, json};

use super::super::Site;
use super::{path, runs_of, schedule, timed};

fn instant(value: &Value) -> Timestamp {
    value.as_str().expect("text").parse().expect("an instant")
}

#[tokio::test]
async fn a_paused_schedule_waits_and_goes_on_with_what_is_to_come() {
    let (site, clock, _place) = timed().await;
    let made = schedule(&site, json!({"task": "t", "every_seconds": 60})).await;
    let paused = site.tell(&path(&made, "/pause")).await.body;
    assert_eq!(
        (&paused["enabled"], &paused["disabled"]["code"], &paused["next_slot"]),
        (&json!(false), &json!("paused"), &json!(null))
    );
    assert_eq!(runs_of(&site, &made).await, [] as [Value; 0]);
    assert_eq!(site.tell(&path(&made, "/pause")).await.body["version"], paused["version"], "once is enough");
    clock.advance(SignedDuration::from_secs(600));
    let resumed = site.tell(&path(&made, "/resume")).await.body;
    assert_eq!((&resumed["enabled"], &resumed["disabled"]), (&json!(true), &json!(null)));
    assert!(instant(&resumed["next_slot"]) > clock.now());
    assert_eq!(runs_of(&site, &made).await.len(), 1);
    let log = site.get("/v1/audit").await.body;
    let said: Vec<_> = log["data"].as_array().expect("records").iter().map(|record| record["action"].clone()).collect();
    assert_eq!(said, ["schedule.resume", "schedule.pause", "schedule.create", "grant.create"]);
}

#[tokio::test]
async fn a_schedule_whose_only_slot_is_over_is_completed() {
    let (site, clock, _place) = timed().await;
    let at = clock.now() + SignedDuration::from_secs(60);
    let made = schedule(&site, json!({"task": "t", "at": at.to_string()})).await;
    clock.advance(SignedDuration::from_secs(60));
    site.store.promote(10).await.expect("promoted");
    let claimed = site.claim().await;
    site.succeed(claimed.lease(), json!(1)).await;
    let seen = site.get(&path(&made, "")).await.body;
    assert_eq!((&seen["disabled"]["code"], &seen["last_slot"]), (&json!("completed"), &made["next_slot"]));
    site.tell(&path(&made, "/resume")).await.is_problem("no_slots");
}

#[tokio::test]
async fn a_schedule_can_be_triggered_in_between_and_while_it_is_paused() {
    let site = Site::new().await;
    let made = schedule(&site, json!({"task": "t", "cron": "@yearly", "payload": 5})).await;
    site.tell(&path(&made, "/pause")).await;
    let run = site.tell(&path(&made, "/trigger")).await;
    assert_eq!(run.status, StatusCode::CREATED, "{}", run.body);
    assert_eq!(
        (&run.body["slot"], &run.body["schedule_id"], &run.body["payload"], &run.body["status"]),
        (&json!(null), &made["id"], &json!(5), &json!("queued"))
    );
    let claimed = site.claim().await;
    let second = site.tell(&path(&made, "/trigger")).await.body;
    assert_eq!(second["blocked_by"], "lane", "they may not overlap");
    site.succeed(claimed.lease(), json!(1)).await;
    let log = site.get("/v1/audit").await.body;
    assert_eq!(log["data"][0]["action"], "schedule.trigger");
}

#[tokio::test]
async fn where_runs_replace_each_other_a_trigger_cancels_what_is_under_way() {
    let site = Site::new().await;
    let made = schedule(&site, json!({"task": "t", "cron": "@yearly", "overlap": "replace"})).await;
    let first = site.tell(&path(&made, "/trigger")).await.body;
    let claimed = site.claim().await;
    let second = site.tell(&path(&made, "/trigger")).await.body;
    let first = site.get(&format!("/v1/runs/{}", first["id"].as_str().expect("an id"))).await.body;
    assert_eq!((&first["status"], &first["cancel_requested"]), (&json!("running"), &json!(true)));
    site.fail(claimed.lease()).await;
    assert_eq!(json!(site.claim().await.run.id), second["id"], "it starts when the other has stopped");
}

#[tokio::test]
async fn slots_are_previewed_with_what_the_clock_does() {
    let site = Site::new().await;
    let berlin = json!({"cron": "30 2 * * *", "timezone": "Europe/Berlin"});
    let mut body = berlin.clone();
    body["task"] = json!("t");
    let made = schedule(&site, body).await;
    let spring = site.get(&path(&made, "/preview?from=2027-03-27T12:00:00Z&count=2")).await.body;
    assert_eq!(
        spring,
        json!({"data": [
            {"slot": "2027-03-28T01:00:00Z", "local": "2027-03-28T03:00:00+02:00",
             "note": "the clock skips this time; due right after the gap"},
            {"slot": "2027-03-29T00:30:00Z", "local": "2027-03-29T02:30:00+02:00", "note": null},
        ]})
    );
    let mut ask = berlin;
    ask["from"] = json!("2027-10-30T12:00:00Z");
    ask["count"] = json!(1);
    let autumn = site.post("/v1/schedules/preview", ask.clone()).await.body;
    assert_eq!(autumn["data"][0]["slot"], "2027-10-31T00:30:00Z");
    assert_eq!(autumn["data"][0]["note"], "the clock shows this time twice; this is the first");
    assert_eq!(site.get(&path(&made, "/preview")).await.body["data"].as_array().map(Vec::len), Some(10));
    assert_eq!(site.get(&path(&made, "/preview?count=1000")).await.body["data"].as_array().map(Vec::len), Some(1000));
    for wrong in ["count=0", "count=1001", "count=x", "from=soon"] {
        site.get(&path(&made, &format!("/preview?{wrong}"))).await.is_problem("invalid_parameter");
    }
    ask["count"] = json!(0);
    site.post("/v1/schedules/preview", ask).await.is_problem("invalid_field");
    site.post("/v1/schedules/preview", json!({"cron": "0 0 31 2 *"})).await.is_problem("invalid_field");
}

#[tokio::test]
async fn runs_and_skipped_slots_are_one_history() {
    let (site, clock, _place) = timed().await;
    let starts = clock.now().to_string();
    let made = schedule(&site, json!({"task": "t", "every_seconds": 5, "starts_at": starts})).await;
    // Slots go by under a run, then a slot has its run, and then somebody triggers one.
    for stay in [17, 0] {
        clock.advance(SignedDuration::from_secs(5));
        site.store.promote(10).await.expect("promoted");
        let claimed = site.claim().await;
        clock.advance(SignedDuration::from_secs(stay));
        site.succeed(claimed.lease(), json!(1)).await;
    }
    let triggered = site.tell(&path(&made, "/trigger")).await.body;
    let whole = site.get(&path(&made, "/runs")).await.body;
    let whole = whole["data"].as_array().expect("entries");
    let count = |status: &str| whole.iter().filter(|entry| entry["status"] == status).count();
    assert_eq!((count("succeeded"), count("skipped"), count("queued")), (2, 1, 2), "{whole:?}");
    assert!(whole.iter().all(|entry| entry["schedule_id"] == made["id"]));
    assert!(whole.iter().any(|entry| entry["id"] == triggered["id"] && entry["slot"].is_null()));
    let skipped = whole.iter().find(|entry| entry["status"] == "skipped").expect("a skip");
    assert_eq!((&skipped["reason"], &skipped["count"]), (&json!("overlap"), &json!(3)));
    let mut paged = Vec::new();
    let mut next = String::new();
    loop {
        let page = site.get(&path(&made, &format!("/runs?limit=2{next}"))).await.body;
        paged.extend(page["data"].as_array().expect("entries").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(&paged, whole, "pages follow each other without gaps");
    site.get("/v1/schedules/x/runs").await.is_problem("schedule_not_found");
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn it_is_the_same_on_postgresql() {
    use runlane::store::postgres::PostgresStore;
    let Some(database) = crate::postgres::fixture::Database::empty().await else { return };
    let clock = ManualClock::starting_at(Clock::Database.host_now());
    let store = PostgresStore::connect(&database.url, Clock::Manual(clock.clone())).await.expect("a store");
    let site = Site::on(Arc::new(store), |_| {}).await;
    let body = json!({"task": "t", "every_seconds": 5, "starts_at": clock.now().to_string(), "payload": {"n": 1}});
    let made = schedule(&site, body).await;
    let seen = site.patch(&path(&made, ""), json!({"payload": {"n": 2}, "name": "two"})).await.body;
    assert_eq!((&seen["name"], &seen["next_slot"]), (&json!("two"), &made["next_slot"]));
    clock.advance(SignedDuration::from_secs(5));
    site.store.promote(10).await.expect("promoted");
    let claimed = site.claim().await;
    assert_eq!(claimed.run.payload.as_str(), r#"{"n":2}"#);
    clock.advance(SignedDuration::from_secs(12));
    site.use_up(claimed.lease(), "tokens", 12).await;
    site.succeed(claimed.lease(), json!(1)).await;
    let history = site.get(&path(&made, "/runs")).await.body;
    let statuses: Vec<_> = history["data"].as_array().expect("entries").iter().map(|entry| &entry["status"]).collect();
    assert_eq!(statuses.len(), 3, "{history}");
    let runs = runs_of(&site, &made).await;
    assert_eq!(runs[1]["usage"], json!({"tokens": 12}));
    let usage = site.get("/v1/usage").await.body;
    assert_eq!((&usage["data"][0]["account"], &usage["data"][0]["amount"]), (&json!("default"), &json!(12)));
    let grant = format!("/v1/grants/{}/revoke", made["grant_id"].as_str().expect("an id"));
    assert_eq!(site.tell(&grant).await.body["waiting_runs"], 1);
    site.tell(&path(&made, "/trigger")).await.is_problem("grant_revoked");
}
