//! `runlane schedules`, `grants` and `usage`.

use super::assert_said;
use crate::server::{Server, runlane_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_takes_the_retry_policy_of_its_runs() {
    let server = Server::idle().await;
    let id = made(&server, &["-t", "echo", "--every", "1h", "--retry-wait", "90", "--retry-max-wait", "10m"]).await;
    let shown = server.json(&["schedules", "show", &id]).await;
    assert_eq!((&shown["retry"]["base_seconds"], &shown["retry"]["cap_seconds"]), (&90.into(), &600.into()));
    let edited = server.runlane(&["schedules", "edit", &id, "--retry-wait", "5", "--retry-factor", "2"]).await;
    assert!(edited.status.success(), "{}", edited.err);
    let shown = server.json(&["schedules", "show", &id]).await;
    assert_eq!((&shown["retry"]["base_seconds"], &shown["retry"]["factor"]), (&5.into(), &2.into()));
}

async fn made(server: &Server, args: &[&str]) -> String {
    let said = server.runlane(&[&["schedules", "create"], args].concat()).await;
    assert!(said.status.success(), "{}", said.err);
    said.out.lines().next().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_is_made_listed_and_shown() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["schedules"]).await);
    assert_said!(
        server
            .runlane(&["schedules", "create", "--task", "report", "--at", "2090-01-01T00:00:00Z", "--name", "once"])
            .await
    );
    let id = made(
        &server,
        &[
            "-t",
            "echo",
            "--cron",
            "0 0 1 1 *",
            "--timezone",
            "Asia/Tokyo",
            "--dst-overlap",
            "both",
            "-p",
            "{\"a\": 1}",
            "-q",
            "mail",
            "-l",
            "a",
            "--priority",
            "-3",
            "--max-attempts",
            "2",
            "--timeout",
            "5m",
            "--overlap",
            "allow",
            "--catch-up",
            "3",
            "--start-within",
            "1h",
            "--jitter",
            "30",
            "--metadata",
            "{\"team\": 7}",
            "--user",
            "ada",
            "--account",
            "lab",
            "--scope",
            "echo",
            "--scope",
            "mail.*",
            "--expires",
            "2090-01-01T00:00:00Z",
        ],
    )
    .await;
    made(&server, &["-t", "echo", "--every", "15m", "--paused"]).await;
    assert_said!(server.runlane(&["schedules", "list"]).await);
    assert_said!(server.runlane(&["schedules", "show", &id]).await);
    let all = server.json(&["schedules"]).await;
    assert_eq!(all["data"].as_array().map(Vec::len), Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_is_edited_steered_and_deleted() {
    let server = Server::idle().await;
    let id = made(&server, &["-t", "echo", "--cron", "@yearly", "--lane", "a"]).await;
    let edited = server.json(&["schedules", "edit", &id, "--timezone", "Europe/Paris", "--unset", "lane"]).await;
    assert_eq!((&edited["timezone"], &edited["lane"]), (&"Europe/Paris".into(), &serde_json::Value::Null));
    assert_said!(server.runlane(&["schedules", "edit", &id]).await);
    assert_said!(server.runlane(&["schedules", "pause", &id]).await);
    assert_said!(server.runlane(&["schedules", "trigger", &id]).await);
    assert!(server.runlane(&["schedules", "resume", &id]).await.status.success());
    assert_said!(server.runlane(&["schedules", "delete", &id]).await);
    assert_said!(server.runlane(&["schedules", "show", &id]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_has_its_id_alone_on_standard_output() {
    let server = Server::idle().await;
    let made = server.runlane(&["schedules", "create", "-t", "echo", "--cron", "@yearly"]).await;
    let schedule = server.json(&["schedules"]).await["data"][0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(made.out, format!("{schedule}\n"));
    assert!(made.err.starts_with("next "), "{}", made.err);
    let triggered = server.runlane(&["schedules", "trigger", &schedule]).await;
    let run = triggered.out.trim_end();
    assert_eq!(server.json(&["runs", "show", run]).await["schedule_id"], schedule);
    assert!(triggered.err.contains(&format!("runlane logs -f {run}")), "{}", triggered.err);
    let again = server.runlane(&["runs", "rerun", run, run]).await;
    for id in again.out.lines() {
        assert_ne!(id, run);
        assert_eq!(server.json(&["runs", "show", id]).await["id"], id);
    }
    assert_eq!((again.out.lines().count(), again.err.lines().count()), (2, 2), "{}{}", again.out, again.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_to_come_need_no_server_to_be_shown() {
    let nobody = "http://127.0.0.1:1";
    let from = ["--from", "2027-03-26T12:00:00Z", "-n", "3"];
    let berlin = ["schedules", "preview", "--cron", "30 2 * * *", "--timezone", "Europe/Berlin"];
    let shown = runlane_at(nobody, &[&berlin[..], &from].concat(), None).await;
    insta::assert_snapshot!(shown.out);
    let json = runlane_at(nobody, &[&berlin[..], &from, &["--json"]].concat(), None).await;
    assert!(json.out.contains("\"slot\": \"2027-03-28T01:00:00Z\""), "{}", json.out);
    assert_said!(runlane_at(nobody, &["schedules", "preview", "--cron", "61 * * * *"], None).await);
    assert_said!(runlane_at(nobody, &["schedules", "preview", "--cron", "@daily", "--timezone", "Berlin"], None).await);
    assert_said!(runlane_at(nobody, &["schedules", "preview"], None).await);
    let server = Server::idle().await;
    let id = made(&server, &["-t", "echo", "--cron", "30 2 * * *", "--timezone", "Europe/Berlin"]).await;
    let theirs = server.runlane(&[&["schedules", "preview", &id], &from[..]].concat()).await;
    assert_eq!(theirs.out, shown.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_its_slots_is_shown_and_on_its_runs() {
    let server = Server::start().await;
    let id = made(&server, &["-t", "echo", "--cron", "@yearly", "--payload", "7"]).await;
    let run = server.json(&["schedules", "trigger", &id]).await;
    let run = run["id"].as_str().expect("an id");
    server.until(run, "succeeded").await;
    let history = server.json(&["schedules", "runs", &id]).await;
    assert_eq!(history["data"].as_array().map(Vec::len), Some(2));
    assert_said!(server.runlane(&["schedules", "runs", &id]).await);
    assert_said!(server.runlane(&["runs", "show", run]).await);
    let waiting = history["data"].as_array().expect("entries").iter().find(|entry| entry["status"] == "queued");
    let waiting = waiting.expect("a run that waits")["id"].as_str().expect("an id").to_owned();
    let explained = server.runlane(&["explain", &waiting]).await;
    assert!(explained.out.contains("of schedule echo)"), "{}", explained.out);
    let listed = server.json(&["runs", "list", "--schedule", &id]).await;
    assert_eq!(listed["data"].as_array().map(Vec::len), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_is_made_asked_about_and_revoked() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["grants"]).await);
    let terms = ["grants", "create", "--user", "ada", "--account", "lab", "--scope", "mail.*", "--expires", "12h"];
    let grant = server.json(&terms).await;
    let grant = grant["id"].as_str().expect("an id");
    assert_said!(server.runlane(&["grants", "list"]).await);
    assert_said!(server.runlane(&["grants", "validate", grant, "--task", "mail.send"]).await);
    assert_said!(server.runlane(&["grants", "validate", grant, "--task", "report"]).await);
    let id = made(&server, &["-t", "mail.send", "--cron", "@yearly", "--name", "new year", "--grant", grant]).await;
    assert_said!(server.runlane(&["grants", "show", grant]).await);
    assert_said!(server.runlane(&["grants", "revoke", grant]).await);
    assert_said!(server.runlane(&["grants", "revoke", grant, "--yes"]).await);
    assert_said!(server.runlane(&["grants", "validate", grant]).await);
    assert_said!(server.runlane(&["schedules", "trigger", &id]).await);
    let waiting = server.json(&["schedules", "runs", &id]).await["data"][0]["id"].clone();
    assert_said!(server.runlane(&["explain", waiting.as_str().expect("an id")]).await);
    assert_said!(server.runlane(&["grants", "create", "--user", "ada"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_is_summed_up() {
    let server = Server::idle().await;
    assert_said!(server.runlane(&["usage", "--from", "2026-01-01"]).await);
    assert_said!(server.runlane(&["usage", "--from", "soon"]).await);
}
