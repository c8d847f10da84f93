//! What is refused: fields that make no sense, other workspaces, roles that do not suffice.

use reqwest::{Method, StatusCode};
use runlane::access::Role;
use runlane::http::{Api, Auth};
use serde_json::{Value, json};

use super::super::{Answer, Site};
use super::path;

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
            json!({"every_seconds": 5, "grant": {"user_id": "a", "billing_account": "b", "scopes": ["a*b"]}}),
            "invalid_field",
            "grant.scopes",
            "",
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
async fn who_may_only_submit_decides_for_nobody_else() {
    let site = Site::with(|api: &mut Api| api.auth = Auth::Tokens).await;
    let (submitter, operator) = (
        crate::http::auth::token(&site, Role::Submitter, None).await,
        crate::http::auth::token(&site, Role::Operator, None).await,
    );
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
