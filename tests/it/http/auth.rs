//! Who may do what: every route, every role, one's own workspace and another.

use jiff::SignedDuration;
use reqwest::{Method, StatusCode};
use runlane::access::{NewToken, Permission, Role, Secret, TokenId, TokenName};
use runlane::http::{Api, Auth};
use runlane::run::{WorkerId, WorkspaceName};
use runlane::store::CreateTokenOutcome;
use serde_json::{Value, json};

use super::{Answer, Site};

fn acme() -> WorkspaceName {
    WorkspaceName::parse("acme").expect("a name")
}

async fn guarded() -> Site {
    let site = Site::with(|api: &mut Api| api.auth = Auth::Tokens).await;
    site.store.create_workspace(&acme()).await.expect("a workspace");
    site
}

/// A new token's secret.
pub(super) async fn token(site: &Site, role: Role, workspace: Option<WorkspaceName>) -> String {
    lasting(site, role, workspace, None).await
}

async fn lasting(
    site: &Site,
    role: Role,
    workspace: Option<WorkspaceName>,
    expires_in: Option<SignedDuration>,
) -> String {
    let secret = Secret::generate();
    let name = TokenName::parse(format!("a {role}")).expect("a name");
    let wanted = NewToken { id: TokenId::new(), workspace, name, role, hash: secret.hash(), expires_in };
    let made = site.store.create_token(&wanted).await.expect("an answer");
    assert!(matches!(made, CreateTokenOutcome::Created(_)), "{made:?}");
    secret.expose().to_owned()
}

/// What a route needs, as its description says.
fn needed(operation: &Value) -> Option<(Permission, bool)> {
    let words = operation["description"].as_str()?;
    let (_, rest) = words.split_once("Requires the permission `")?;
    let (name, rest) = rest.split_once('`')?;
    let permission = Permission::ALL.into_iter().find(|permission| permission.as_str() == name);
    Some((permission.expect("a permission"), rest.contains("all workspaces")))
}

/// A request that would do no harm if it were let through, and be answered with something else than 401 or 403.
fn request(site: &Site, method: &str, path: &str) -> reqwest::RequestBuilder {
    let nobody = WorkerId::new().to_string();
    let path = path.replace("{id}", &nobody).replace("{name}", "q");
    let request = site.request(method.to_uppercase().parse().expect("a method"), &path);
    if ["post", "patch"].contains(&method) { request.json(&json!({"nothing": true})) } else { request }
}

#[tokio::test]
async fn every_route_lets_through_exactly_those_who_may() {
    let site = guarded().await;
    let document = site.get("/openapi.json").await.body;
    let mut tried = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let place = format!("{method} {path}");
            let ask = |secret: Option<&str>, workspace: Option<&str>| {
                let mut request = request(&site, method, path);
                if let Some(secret) = secret {
                    request = request.bearer_auth(secret);
                }
                if let Some(workspace) = workspace {
                    request = request.header("x-runlane-workspace", workspace);
                }
                Answer::of(request)
            };
            let Some((permission, everywhere)) = needed(operation) else {
                assert!(["/healthz", "/readyz"].contains(&path.as_str()), "{place} is open to all");
                assert_eq!(ask(None, None).await.status, StatusCode::OK, "{place}");
                continue;
            };
            ask(None, None).await.is_problem("unauthenticated");
            for role in Role::ALL {
                let (here, all) = (token(&site, role, Some(acme())).await, token(&site, role, None).await);
                let let_through = |answer: Answer| {
                    assert_ne!(answer.status, StatusCode::UNAUTHORIZED, "{place} {role}");
                    answer.status != StatusCode::FORBIDDEN
                };
                assert_eq!(
                    let_through(ask(Some(&here), None).await),
                    role.may(permission) && !everywhere,
                    "{place} {role}"
                );
                assert_eq!(let_through(ask(Some(&all), Some("acme")).await), role.may(permission), "{place} {role}");
                assert!(!let_through(ask(Some(&here), Some("default")).await), "{place} {role} in a foreign workspace");
                tried += 3;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[tokio::test]
async fn what_belongs_to_another_workspace_is_not_found() {
    let site = guarded().await;
    let (here, there) = (
        token(&site, Role::Admin, Some(acme())).await,
        token(&site, Role::Admin, Some(WorkspaceName::default())).await,
    );
    let ask = |secret: &str, method: Method, path: &str| site.request(method, path).bearer_auth(secret);
    let run = Answer::of(ask(&here, Method::POST, "/v1/runs").json(&json!({"task": "t", "lane": "l"}))).await.body;
    let made =
        Answer::of(ask(&here, Method::POST, "/v1/tokens").json(&json!({"name": "ci", "role": "viewer"}))).await.body;
    assert_eq!((&run["workspace"], &made["workspace"]), (&json!("acme"), &json!("acme")));
    let run = run["id"].as_str().expect("an id");
    for path in ["", "/events", "/attempts", "/explain"] {
        let path = format!("/v1/runs/{run}{path}");
        assert_eq!(Answer::of(ask(&here, Method::GET, &path)).await.status, StatusCode::OK);
        Answer::of(ask(&there, Method::GET, &path)).await.is_problem("run_not_found");
    }
    for verb in ["cancel", "pause", "resume", "dismiss", "enqueue", "rerun"] {
        Answer::of(ask(&there, Method::POST, &format!("/v1/runs/{run}/{verb}"))).await.is_problem("run_not_found");
    }
    let token = format!("/v1/tokens/{}", made["id"].as_str().expect("an id"));
    Answer::of(ask(&there, Method::DELETE, &token)).await.is_problem("token_not_found");
    for list in ["/v1/runs", "/v1/queues", "/v1/lanes", "/v1/audit"] {
        assert_eq!(Answer::of(ask(&there, Method::GET, list)).await.body["data"], json!([]), "{list}");
    }
    let workspaces = Answer::of(ask(&there, Method::GET, "/v1/workspaces")).await.body;
    assert_eq!(workspaces["data"], json!([{"name": "default"}]));
    for body in [
        json!({"name": "x", "role": "viewer", "workspace": "acme"}),
        json!({"name": "x", "role": "viewer", "everywhere": true}),
    ] {
        Answer::of(ask(&there, Method::POST, "/v1/tokens").json(&body)).await.is_problem("forbidden");
    }
    Answer::of(ask(&there, Method::POST, "/v1/workspaces").json(&json!({"name": "new"}))).await.is_problem("forbidden");
}

#[tokio::test]
async fn a_token_is_good_until_it_is_revoked_or_expires() {
    let site = guarded().await;
    let admin = token(&site, Role::Admin, None).await;
    let ask = |secret: &str, method: Method, path: &str| site.request(method, path).bearer_auth(secret);
    let body = json!({"name": "ci", "role": "submitter", "workspace": "acme", "expires_in_seconds": 3600});
    let made = Answer::of(ask(&admin, Method::POST, "/v1/tokens").json(&body)).await;
    assert_eq!((made.status, &made.body["revoked_at"]), (StatusCode::CREATED, &json!(null)));
    let secret = made.body["secret"].as_str().expect("a secret");
    let run = Answer::of(ask(secret, Method::POST, "/v1/runs").json(&json!({"task": "t"}))).await;
    assert_eq!(run.body["workspace"], "acme");
    let list = Answer::of(ask(&admin, Method::GET, "/v1/tokens")).await.body;
    assert!(!list.to_string().contains(secret) && list["data"].as_array().map(Vec::len) == Some(2));
    let path = format!("/v1/tokens/{}", made.body["id"].as_str().expect("an id"));
    let revoked = Answer::of(ask(&admin, Method::DELETE, &path)).await;
    assert!(revoked.status == StatusCode::OK && revoked.body["revoked_at"].is_string(), "{revoked:?}");
    let refused = Answer::of(ask(secret, Method::GET, "/v1/runs")).await;
    assert_eq!(refused.is_problem("unauthenticated").header("www-authenticate"), "Bearer");
    let expired = lasting(&site, Role::Admin, None, Some(SignedDuration::ZERO)).await;
    Answer::of(ask(&expired, Method::GET, "/v1/runs")).await.is_problem("unauthenticated");
    for wrong in ["rl_x", "nonsense", ""] {
        Answer::of(ask(wrong, Method::GET, "/v1/runs")).await.is_problem("unauthenticated");
    }
}

#[tokio::test]
async fn what_operators_did_is_written_down() {
    let site = guarded().await;
    let (operator, admin) = (token(&site, Role::Operator, None).await, token(&site, Role::Admin, None).await);
    let ask = |secret: &str, method: Method, path: &str| site.request(method, path).bearer_auth(secret);
    let run = Answer::of(ask(&operator, Method::POST, "/v1/runs").json(&json!({"task": "t"}))).await.body;
    let run = run["id"].as_str().expect("an id");
    Answer::of(ask(&operator, Method::POST, &format!("/v1/runs/{run}/cancel"))).await;
    Answer::of(ask(&operator, Method::POST, &format!("/v1/runs/{run}/cancel"))).await.is_problem("status_conflict");
    Answer::of(ask(&operator, Method::POST, "/v1/queues/q/pause")).await;
    let log = Answer::of(ask(&admin, Method::GET, "/v1/audit")).await.body;
    let said: Vec<_> = log["data"]
        .as_array()
        .expect("records")
        .iter()
        .map(|record| (record["actor_name"].clone(), record["action"].clone(), record["subject"].clone()))
        .collect();
    let by = json!("a operator");
    assert_eq!(said, [(by.clone(), json!("queue.set"), json!("q")), (by, json!("run.cancel"), json!(run))]);
}

#[tokio::test]
async fn with_tokens_any_name_will_do_unless_some_are_listed() {
    let site = guarded().await;
    let named = |host: &'static str| Answer::of(site.request(Method::GET, "/healthz").header("host", host));
    assert_eq!(named("runs.example").await.status, StatusCode::OK);
    let strict = Site::with(|api| api.hosts = vec!["runs.example".into()]).await;
    let named = |host: &'static str| Answer::of(strict.request(Method::GET, "/healthz").header("host", host));
    assert_eq!(named("runs.example:8080").await.status, StatusCode::OK);
    named("other.example").await.is_problem("host_not_allowed");
}

#[tokio::test]
async fn a_workspace_that_does_not_exist_is_an_error_and_not_an_empty_list() {
    let (open, guarded) = (Site::new().await, guarded().await);
    let (everywhere, here) =
        (token(&guarded, Role::Admin, None).await, token(&guarded, Role::Admin, Some(acme())).await);
    let document = open.get("/openapi.json").await.body;
    let mut tried = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            if needed(operation).is_none() || path == "/v1/workspaces" {
                continue;
            }
            let unknown = |site: &Site| request(site, method, path).header("x-runlane-workspace", "acmee");
            for request in [unknown(&open), unknown(&guarded).bearer_auth(&everywhere)] {
                let answer = Answer::of(request).await;
                assert_eq!(answer.is_problem("workspace_not_found").body["field"], "X-Runlane-Workspace");
                assert_eq!(answer.body["detail"], "there is no workspace \"acmee\"", "{method} {path}");
                tried += 1;
            }
            // What there is elsewhere is nobody's business.
            Answer::of(unknown(&guarded).bearer_auth(&here)).await.is_problem("forbidden");
        }
    }
    assert!(tried > 80, "{tried}");
    // One that was made a moment ago, by whatever process, is known at once.
    open.store.create_workspace(&WorkspaceName::parse("acmee").expect("a name")).await.expect("made");
    let listed = Answer::of(open.request(Method::GET, "/v1/runs").header("x-runlane-workspace", "acmee")).await;
    assert_eq!(listed.status, StatusCode::OK);
}
