//! `runlane submit --file`: many runs.

use super::assert_said;
use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_line_is_named_and_the_others_are_submitted() {
    let server = Server::idle().await;
    let lines = [
        r#"{"task":"echo","payload":1}"#,
        r#"{"task":"echo","payload":"#,
        "",
        r#"{"payload":2}"#,
        r#"{"task":"echo","priority":5000}"#,
        r#"{"task":"echo","colour":"red"}"#,
        "[]",
        r#"{"task":"echo","queue":"mail"}"#,
    ];
    let file = server.file.with_file_name("runs.ndjson");
    std::fs::write(&file, lines.join("\n")).expect("written");
    let said = server.runlane(&["submit", "--file", &file.display().to_string()]).await;
    assert_said!(said);
    let runs = server.json(&["runs", "list"]).await;
    assert_eq!(runs["data"].as_array().map(Vec::len), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_are_read_from_standard_input_with_what_the_command_line_adds() {
    let server = Server::idle().await;
    let lines: String = (0..2500).map(|number| format!("{{\"payload\":{number}}}\n")).collect();
    let args = ["submit", "echo", "--queue", "bulk", "--file", "-", "--json"];
    let said = server.runlane_reading(&args, &lines).await;
    let told: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(told, serde_json::json!({"submitted": 2500, "already_there": 0, "refused": []}), "{}", said.err);
    let queues = server.json(&["queues"]).await;
    assert_eq!((&queues["data"][0]["name"], &queues["data"][0]["waiting"]), (&"bulk".into(), &2500.into()));
}
