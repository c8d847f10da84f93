//! Grants over the API: what they allow, and what revoking one stops.

use jiff::SignedDuration;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::Site;
use super::schedules::{path, runs_of, schedule, timed};

async fn grant(site: &Site, scopes: &[&str]) -> Value {
    let made = site.post("/v1/grants", json!({"user_id": "ada", "billing_account": "lab", "scopes": scopes})).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    made.body
}

fn place(grant: &Value, rest: &str) -> String {
    format!("/v1/grants/{}{rest}", grant["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_grant_is_made_listed_and_shown() {
    let site = Site::new().await;
    let (first, second) = (grant(&site, &["report", "mail.*"]).await, grant(&site, &["*"]).await);
    assert_eq!(
        (&first["user_id"], &first["billing_account"], &first["scopes"], &first["revoked_at"]),
        (&json!("ada"), &json!("lab"), &json!(["report", "mail.*"]), &json!(null))
    );
    let page = site.get("/v1/grants?limit=1").await.body;
    assert_eq!(page["data"], json!([second]));
    let cursor = page["next_cursor"].as_str().expect("more");
    assert_eq!(site.get(&format!("/v1/grants?limit=1&cursor={cursor}")).await.body["data"], json!([first]));
    let shown = site.get(&place(&first, "")).await.body;
    assert_eq!((&shown["id"], &shown["schedules"], &shown["waiting_runs"]), (&first["id"], &json!([]), &json!(0)));
    for (body, code, field) in [
        (json!({"user_id": "", "billing_account": "b", "scopes": ["*"]}), "invalid_field", "user_id"),
        (json!({"billing_account": "b", "scopes": ["*"]}), "missing_field", "user_id"),
        (json!({"user_id": "a", "billing_account": "b", "scopes": []}), "invalid_field", "scopes"),
        (
            json!({"user_id": "a", "billing_account": "b", "scopes": ["*"], "expires_at": "2020-01-01T00:00:00Z"}),
            "invalid_field",
            "expires_at",
        ),
        (json!({"user_id": "a", "billing_account": "b", "scopes": ["*"], "secret": "s"}), "unknown_field", "secret"),
    ] {
        assert_eq!(site.post("/v1/grants", body.clone()).await.is_problem(code).body["field"], field, "{body}");
    }
}

#[tokio::test]
async fn whether_a_grant_allows_a_task_can_be_asked() {
    let (site, clock, _place) = timed().await;
    let end = clock.now() + SignedDuration::from_hours(1);
    let terms =
        json!({"user_id": "ada", "billing_account": "lab", "scopes": ["mail.*"], "expires_at": end.to_string()});
    let made = site.post("/v1/grants", terms).await.body;
    let verdict = async |query: &str| {
        let answer = site.get(&place(&made, &format!("/validate{query}"))).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        (answer.body["valid"].as_bool().expect("a verdict"), answer.body["code"].clone())
    };
    assert_eq!(verdict("?task=mail.send").await, (true, json!(null)));
    assert_eq!(verdict("").await, (true, json!(null)));
    assert_eq!(verdict("?task=report").await, (false, json!("grant_scope")));
    clock.advance(SignedDuration::from_hours(1));
    assert_eq!(verdict("?task=mail.send").await, (false, json!("grant_expired")));
    site.tell(&place(&made, "/revoke")).await;
    assert_eq!(verdict("").await, (false, json!("grant_revoked")));
    site.get("/v1/grants/x/validate").await.is_problem("grant_not_found");
}

#[tokio::test]
async fn revoking_a_grant_says_what_it_stops_and_stops_it() {
    let (site, clock, _place) = timed().await;
    let given = grant(&site, &["t"]).await;
    let body = json!({"name": "one", "task": "t", "every_seconds": 60, "overlap": "allow", "grant_id": given["id"]});
    let made = schedule(&site, body).await;
    clock.advance(SignedDuration::from_secs(60));
    site.store.promote(10).await.expect("promoted");
    let claimed = site.claim().await;
    let before = site.get(&place(&given, "")).await.body;
    let revoked = site.tell(&place(&given, "/revoke")).await.body;
    assert!(revoked["revoked_at"].is_string());
    assert_eq!(
        (&revoked["schedules"], &revoked["waiting_runs"], &revoked["running_runs"]),
        (&json!([{"id": made["id"], "name": "one", "enabled": true}]), &json!(1), &json!(1))
    );
    assert_eq!(before["running_runs"], revoked["running_runs"], "it can be seen before");
    assert_eq!(site.tell(&place(&given, "/revoke")).await.body["revoked_at"], revoked["revoked_at"]);

    let waiting = runs_of(&site, &made).await.into_iter().find(|run| run["status"] == "queued").expect("a run");
    let explained = site.get(&format!("/v1/runs/{}/explain", waiting["id"].as_str().expect("an id"))).await.body;
    assert_eq!(explained["reasons"][0]["code"], "grant_revoked", "{explained}");
    assert!(explained["reasons"][0]["remedy"].as_str().expect("words").contains("schedules edit"), "{explained}");
    assert!(explained["reasons"][1]["message"].as_str().expect("words").contains("of schedule one)"), "{explained}");

    // What is running goes on to its end; what waits fails instead of starting, and ends its schedule.
    site.succeed(claimed.lease(), json!(1)).await;
    clock.advance(SignedDuration::from_secs(60));
    site.store.promote(10).await.expect("promoted");
    assert!(site.claims().await.is_empty());
    let failed = site.get(&format!("/v1/runs/{}", waiting["id"].as_str().expect("an id"))).await.body;
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!("grant_revoked")));
    let seen = site.get(&path(&made, "")).await.body;
    assert_eq!((&seen["enabled"], &seen["disabled"]["code"]), (&json!(false), &json!("grant_revoked")));
    for verb in ["/trigger", "/resume"] {
        site.tell(&path(&made, verb)).await.is_problem("grant_revoked");
    }
    let body = json!({"task": "t", "every_seconds": 60, "grant_id": given["id"]});
    site.post("/v1/schedules", body).await.is_problem("grant_revoked");
    site.patch(&path(&made, ""), json!({"grant_id": given["id"]})).await.is_problem("grant_revoked");

    let other = grant(&site, &["*"]).await;
    let on = site.patch(&path(&made, ""), json!({"grant_id": other["id"], "enabled": true})).await.body;
    assert_eq!((&on["enabled"], &on["grant_id"]), (&json!(true), &other["id"]));
    let log = site.get("/v1/audit").await.body;
    let revokes = log["data"].as_array().expect("records").iter().filter(|record| record["action"] == "grant.revoke");
    assert_eq!(revokes.count(), 1, "what changed nothing is not written down");
}
