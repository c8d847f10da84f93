//! `runlane tokens`, and a server that asks for them.

use runlane::http::Auth;

use super::assert_said;
use crate::server::{Server, runlane_at};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_token_is_made_on_the_database_and_lets_its_bearer_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("runlane.db");
    let database = format!("sqlite:{}", file.display());
    let nobody = "http://127.0.0.1:1";
    assert!(runlane_at(nobody, &["migrate", "--database", &database], None).await.status.success());
    let args = ["tokens", "create", "me", "--role", "admin", "--everywhere", "--direct", "--database", &database];
    let made = runlane_at(nobody, &args, None).await;
    let secret = made.out.lines().next().expect("a secret").to_owned();
    let server = Server::on(folder, file, Auth::Tokens).await;
    assert_said!(server.runlane(&["runs", "list"]).await);
    assert_said!(server.runlane(&["runs", "list", "--token", "rl_nonsense"]).await);
    assert_said!(server.runlane(&["runs", "list", "--token", &secret]).await);
    assert_said!(server.runlane(&["tokens", "list", "--token", &secret]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_made_shown_once_and_revoked() {
    let server = Server::idle().await;
    let made = server.runlane(&["tokens", "create", "ci", "--role", "submitter", "--expires", "30d"]).await;
    assert!(made.out.starts_with("rl_") && made.err.contains("not shown again"), "{} {}", made.out, made.err);
    let listed = server.json(&["tokens"]).await;
    assert!(!listed.to_string().contains(made.out.lines().next().expect("a secret")));
    let id = listed["data"][0]["id"].as_str().expect("an id").to_owned();
    assert_said!(server.runlane(&["tokens", "list"]).await);
    assert_said!(server.runlane(&["tokens", "revoke", &id]).await);
    assert_said!(server.runlane(&["tokens", "list"]).await);
    assert_said!(server.runlane(&["tokens", "create", "ci", "--role", "king"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_is_chosen_where_any_may_be() {
    let server = Server::idle().await;
    assert!(server.runlane(&["workspaces", "create", "acme"]).await.status.success());
    let run = server.json(&["submit", "echo", "--workspace", "acme"]).await;
    assert_eq!(run["workspace"], "acme");
    assert_said!(server.runlane(&["runs", "list"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_a_workspace_that_does_not_exist_is_refused_by_either_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = format!("sqlite:{}", folder.path().join("runlane.db").display());
    let nobody = "http://127.0.0.1:1";
    assert!(runlane_at(nobody, &["migrate", "--database", &database], None).await.status.success());
    let server = Server::idle().await;
    for scope in [&["--role", "viewer"][..], &["--everywhere"]] {
        let args = [&["tokens", "create", "ci", "--workspace", "nowhere"], scope].concat();
        let asked = server.runlane(&args).await;
        let direct = runlane_at(nobody, &[&args[..], &["--direct", "--database", &database]].concat(), None).await;
        for said in [asked, direct] {
            assert_eq!((said.status.code(), said.out.as_str()), (Some(1), ""), "{}", said.err);
            assert!(said.err.starts_with("error: there is no workspace \"nowhere\"\n"), "{}", said.err);
            assert!(said.err.contains("`runlane workspaces create`"), "{}", said.err);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_has_the_least_role_unless_told_otherwise() {
    let server = Server::idle().await;
    let token = server.json(&["tokens", "create", "ci"]).await;
    assert_eq!(token["role"], "viewer");
}
