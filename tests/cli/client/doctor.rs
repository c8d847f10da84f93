//! `runlane doctor`.

use super::seen;
use crate::server::{Server, runlane_at};

/// Level and name of each check.
fn levels(text: &str) -> Vec<(String, String)> {
    let words = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.next()?))
    };
    let checks =
        text.lines().filter(|line| line.starts_with("ok ") || line.starts_with("warn") || line.starts_with("fail"));
    checks.filter_map(words).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_at_work_is_well() {
    let server = Server::start().await;
    let database = format!("sqlite:{}", server.file.display());
    let said = server.runlane(&["doctor", "--database", &database]).await;
    let found = levels(&said.out);
    let judged = |name: &str| found.iter().find(|(_, found)| found == name).map(|(level, _)| level.as_str());
    for name in ["database", "server", "clock", "workers", "backlog", "leases", "lanes", "queues"] {
        assert_eq!(judged(name), Some("ok"), "{name}: {}", said.out);
    }
    assert!(seen(&said.out).contains("in use by a server"), "{}", said.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_with_what_to_do() {
    let server = Server::idle().await;
    server.submit(&["echo"]).await;
    let said = server.runlane(&["doctor"]).await;
    assert!(said.out.contains("runs wait in queues that no worker serves: default"), "{}", said.out);
    assert!(said.out.contains("→ start a worker for it: runlane worker --queues default"), "{}", said.out);
    assert_eq!(said.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_a_server_is_examined_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = format!("sqlite:{}", folder.path().join("runlane.db").display());
    let nobody = "http://127.0.0.1:1";
    let said = runlane_at(nobody, &["doctor", "--database", &database], None).await;
    assert!(said.out.contains("make it: runlane migrate"), "{}", said.out);
    assert!(!folder.path().join("runlane.db").exists(), "a doctor changes nothing");
    assert!(runlane_at(nobody, &["migrate", "--database", &database], None).await.status.success());
    let said = runlane_at(nobody, &["doctor", "--database", &database, "--json"], None).await;
    let told: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let checks = told["checks"].as_array().expect("checks");
    let judged = |name: &str| checks.iter().find(|check| check["name"] == name).map(|check| check["level"].clone());
    assert_eq!((judged("database"), judged("server")), (Some("ok".into()), Some("warn".into())));
    assert_eq!(judged("workers"), Some("fail".into()));
}
