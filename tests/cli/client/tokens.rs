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

/// The ids of all tokens or grants.
async fn ids(server: &Server, kind: &str) -> Vec<String> {
    let listed = server.json(&[kind, "list"]).await;
    let ids =
        listed["data"].as_array().expect("a list").iter().map(|one| one["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_there_is_not_made_again_by_a_script_that_says_so() {
    let server = Server::idle().await;
    assert!(server.runlane(&["workspaces", "create", "acme"]).await.status.success());
    let create = ["tokens", "create", "ci", "--role", "submitter", "--if-not-exists"];
    let first = server.runlane(&create).await;
    assert!(first.status.success() && first.out.starts_with("rl_"), "{}", first.err);
    let [id] = &ids(&server, "tokens").await[..] else { panic!("one token") };
    let again = server.runlane(&create).await;
    assert_eq!((again.status.code(), again.out.as_str()), (Some(0), ""));
    assert_eq!(again.err, format!("token ci ({id}) is already there; its secret is not shown again\n"));
    assert_eq!(ids(&server, "tokens").await.len(), 1);
    for other in [&["--role", "viewer"][..], &["--workspace", "acme"], &["--everywhere"]] {
        let made = server.runlane(&[&["tokens", "create", "ci", "--if-not-exists"], other].concat()).await;
        assert!(made.out.starts_with("rl_"), "{other:?}: {}", made.err);
    }
    assert!(server.runlane(&["tokens", "revoke", id]).await.status.success());
    assert!(server.runlane(&create).await.out.starts_with("rl_"), "a revoked one is not there any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_that_is_there_is_not_made_again_by_a_script_that_says_so() {
    let server = Server::idle().await;
    let create = |scopes: &[&'static str]| {
        let mut args = vec!["grants", "create", "--user", "ada", "--account", "acme", "--if-not-exists"];
        scopes.iter().for_each(|scope| args.extend(["--scope", scope]));
        args
    };
    let first = server.runlane(&create(&["report", "mail.*"])).await;
    let again = server.runlane(&create(&["mail.*", "report"])).await;
    assert!(first.status.success() && first.out == again.out, "{} {}", first.err, again.err);
    assert_eq!(again.err, "the grant is already there\n");
    let other = server.runlane(&create(&["report"])).await;
    assert_ne!(other.out, first.out);
    assert_eq!(ids(&server, "grants").await.len(), 2);
}
