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
    let told: Vec<serde_json::Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((told.len(), &told[2499]["line"], &told[2499]["outcome"]), (2500, &2500.into(), &"created".into()));
    assert!(said.err.starts_with("submitted 2,500 runs in "), "{}", said.err);
    let queues = server.json(&["queues"]).await;
    assert_eq!((&queues["data"][0]["name"], &queues["data"][0]["waiting"]), (&"bulk".into(), &2500.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_output_has_a_line_for_each_line_of_the_file() {
    let server = Server::idle().await;
    let lines = "\n{\"task\":\"a\",\"key\":\"k\"}\nnope\n{\"task\":\"b\"}\n{\"task\":\"a\",\"key\":\"k\"}\n";
    let said = server.runlane_reading(&["submit", "--file", "-"], lines).await;
    let ids: Vec<&str> = said.out.lines().collect();
    assert_eq!((ids.len(), ids[0], ids[2]), (5, "", ""), "{}", said.out);
    assert_eq!(ids[1], ids[4], "the same key is the same run");
    assert_eq!(server.json(&["runs", "show", ids[3]]).await["task"], "b");
    assert!(
        said.err.contains("line 3: not JSON") && said.err.contains("; 1 already there; 1 line refused"),
        "{}",
        said.err
    );
    assert_eq!(said.status.code(), Some(1));
    let again = server.runlane_reading(&["submit", "--file", "-", "--json"], lines).await;
    let told: Vec<serde_json::Value> =
        again.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let outcomes: Vec<_> = told.iter().map(|line| (&line["line"], line["outcome"].as_str().expect("a word"))).collect();
    let expected = [(2, "already_there"), (3, "refused"), (4, "created"), (5, "already_there")];
    assert_eq!(
        outcomes,
        expected
            .map(|(line, word)| (line.into(), word))
            .iter()
            .map(|(l, w): &(serde_json::Value, &str)| (l, *w))
            .collect::<Vec<_>>()
    );
    assert!(told[1]["error"].as_str().is_some_and(|error| error.starts_with("not JSON")) && told[1]["id"].is_null());
}
