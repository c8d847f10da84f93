//! Schedules changed, one field at a time and by several callers at once.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::super::Site;
use super::{path, runs_of, schedule, timed};

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
