//! Schedules of the configuration: created when a server starts, updated when its file changes, left alone otherwise.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::reload::Serving;
use super::server::runlane_at;

const FILE: &str = "\
[tasks.report]
executor = \"process\"
command = [\"true\"]
queue = \"reports\"

[schedules.nightly]
task = \"report\"
cron = \"30 2 * * *\"
timezone = \"Europe/Berlin\"

[schedules.sync]
task = \"report\"
every_seconds = 900
enabled = true
";

async fn json(serving: &Serving, args: &[&str]) -> Value {
    let said = runlane_at(&serving.url, &[args, &["--json"]].concat(), None).await;
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {} {}", said.out, said.err))
}

async fn said(serving: &Serving, args: &[&str]) {
    let said = runlane_at(&serving.url, args, None).await;
    assert!(said.status.success(), "{} {}", said.out, said.err);
}

/// All schedules, without what time alone changes.
async fn all(serving: &Serving) -> Vec<Value> {
    let mut found = json(serving, &["schedules"]).await["data"].as_array().expect("schedules").clone();
    for schedule in &mut found {
        schedule["next_slot"] = Value::Null;
    }
    found
}

async fn audited(serving: &Serving) -> Vec<Value> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let log = reqwest::get(format!("{}/v1/audit", serving.url)).await.expect("an answer");
    let log: Value = serde_json::from_slice(&log.bytes().await.expect("a body")).expect("JSON");
    let record = |record: &Value| json!([record["actor_name"], record["action"]]);
    log["data"].as_array().expect("records").iter().rev().map(record).collect()
}

#[tokio::test]
async fn a_server_creates_the_schedules_of_its_file_and_a_restart_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(folder.path(), FILE);
    let made = all(&serving).await;
    let names: Vec<&Value> = made.iter().map(|schedule| &schedule["name"]).collect();
    assert_eq!(names, ["sync", "nightly"]);
    assert_eq!((&made[1]["queue"], &made[1]["cron"]), (&json!("reports"), &json!("30 2 * * *")));
    let log = audited(&serving).await;
    let create = [json!(["configuration", "grant.create"]), json!(["configuration", "schedule.create"])];
    assert_eq!(log, [create.clone(), create].concat());
    // An operator's hand: a pause that the file says nothing of stays, what it does say is put back.
    said(&serving, &["schedules", "pause", "nightly"]).await;
    said(&serving, &["schedules", "edit", "sync", "--every", "5m", "--priority", "7"]).await;
    said(&serving, &["schedules", "pause", "sync"]).await;
    serving.signal(Signal::TERM);
    serving.until("stopped");
    drop(serving);

    let serving = Serving::start(folder.path(), FILE);
    let after = all(&serving).await;
    assert_eq!(
        (&after[0]["every_seconds"], &after[0]["priority"], &after[0]["enabled"]),
        (&json!(900), &json!(0), &json!(true))
    );
    assert_eq!((&after[1]["enabled"], &after[1]["version"]), (&json!(false), &json!(2)));
    let log = audited(&serving).await;
    assert_eq!(log.last(), Some(&json!(["configuration", "schedule.edit"])));
    serving.signal(Signal::TERM);
    serving.until("stopped");
    drop(serving);

    let serving = Serving::start(folder.path(), FILE);
    assert_eq!((all(&serving).await, audited(&serving).await), (after, log), "the third start found nothing to do");
}

#[tokio::test]
async fn a_changed_file_is_applied_on_sighup_and_what_is_gone_from_it_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(folder.path(), FILE);
    let (kept, _) = FILE.split_once("[schedules.sync]").expect("two schedules");
    let line = serving.reload(&kept.replace("30 2", "0 3"), "applied the schedules");
    assert!(line.contains("created=0 updated=1 unchanged=0 failed=0"), "{line}");
    let found = all(&serving).await;
    assert_eq!((&found[0]["name"], &found[0]["enabled"]), (&json!("sync"), &json!(true)), "it goes on");
    assert_eq!(found[1]["cron"], "0 3 * * *");
    serving.reload(FILE, "applied the schedules");
    let line = serving.reload(kept, "are not in the file any more");
    assert!(line.contains("sync"), "{line}");
}

#[tokio::test]
async fn a_schedule_that_cannot_be_applied_is_logged_and_the_server_serves() {
    let folder = tempfile::tempdir().expect("a folder");
    let file =
        format!("{FILE}\n[schedules.elsewhere]\ntask = \"report\"\ncron = \"@daily\"\nworkspace = \"nowhere\"\n");
    let serving = Serving::start(folder.path(), &file);
    assert_eq!(all(&serving).await.len(), 2);
    let line = serving.reload(&file, "was not applied");
    assert!(line.contains("runlane.toml:16:12: schedule \"elsewhere\"") && line.contains("workspace"), "{line}");
}
