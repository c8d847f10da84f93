//! Part of an id instead of all of it.

use reqwest::{Method, StatusCode};
use runlane::access::Role;
use runlane::http::Auth;
use runlane::run::{Json, NewRun, RunId, TaskName, WorkspaceName};
use runlane::store::Admission;
use serde_json::json;
use uuid::Uuid;

use super::auth::token;
use super::{Answer, Site};

/// A run with this id, as clients in Rust may choose it.
async fn run_called(site: &Site, workspace: &WorkspaceName, id: u128) -> RunId {
    let task = TaskName::parse("t").expect("a name");
    let run = NewRun { id: RunId(Uuid::from_u128(id)), workspace: workspace.clone(), ..NewRun::of(task, Json::null()) };
    site.store.submit(std::slice::from_ref(&run), Admission::default()).await.expect("stored");
    run.id
}

const FIRST: u128 = 0x0190_0000_0000_7000_8000_1111_1111_abcd;
const SECOND: u128 = 0x0190_0000_0001_7000_8000_2222_2222_abcd;
const THIRD: u128 = 0x0190_0000_0002_7000_8000_3333_3333_4444;

#[tokio::test]
async fn a_run_is_found_by_the_beginning_or_the_end_of_its_id() {
    let site = Site::new().await;
    let home = WorkspaceName::default();
    let third = run_called(&site, &home, THIRD).await.to_string();
    run_called(&site, &home, FIRST).await;
    for short in
        ["33334444", "4444", "01900000-0002", "019000000002", "33333333-4444", "0190000000027000800033333333444"]
    {
        for path in ["", "/events", "/attempts", "/explain"] {
            let answer = site.get(&format!("/v1/runs/{short}{path}")).await;
            assert_eq!(answer.status, StatusCode::OK, "{short}{path}: {}", answer.body);
        }
        assert_eq!(site.get(&format!("/v1/runs/{short}")).await.body["id"], third);
    }
    assert_eq!(site.tell("/v1/runs/33334444/cancel").await.body["id"], third);
    assert_eq!(site.get("/v1/runs/33334444").await.body["status"], "cancelled", "finished runs are found too");
    assert_eq!(site.get("/v1/runs/019000000002").await.body["status"], "cancelled");
    for none in ["444", "3334", "9999", "zzzz", "3333333344445", ""] {
        let answer = site.get(&format!("/v1/runs/{none}/explain")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{none}: {}", answer.body);
    }
}

#[tokio::test]
async fn what_could_be_several_runs_is_named_and_left_alone() {
    let site = Site::new().await;
    let home = WorkspaceName::default();
    let (first, second) = (run_called(&site, &home, FIRST).await, run_called(&site, &home, SECOND).await);
    for short in ["abcd", "01900000"] {
        for verb in ["cancel", "pause", "resume", "dismiss", "enqueue", "rerun"] {
            let answer = site.tell(&format!("/v1/runs/{short}/{verb}")).await;
            let words = answer.is_problem("ambiguous_id").body["detail"].to_string();
            assert!(words.contains(&first.to_string()) && words.contains(&second.to_string()), "{words}");
        }
    }
    let runs = site.get("/v1/runs").await.body;
    let statuses: Vec<_> = runs["data"].as_array().expect("runs").iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["queued", "queued"]);
}

#[tokio::test]
async fn a_short_id_never_tells_of_another_workspace() {
    let site = Site::with(|api| api.auth = Auth::Tokens).await;
    let acme = WorkspaceName::parse("acme").expect("a name");
    site.store.create_workspace(&acme).await.expect("a workspace");
    let ours = run_called(&site, &acme, FIRST).await;
    run_called(&site, &WorkspaceName::default(), SECOND).await;
    run_called(&site, &WorkspaceName::default(), THIRD).await;
    let secret = token(&site, Role::Admin, Some(acme.clone())).await;
    let ask = |path: &str| Answer::of(site.request(Method::GET, path).bearer_auth(&secret));
    assert_eq!(ask("/v1/runs/abcd").await.body["id"], ours.to_string(), "the other is not even a candidate");
    assert_eq!(ask("/v1/runs/01900000").await.body["id"], ours.to_string());
    ask("/v1/runs/33334444").await.is_problem("run_not_found");
    let everywhere = token(&site, Role::Admin, None).await;
    let listed = Answer::of(site.request(Method::GET, "/v1/tokens").bearer_auth(&everywhere)).await.body;
    let foreign = listed["data"].as_array().expect("tokens").iter().find(|token| token["workspace"].is_null());
    let id = foreign.expect("the one that is good everywhere")["id"].as_str().expect("an id");
    let delete = Answer::of(site.request(Method::DELETE, &format!("/v1/tokens/{}", &id[28..])).bearer_auth(&secret));
    delete.await.is_problem("token_not_found");
}

#[tokio::test]
async fn schedules_grants_tokens_and_workers_have_short_ids_too() {
    let site = Site::new().await;
    let short = |body: &serde_json::Value| body["id"].as_str().expect("an id")[26..].to_owned();
    let schedule = site.post("/v1/schedules", json!({"task": "t", "name": "a", "every_seconds": 60})).await.body;
    let terms = json!({"user_id": "u", "billing_account": "b", "scopes": ["t"]});
    let grant = site.post("/v1/grants", terms).await.body;
    let made = site.post("/v1/tokens", json!({"name": "ci", "role": "viewer"})).await.body;
    assert_eq!(site.get(&format!("/v1/schedules/{}", short(&schedule))).await.body["id"], schedule["id"]);
    assert_eq!(site.tell(&format!("/v1/schedules/{}/pause", short(&schedule))).await.body["enabled"], false);
    assert_eq!(site.get(&format!("/v1/grants/{}", short(&grant))).await.body["id"], grant["id"]);
    let gone = Answer::of(site.request(Method::DELETE, &format!("/v1/tokens/{}", short(&made)))).await;
    assert!(gone.body["revoked_at"].is_string(), "{:?}", gone.body);
    site.tell("/v1/workers/abcdef12/drain").await.is_problem("worker_not_found");
    site.get("/v1/schedules/01").await.is_problem("schedule_not_found");
}
