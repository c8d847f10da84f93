//! Schedules over the API: made, changed, previewed, triggered, and what became of their slots.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reqwest::{Method, StatusCode};
use runlane::access::Role;
use runlane::actions::{Catalog, Refusal, TaskDefaults};
use runlane::clock::{Clock, ManualClock};
use runlane::http::{Api, Auth};
use runlane::run::{Json, QueueName, TaskName};
use runlane::store::sqlite::SqliteStore;
use serde_json::{Value, json};

use super::{Answer, Site};

/// A server whose database goes by a clock of ours, which begins at the time it is.
pub(super) async fn timed() -> (Site, ManualClock, tempfile::TempDir) {
    let place = tempfile::tempdir().expect("a directory");
    let clock = ManualClock::starting_at(Clock::Database.host_now());
    let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Manual(clock.clone())).await;
    let site = Site::on(Arc::new(store.expect("a store")), |_| {}).await;
    (site, clock, place)
}

pub(super) async fn schedule(site: &Site, body: Value) -> Value {
    let made = site.post("/v1/schedules", body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    made.body
}

pub(super) fn path(thing: &Value, rest: &str) -> String {
    format!("/v1/schedules/{}{rest}", thing["id"].as_str().expect("an id"))
}

pub(super) async fn runs_of(site: &Site, schedule: &Value) -> Vec<Value> {
    let found = site.get(&format!("/v1/runs?schedule={}", schedule["id"].as_str().expect("an id"))).await;
    found.body["data"].as_array().expect("runs").clone()
}

fn instant(value: &Value) -> Timestamp {
    value.as_str().expect("text").parse().expect("an instant")
}

#[tokio::test]
async fn a_schedule_is_made_with_its_first_run_and_its_own_grant() {
    let site = Site::new().await;
    let body = json!({"task": "report", "payload": {"a": 1}, "cron": "30 2 * * *", "timezone": "europe/berlin",
        "dst": {"gap": "skip"}, "queue": "q", "lane": "l", "priority": 7, "max_attempts": 2, "timeout_seconds": 60,
        "metadata": {"team": "x"}, "overlap": "allow", "catch_up_limit": 3, "starting_deadline_seconds": 600,
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

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name_with_what_to_write() {
    let site = Site::new().await;
    let cases = [
        (json!({}), "missing_field", "cron", "one of cron"),
        (json!({"cron": "@daily", "at": "2030-01-01T00:00:00Z"}), "conflicting_fields", "at", "one of cron"),
        (json!({"cron": "@daily", "every_seconds": 5}), "conflicting_fields", "every_seconds", "one of cron"),
        (json!({"every_seconds": 5, "timezone": "UTC"}), "conflicting_fields", "timezone", "leave the field out"),
        (json!({"at": "2030-01-01T00:00:00Z", "dst": {}}), "conflicting_fields", "dst", "leave the field out"),
        (
            json!({"cron": "@daily", "starts_at": "2030-01-01T00:00:00Z"}),
            "conflicting_fields",
            "starts_at",
            "every_seconds",
        ),
        (json!({"cron": "61 * * * *"}), "invalid_field", "cron", "minute, hour"),
        (json!({"cron": "* * * *"}), "invalid_field", "cron", "minute, hour"),
        (json!({"cron": "0 0 30 2 *"}), "invalid_field", "cron", "day of month"),
        (
            json!({"cron": "@daily", "timezone": "Europe/Berln"}),
            "invalid_field",
            "timezone",
            "did you mean Europe/Berlin?",
        ),
        (json!({"cron": "@daily", "timezone": "Mars/Olympus"}), "invalid_field", "timezone", "IANA"),
        (json!({"cron": "@daily", "dst": {"gap": "before"}}), "invalid_field", "dst.gap", ""),
        (json!({"cron": "@daily", "dst": {"hole": "skip"}}), "unknown_field", "dst.hole", ""),
        (json!({"at": "2020-01-01T00:00:00Z"}), "invalid_field", "at", "in the future"),
        (json!({"every_seconds": 0}), "invalid_field", "every_seconds", ""),
        (json!({"every_seconds": 5, "overlap": "queue"}), "invalid_field", "overlap", ""),
        (json!({"every_seconds": 5, "catch_up_limit": 1001}), "invalid_field", "catch_up_limit", ""),
        (
            json!({"every_seconds": 5, "catch_up_limit": 1, "overlap": "replace"}),
            "conflicting_fields",
            "catch_up_limit",
            "forbid",
        ),
        (json!({"every_seconds": 5, "jitter_seconds": 86_401}), "invalid_field", "jitter_seconds", ""),
        (json!({"every_seconds": 5, "metadata": []}), "invalid_field", "metadata", ""),
        (json!({"every_seconds": 5, "name": ""}), "invalid_field", "name", ""),
        (json!({"every_seconds": 5, "api_key": "x"}), "unknown_field", "api_key", ""),
        (
            json!({"every_seconds": 5, "grant_id": "01890000-0000-7000-8000-000000000000"}),
            "unknown_grant",
            "grant_id",
            "this workspace",
        ),
        (
            json!({"every_seconds": 5, "grant": {"user_id": "a", "billing_account": "b", "scopes": []}}),
            "invalid_field",
            "grant.scopes",
            "task names",
        ),
        (
            json!({"every_seconds": 5, "grant": {"user_id": "a", "billing_account": "b"}}),
            "missing_field",
            "grant.scopes",
            "",
        ),
        (
            json!({"every_seconds": 5, "grant": {"user_id": "a", "billing_account": "b", "scopes": ["other"]}}),
            "grant_scope",
            "grant_id",
            "another",
        ),
        (
            json!({"every_seconds": 5, "grant": {"user_id": "a", "billing_account": "b", "scopes": ["*"], "expires_at": "2020-01-01T00:00:00Z"}}),
            "invalid_field",
            "grant.expires_at",
            "in the future",
        ),
        (
            json!({"every_seconds": 5, "grant_id": "01890000-0000-7000-8000-000000000000", "grant": {"user_id": "a", "billing_account": "b", "scopes": ["*"]}}),
            "conflicting_fields",
            "grant",
            "existing grant",
        ),
    ];
    for (mut body, code, field, hint) in cases {
        body["task"] = json!("t");
        let answer = site.post("/v1/schedules", body.clone()).await;
        assert_eq!(answer.is_problem(code).body["field"], field, "{body}: {}", answer.body);
        assert!(answer.body["hint"].as_str().unwrap_or_default().contains(hint), "{body}: {}", answer.body);
    }
    assert_eq!(site.get("/v1/schedules").await.body["data"], json!([]));
    assert_eq!(site.get("/v1/grants").await.body["data"], json!([]));
}

#[tokio::test]
async fn a_change_touches_only_what_it_names() {
    let site = Site::new().await;
    let made = schedule(
        &site,
        json!({"task": "t", "cron": "0 9 * * *", "timezone": "Asia/Tokyo", "lane": "l",
        "timeout_seconds": 9, "payload": 1, "retry": {"base_seconds": 90, "cap_seconds": 90}}),
    )
    .await;
    let edit = async |change: Value| {
        let answer = site.patch(&path(&made, ""), change).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body
    };
    let seen = edit(json!({"payload": {"n": 2}})).await;
    assert_eq!(
        (&seen["payload"], &seen["version"], &seen["next_slot"]),
        (&json!({"n": 2}), &json!(2), &made["next_slot"])
    );
    let runs = runs_of(&site, &made).await;
    assert_eq!((runs.len(), &runs[0]["payload"]), (1, &json!({"n": 2})), "the waiting run is the new one");
    let retry = json!({"base_seconds": 90, "factor": 3, "cap_seconds": 90});
    assert_eq!((&seen["retry"], &runs[0]["retry"]), (&retry, &retry), "another payload changes nothing about it");
    let seen = edit(json!({"timezone": "Europe/Paris"})).await;
    assert_eq!((&seen["cron"], &seen["timezone"]), (&json!("0 9 * * *"), &json!("Europe/Paris")));
    let seen = edit(json!({"cron": "0 10 * * *", "dst": {"overlap": "both"}})).await;
    assert_eq!((&seen["timezone"], &seen["dst"]["overlap"]), (&json!("Europe/Paris"), &json!("both")));
    let seen = edit(json!({"timezone": null, "lane": null, "timeout_seconds": null, "name": "nightly",
        "retry": null}))
    .await;
    assert_eq!(seen["retry"], json!(null));
    assert_eq!(
        (&seen["timezone"], &seen["lane"], &seen["timeout_seconds"], &seen["name"]),
        (&json!("UTC"), &json!(null), &json!(null), &json!("nightly"))
    );
    let seen = edit(json!({"every_seconds": 60})).await;
    assert_eq!((&seen["cron"], &seen["timezone"], &seen["every_seconds"]), (&json!(null), &json!(null), &json!(60)));
    let again = edit(json!({"every_seconds": 90})).await;
    assert_eq!(again["starts_at"], seen["starts_at"], "an interval keeps where it began");
    let seen = edit(json!({"at": "2035-01-01T00:00:00Z", "enabled": false})).await;
    assert_eq!((&seen["enabled"], &seen["disabled"]["code"]), (&json!(false), &json!("paused")));
    assert_eq!(runs_of(&site, &made).await, [] as [Value; 0]);
    let version = seen["version"].as_i64().expect("a number");
    edit(json!({"version": version, "enabled": true})).await;
    for (change, code, field) in [
        (json!({"version": version, "priority": 1}), "version_conflict", json!("version")),
        (json!({"timezone": "UTC"}), "conflicting_fields", json!("timezone")),
        (json!({"retry": {"factor": 0}}), "invalid_field", json!("retry.factor")),
        (json!({"retry": [1, 2, 3]}), "invalid_field", json!("retry")),
        (json!({"cron": "nonsense"}), "invalid_field", json!("cron")),
        (json!({"at": "2020-01-01T00:00:00Z"}), "invalid_field", json!("at")),
        (json!({"task": "other"}), "grant_scope", json!("grant_id")),
        (json!({"nmae": "x"}), "unknown_field", json!("nmae")),
    ] {
        let answer = site.patch(&path(&made, ""), change.clone()).await;
        assert_eq!(answer.is_problem(code).body["field"], field, "{change}");
    }
    let grant = json!({"user_id": "ada", "billing_account": "lab", "scopes": ["other"]});
    let seen = edit(json!({"task": "other", "grant": grant})).await;
    assert_eq!(seen["task"], "other");
    assert_ne!(seen["grant_id"], made["grant_id"]);
    let nobody = "/v1/schedules/01890000-0000-7000-8000-000000000000";
    site.patch(nobody, json!({"priority": 1})).await.is_problem("schedule_not_found");
}

#[tokio::test]
async fn concurrent_edits_do_not_lose_each_other() {
    let site = Site::new().await;
    let made = schedule(&site, json!({"task": "t", "every_seconds": 3600})).await;
    let place = path(&made, "");
    let edits = [
        json!({"priority": 5}),
        json!({"lane": "l"}),
        json!({"name": "n"}),
        json!({"queue": "q"}),
        json!({"max_attempts": 9}),
        json!({"jitter_seconds": 4}),
    ];
    let answers = futures::future::join_all(edits.iter().map(|edit| site.patch(&place, edit.clone()))).await;
    assert!(answers.iter().all(|answer| answer.status == StatusCode::OK), "{answers:?}");
    let seen = site.get(&place).await.body;
    for edit in edits {
        let (field, value) = edit.as_object().and_then(|fields| fields.iter().next()).expect("a field");
        assert_eq!(&seen[field], value);
    }
    assert_eq!(seen["version"], 7);
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
async fn what_a_script_repeats_is_written_down_once() {
    let (site, _, _place) = timed().await;
    let made = schedule(&site, json!({"task": "t", "every_seconds": 60})).await;
    for _ in 0..2 {
        assert_eq!(site.patch(&path(&made, ""), json!({"payload": 1})).await.body["version"], 2);
        assert_eq!(site.tell("/v1/queues/mail/pause").await.body["paused"], true);
        assert_eq!(site.patch("/v1/queues/mail", json!({"concurrency": 4})).await.body["concurrency"], 4);
        assert_eq!(site.tell("/v1/queues/other/resume").await.body["paused"], false, "it never was");
        assert_eq!(site.tell("/v1/lanes/free/release").await.body["released"], 0);
    }
    let log = site.get("/v1/audit").await.body;
    let said: Vec<_> = log["data"].as_array().expect("records").iter().map(|record| record["action"].clone()).collect();
    assert_eq!(said, ["queue.set", "queue.set", "schedule.edit", "schedule.create", "grant.create"]);
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

#[tokio::test]
async fn who_may_only_submit_decides_for_nobody_else() {
    let site = Site::with(|api: &mut Api| api.auth = Auth::Tokens).await;
    let (submitter, operator) =
        (super::auth::token(&site, Role::Submitter, None).await, super::auth::token(&site, Role::Operator, None).await);
    let ask = |secret: &str, method: Method, path: &str| site.request(method, path).bearer_auth(secret);
    let post = |secret: &str, path: &str, body: Value| Answer::of(ask(secret, Method::POST, path).json(&body));
    let made = post(&submitter, "/v1/schedules", json!({"task": "t", "every_seconds": 60})).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let terms = |user: &str| json!({"user_id": user, "billing_account": "lab", "scopes": ["*"]});
    let own = post(&operator, "/v1/grants", terms("a submitter")).await.body;
    let others = post(&operator, "/v1/grants", terms("ada")).await.body;
    let under = |grant: &Value| json!({"task": "t", "every_seconds": 60, "grant_id": grant["id"]});
    assert_eq!(post(&submitter, "/v1/schedules", under(&own)).await.status, StatusCode::CREATED);
    let refused = post(&submitter, "/v1/schedules", under(&others)).await;
    assert_eq!(refused.is_problem("forbidden").body["field"], "grant_id");
    let body = json!({"task": "t", "every_seconds": 60, "grant": terms("a submitter")});
    let refused = post(&submitter, "/v1/schedules", body.clone()).await;
    assert_eq!(refused.is_problem("forbidden").body["field"], "grant");
    assert_eq!(post(&operator, "/v1/schedules", body).await.status, StatusCode::CREATED);
    let place = path(&made.body, "");
    Answer::of(ask(&submitter, Method::PATCH, &place).json(&json!({"priority": 1}))).await.is_problem("forbidden");
    let triggered = Answer::of(ask(&submitter, Method::POST, &format!("{place}/trigger"))).await;
    assert_eq!(triggered.status, StatusCode::CREATED);
    let grant = format!("/v1/grants/{}", made.body["grant_id"].as_str().expect("an id"));
    let grant = Answer::of(ask(&submitter, Method::GET, &grant)).await.body;
    assert_eq!(grant["user_id"], "a submitter");
}

#[tokio::test]
async fn a_schedule_of_another_workspace_is_not_found() {
    let site = Site::new().await;
    site.post("/v1/workspaces", json!({"name": "acme"})).await;
    let there = |method: Method, path: &str| site.request(method, path).header("x-runlane-workspace", "acme");
    let body = json!({"task": "t", "every_seconds": 60});
    let made = Answer::of(there(Method::POST, "/v1/schedules").json(&body)).await.body;
    let grant = format!("/v1/grants/{}", made["grant_id"].as_str().expect("an id"));
    assert_eq!(
        Answer::of(there(Method::GET, &path(&made, "/runs"))).await.body["data"].as_array().map(Vec::len),
        Some(1)
    );
    for rest in ["", "/runs", "/preview"] {
        site.get(&path(&made, rest)).await.is_problem("schedule_not_found");
    }
    for verb in ["/trigger", "/pause", "/resume"] {
        site.tell(&path(&made, verb)).await.is_problem("schedule_not_found");
    }
    site.get(&grant).await.is_problem("grant_not_found");
    site.get(&format!("{grant}/validate")).await.is_problem("grant_not_found");
    site.tell(&format!("{grant}/revoke")).await.is_problem("grant_not_found");
    let borrowed = json!({"task": "t", "every_seconds": 60, "grant_id": made["grant_id"]});
    site.post("/v1/schedules", borrowed).await.is_problem("unknown_grant");
    for list in ["/v1/schedules", "/v1/grants"] {
        assert_eq!(site.get(list).await.body["data"], json!([]), "{list}");
    }
    let nowhere = site.request(Method::POST, "/v1/schedules").header("x-runlane-workspace", "nowhere").json(&body);
    Answer::of(nowhere).await.is_problem("workspace_not_found");
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
