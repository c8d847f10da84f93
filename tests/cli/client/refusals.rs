//! What is said when something is wrong.

use super::assert_said;
use crate::server::{Server, runlane_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    // Port 1 is nobody's.
    assert_said!(runlane_at("http://127.0.0.1:1", &["runs", "list"], None).await);
    assert_said!(runlane_at("localhost:8080", &["runs", "list"], None).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_none_is_refused_in_plain_words() {
    let scheme = "it does not begin with http:// or https://";
    for (url, why) in [
        ("", "it is empty"),
        ("example.org", scheme),
        ("127.0.0.1:8080", scheme),
        ("/v1", scheme),
        ("ftp://example.org", scheme),
        ("http://", "it names no host"),
        ("http://:8080", "it names no host"),
        ("http://example.org:99999", "its port is not a number from 1 to 65535"),
        ("http://example.org:http", "its port is not a number from 1 to 65535"),
        ("http://[::1", "its host is not a name or an address"),
        ("http://300.0.0.1", "its host is not a name or an address"),
        ("http://exa mple.org", "its host is not a name or an address"),
    ] {
        let said = runlane_at("http://127.0.0.1:1", &["runs", "list", "--url", url], None).await;
        let wanted = format!("error: {url:?} is no address of a server: {why}\n");
        assert!(said.err.starts_with(&wanted), "{}", said.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_api_refuses_is_told_with_field_and_hint() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["submit", "echo", "--priority", "5000"]).await);
    assert_said!(server.runlane(&["runs", "show", "nope"]).await);
    let run = server.submit(&["echo"]).await;
    assert_said!(server.runlane(&["runs", "resume", &run]).await);
    let refused = server.json(&["runs", "resume", &run]).await;
    assert_eq!(refused["status"], 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kind_of_server_is_recognised() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut stream, _) = listener.accept().await.expect("a caller");
        let _ = stream.read(&mut [0; 1024]).await;
        let page = "HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>";
        let _ = stream.write_all(page.as_bytes()).await;
    });
    assert_said!(runlane_at(&url, &["queues"], None).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typing_error_is_answered_with_what_was_meant() {
    let said = runlane_at("http://127.0.0.1:1", &["sumbit", "echo"], None).await;
    assert!(said.err.contains("'submit'") && said.status.code() == Some(2), "{}", said.err);
    let said = runlane_at("http://127.0.0.1:1", &["runs", "list", "--statsu", "failed"], None).await;
    assert!(said.err.contains("'--status'") && said.status.code() == Some(2), "{}", said.err);
    let said = runlane_at("http://127.0.0.1:1", &["runs", "list", "--status", "faild"], None).await;
    assert!(said.err.contains("'failed'"), "{}", said.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_shell_gets_its_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = runlane_at("http://127.0.0.1:1", &["completions", shell], None).await;
        assert!(said.status.success() && said.out.contains("submit"), "{shell}: {}", said.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_does_not_exist_is_an_error_in_every_list() {
    let server = Server::idle().await;
    let lists =
        ["runs list", "queues", "lanes", "schedules", "grants", "usage", "workers", "tokens", "top", "audit", "tasks"];
    for list in lists {
        let args: Vec<&str> = list.split(' ').chain(["--workspace", "shpo"]).collect();
        let said = server.runlane(&args).await;
        assert_eq!((said.out.as_str(), said.status.code()), ("", Some(1)), "{list}: {}", said.err);
        assert!(said.err.contains("there is no workspace \"shpo\"\n  field: --workspace\n"), "{list}: {}", said.err);
    }
    let made = server.runlane(&["workspaces", "create", "shpo", "--workspace", "shpo"]).await;
    assert_eq!(made.status.code(), Some(0), "{}", made.err);
    assert_eq!(server.runlane(&["runs", "list", "--workspace", "shpo"]).await.status.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_name_the_server_may_stand_before_the_command() {
    let server = Server::idle().await;
    let nobody = "http://127.0.0.1:1";
    server.runlane(&["workspaces", "create", "shop"]).await;
    server.submit(&["echo", "--workspace", "shop"]).await;
    let run = |args: &'static [&'static str]| {
        let args: Vec<&str> = args.iter().map(|arg| if *arg == "URL" { server.url.as_str() } else { arg }).collect();
        async move { runlane_at(nobody, &args, None).await }
    };
    let json = run(&["--url", "URL", "--workspace", "shop", "--json", "runs", "list"]).await;
    let list: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(list["data"][0]["workspace"], "shop", "stronger than the variable: {}", json.err);
    for args in [
        &["--url", "http://127.0.0.1:2", "queues", "--url", "URL"][..],
        &["--url", "http://127.0.0.1:2", "queues", "--url", "URL", "list"],
        &["--url=URL", "queues"][..],
        &["--workspace", "nowhere", "--url", "URL", "queues", "list", "--workspace", "shop"],
        &["--url", "URL", "--token", "rl_x", "submit", "echo"],
        &["--url", "URL", "--json", "workers"],
    ] {
        let args: Vec<String> = args.iter().map(|arg| arg.replace("URL", &server.url)).collect();
        let said = runlane_at(nobody, &args.iter().map(String::as_str).collect::<Vec<_>>(), None).await;
        assert_eq!(said.status.code(), Some(0), "{args:?}: {}", said.err);
    }
    for args in [["--json", "completions", "bash"], ["--url", "URL", "migrate"], ["--workspace", "a", "worker"]] {
        let said = runlane_at(nobody, &args, None).await;
        let words = format!("{} is for commands that ask a server", args[0]);
        assert!(said.err.contains(&words) && said.status.code() == Some(2), "{args:?}: {}", said.err);
    }
}
