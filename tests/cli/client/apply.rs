//! `runlane schedules apply`, schedules by name, and deploy scripts that are run again.

use serde_json::{Value, json};

use super::assert_said;
use crate::server::Server;

const FILE: &str = "\
concurrency = 2

[schedules.nightly]
task = \"report\"
cron = \"30 2 * * *\"
timezone = \"Europe/Berlin\"
payload = { format = \"pdf\", pages = [1, 2] }

[schedules.\"sync/all 100%\"]
task = \"sync\"
every_seconds = 900
overlap = \"replace\"
";

async fn audited(server: &Server) -> Vec<Value> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let log = reqwest::get(format!("{}/v1/audit?limit=500", server.url)).await.expect("an answer");
    let log: Value = serde_json::from_slice(&log.bytes().await.expect("a body")).expect("JSON");
    log["data"].as_array().expect("records").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_schedules_is_applied_as_often_as_anybody_likes() {
    let server = Server::idle().await;
    assert_said!(server.runlane_reading(&["schedules", "apply", "-", "--dry-run"], FILE).await);
    assert_eq!(server.json(&["schedules"]).await["data"], json!([]));
    assert_said!(server.runlane_reading(&["schedules", "apply", "-"], FILE).await);
    let (made, log) = (server.json(&["schedules"]).await, audited(&server).await);
    assert_said!(server.runlane_reading(&["schedules", "apply", "-"], FILE).await);
    assert_eq!((server.json(&["schedules"]).await, audited(&server).await), (made, log), "nothing was written");
    let other = FILE.replace("30 2", "0 3").replace("900", "600");
    assert_said!(server.runlane_reading(&["schedules", "apply", "-", "--dry-run"], &other).await);
    assert_said!(server.runlane_reading(&["schedules", "apply", "-"], &other).await);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("one.json");
    std::fs::write(&file, r#"{"name": "nightly", "task": "report", "cron": "@daily"}"#).expect("written");
    let applied = server.json(&["schedules", "apply", &file.display().to_string()]).await;
    assert_eq!(
        (&applied["data"][0]["outcome"], &applied["data"][0]["schedule"]["cron"]),
        (&json!("updated"), &json!("@daily"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_named_and_the_rest_is_applied() {
    let server = Server::idle().await;
    let file = "[schedules.bad]\ntask = \"t\"\ncron = \"61 * * * *\"\n[schedules.good]\ntask = \"t\"\ncron = \"@daily\"\n\
                [schedules.typo]\ntask = \"t\"\ncron = \"@daily\"\npayloads = 1\n";
    assert_said!(server.runlane_reading(&["schedules", "apply", "-"], file).await);
    assert_said!(server.runlane_reading(&["schedules", "apply", "-"], "tasks = 1\n").await);
    assert_said!(server.runlane_reading(&["schedules", "apply", "-"], "[{\"task\": \"t\"}]").await);
    assert_said!(server.runlane(&["schedules", "create", "-t", "t", "--cron", "@daily", "--name", "good"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_takes_the_name_of_a_schedule() {
    let server = Server::idle().await;
    server.runlane_reading(&["schedules", "apply", "-"], FILE).await;
    let name = "sync/all 100%";
    let shown = server.json(&["schedules", "show", name]).await;
    assert_eq!(shown["name"], name);
    let id = shown["id"].as_str().expect("an id");
    assert_eq!(server.json(&["schedules", "edit", name, "--priority", "3"]).await["priority"], 3);
    assert_eq!(server.json(&["schedules", "pause", name]).await["enabled"], false);
    assert_eq!(server.json(&["schedules", "resume", name]).await["enabled"], true);
    let run = server.runlane(&["schedules", "trigger", name]).await;
    assert!(run.status.success(), "{}", run.err);
    for seen in [name, id] {
        let previewed = server.json(&["schedules", "preview", seen, "-n", "2"]).await;
        assert_eq!(previewed["data"].as_array().map(Vec::len), Some(2));
        assert_eq!(server.json(&["schedules", "runs", seen]).await["data"].as_array().map(Vec::len), Some(2));
        let listed = server.json(&["runs", "list", "--schedule", seen]).await;
        assert_eq!(listed["data"].as_array().map(Vec::len), Some(2), "{listed}");
    }
    assert!(server.runlane(&["schedules", "delete", name]).await.status.success());
    assert_said!(server.runlane(&["schedules", "delete", name]).await);
    assert_said!(server.runlane(&["schedules", "delete", name, "--if-exists"]).await);
}

/// What a script may say on every deployment.
const DEPLOY: &[&[&str]] = &[
    &["workspaces", "create", "acme"],
    &["queues", "limit", "reports", "2"],
    &["queues", "pause", "mail"],
    &["queues", "resume", "images"],
    &["lanes", "policy", "ledger", "hold"],
    &["lanes", "policy", "other", "continue"],
    &["lanes", "release", "ledger"],
    &["schedules", "apply", "-"],
    &["schedules", "edit", "nightly", "--priority", "5", "--timeout", "5m"],
    &["schedules", "pause", "sync/all 100%"],
    &["schedules", "resume", "nightly"],
    &["schedules", "delete", "old", "--if-exists"],
];

async fn deploy(server: &Server, file: &str) -> String {
    let mut said = String::new();
    for step in DEPLOY {
        let found = server.runlane_reading(step, file).await;
        assert!(found.status.success(), "{step:?}: {} {}", found.out, found.err);
        said += &format!("$ runlane {}\n{}{}", step.join(" "), found.out, found.err);
    }
    said
}

async fn state(server: &Server) -> Vec<Value> {
    let mut all = vec![Value::from(audited(server).await)];
    for list in ["workspaces", "queues", "lanes", "schedules", "grants"] {
        all.push(server.json(&[list]).await);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deploy_script_that_is_run_again_changes_nothing() {
    let server = Server::idle().await;
    // A later step would undo what the file says otherwise, and the file would undo that on the next deployment.
    let file = FILE.replace("timezone =", "priority = 5\ntimeout_seconds = 300\ntimezone =");
    let first = deploy(&server, &file).await;
    let before = state(&server).await;
    let second = deploy(&server, &file).await;
    assert_eq!(state(&server).await, before, "{first}\n{second}");
    insta::with_settings!({filters => crate::client::filters(), omit_expression => true}, {
        insta::assert_snapshot!(second);
    });
}
