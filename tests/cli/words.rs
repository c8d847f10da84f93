//! What is said of bad input: it names the field, says what is allowed, and has none of the parsers' own words.

use serde_json::Value;

use crate::server::{Server, runlane_at};

/// What parsers of JSON, numbers, ids, times and addresses say to programmers.
const PHRASES: &[&str] = &[
    "invalid type:",
    "invalid value:",
    "unknown variant",
    "missing field",
    "expected a sequence",
    "expected a nonzero",
    "expected ident",
    "EOF while",
    "at line 1 column",
    "UUID parsing",
    "UUID string",
    "invalid digit",
    "cannot parse integer",
    "target type",
    "failed to parse",
    "four digit",
    "end of input",
    "creating a new object",
    "relative URL",
    "os error",
    "invalid connection string",
    "utf-8 sequence",
    "..=",
    "error connecting to server",
    "floating point `",
    "Some(",
    "Err(",
];

/// Names of Rust's types, as words of their own.
const TYPES: &[&str] =
    &["u8", "u16", "u32", "u64", "usize", "i16", "i32", "i64", "f64", "NonZeroU16", "Timestamp", "serde"];

fn hold(place: &str, told: &str, mentions: &[&str]) {
    for phrase in PHRASES {
        assert!(!told.contains(phrase), "{place} says {phrase:?}: {told}");
    }
    let mut words = told.split(|c: char| !c.is_ascii_alphanumeric());
    if let Some(word) = words.find(|word| TYPES.contains(word)) {
        panic!("{place} says {word:?}: {told}");
    }
    for wanted in mentions {
        assert!(told.contains(wanted), "{place} does not say {wanted:?}: {told}");
    }
}

/// The command line, and what must be said of it; it is refused as such (2) or by the server (1).
type Typed = (&'static [&'static str], i32, &'static [&'static str]);

const WHOLE: &str = "give a whole number";
const TIME: &str = "2026-11-20T09:00:00Z";

#[rustfmt::skip]
const TYPED: &[Typed] = &[
    (&["submit", "echo", "--max-attempts", "0"], 2, &["--max-attempts", "from 1 to 65535"]),
    (&["submit", "echo", "--max-attempts", "70000"], 2, &["--max-attempts", "from 1 to 65535"]),
    (&["submit", "echo", "--max-attempts", "-1"], 2, &["--max-attempts", "from 1 to 65535"]),
    (&["submit", "echo", "--max-attempts", "x"], 2, &["--max-attempts", WHOLE]),
    (&["submit", "echo", "--priority", "high"], 2, &["--priority", WHOLE]),
    (&["submit", "echo", "--priority", "99999999999"], 1, &["field: priority", "-1000 to 1000"]),
    (&["submit", "echo", "--delay", "soon"], 2, &["--delay", "5m"]),
    (&["submit", "echo", "--delay", "-5"], 2, &["--delay", "negative", "5m"]),
    (&["submit", "echo", "--at", "tomorrow"], 2, &["--at", TIME]),
    (&["submit", "echo", "--at", "2026-13-45"], 2, &["--at", TIME]),
    (&["submit", "echo", "--start-by", "tomorrow"], 2, &["--start-by", TIME]),
    (&["submit", "echo", "--start-within", "soon"], 2, &["--start-within", "5m"]),
    (&["submit", "echo", "--timeout", "0"], 1, &["field: timeout_seconds", "from 1 to"]),
    (&["submit", "echo", "--timeout", "1.5"], 1, &["field: timeout_seconds", "from 1 to"]),
    (&["submit", "echo", "--payload", "{bad"], 2, &["payload is not JSON", "double quotes", "column 2"]),
    (&["submit", "echo", "--payload", "{\"a\":1,}"], 2, &["payload is not JSON"]),
    (&["submit", "echo", "--payload", ""], 2, &["payload is not JSON", "it is empty", "null"]),
    (&["submit", "echo", "--payload", "@/nonexistent"], 2, &["payload", "/nonexistent"]),
    (&["submit", "echo", "--metadata", "[1]"], 1, &["field: metadata", "must be an object"]),
    (&["submit", "echo", "--metadata", "x"], 2, &["metadata is not JSON", "'\"x\"'"]),
    (&["submit", ""], 1, &["field: task", "1 to 200"]),
    (&["submit", "a\tb"], 1, &["field: task", "printable"]),
    (&["submit", "echo", "--queue", ""], 1, &["field: queue", "1 to 200"]),
    (&["submit", "echo", "--lane", "x\ny"], 1, &["field: lane", "printable"]),
    (&["submit", "echo", "--key", ""], 1, &["field: key", "1 to 200"]),
    (&["submit", "echo", "--key-mode", "replace"], 2, &["--key <"]),
    (&["submit", "echo", "--key", "k", "--key-mode", "keeps"], 2, &["--key-mode", "keep, replace"]),
    (&["submit", "echo", "--after", "nope"], 1, &["no run \"nope\"", "4 digits"]),
    (&["submit", "echo", "--idempotency-key", "a\nb"], 2, &["--idempotency-key", "printable"]),
    (&["submit", "echo", "--idempotency-key", ""], 1, &["--idempotency-key", "1 to 200"]),
    (&["submit", "echo", "--wait=soon"], 2, &["--wait", "5m"]),
    (&["submit"], 2, &["<TASK>"]),
    (&["submit", "--file", "/nonexistent"], 1, &["cannot read /nonexistent"]),
    (&["submit", "--file", "/"], 1, &["cannot read"]),
    (&["runs", "show", "nope"], 1, &["no run \"nope\"", "4 digits"]),
    (&["runs", "cancel", "zzzz"], 1, &["no run \"zzzz\"", "4 digits"]),
    (&["runs", "list", "--status", "faild"], 2, &["--status", "failed"]),
    (&["runs", "list", "-n", "x"], 2, &["--limit", "1 or more"]),
    (&["runs", "list", "-n", "-1"], 2, &["--limit", "1 or more"]),
    (&["runs", "list", "--schedule", "no?"], 1, &["field: schedule", "/v1/schedules lists them"]),
    (&["runs", "list", "--task", ""], 1, &["field: task", "1 to 200"]),
    (&["logs", "nope"], 1, &["no run \"nope\"", "4 digits"]),
    (&["explain", "nope"], 1, &["no run \"nope\"", "4 digits"]),
    (&["queues", "limit", "q", "x"], 2, &["<MOST>", "a number, or none"]),
    (&["queues", "limit", "q", "-1"], 2, &["<MOST>", "a number, or none"]),
    (&["lanes", "policy", "l", "stop"], 2, &["<POLICY>", "continue, hold"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--cron", "x"], 1, &["field: cron", "30 2 * * *"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--cron", "61 * * * *"], 1, &["field: cron", "0 to 59"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--cron", "0 0 30 2 *"], 1, &["field: cron", "no such date"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--cron", "@daily", "--timezone", "Europe/Berln"], 1, &["field: timezone", "Europe/Berlin?"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--cron", "@daily", "--timezone", ""], 1, &["field: timezone", "UTC"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "0"], 1, &["field: every_seconds", "from 1 to"]),
    (&["schedules", "preview", "--every", "0"], 2, &["--every", "1 second"]),
    (&["top", "--interval", "0"], 2, &["--interval", "longer than 0"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "x"], 2, &["--every", "5m"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--at", "1999-01-01T00:00:00Z"], 1, &["field: at", "in the future"]),
    (&["schedules", "create", "--task", "echo", "--name", "a"], 1, &["field: cron", "every_seconds"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "1h", "--overlap", "maybe"], 2, &["--overlap", "forbid, allow"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "1h", "--grant", "no?"], 1, &["no grant \"no?\"", "4 digits"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "1h", "--payload", "{"], 2, &["payload is not JSON", "}"]),
    (&["schedules", "create", "--task", "echo", "--name", "", "--every", "1h"], 1, &["field: name", "1 to 200"]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "1h", "--catch-up", "-1"], 2, &["--catch-up", WHOLE]),
    (&["schedules", "create", "--task", "echo", "--name", "a", "--every", "1h", "--jitter", "x"], 2, &["--jitter", "5m"]),
    (&["schedules", "preview", "--cron", "x"], 2, &["five fields", "30 2 * * *"]),
    (&["schedules", "preview", "--cron", "@daily", "-n", "0"], 2, &["--count", "from 1 to 1000"]),
    (&["schedules", "preview", "--cron", "@daily", "--from", "x"], 2, &["--from", TIME]),
    (&["schedules", "runs", "no?"], 1, &["no schedule \"no?\"", "4 digits"]),
    (&["schedules", "runs", "a", "-n", "501"], 2, &["--limit", "from 1 to 500"]),
    (&["grants", "create", "--user", "u"], 2, &["--account", "--scope"]),
    (&["grants", "create", "--user", "u", "--account", "a", "--scope", ""], 1, &["field: scopes", "mail.*"]),
    (&["grants", "create", "--user", "u", "--account", "a", "--scope", "x", "--expires", "soon"], 2, &["--expires", "30d"]),
    (&["grants", "show", "nope"], 1, &["no grant \"nope\"", "4 digits"]),
    (&["usage", "--from", "x"], 1, &["field: from", "2026-11-16"]),
    (&["workers", "drain", "nope"], 1, &["no worker \"nope\"", "4 digits"]),
    (&["workspaces", "create", ""], 1, &["field: name", "1 to 200"]),
    (&["tokens", "create", "x", "--role", "king"], 2, &["--role", "viewer, submitter"]),
    (&["tokens", "create", "x", "--expires", "0"], 1, &["field: expires_in_seconds", "greater than 0"]),
    (&["tokens", "revoke", "nope"], 1, &["no token \"nope\"", "4 digits"]),
    (&["tokens", "list", "--direct", "--database", "sqlite:/nonexistent/x.db"], 1, &["/nonexistent", "writable"]),
    (&["tokens", "list", "--direct", "--database", "mysql://x"], 1, &["mysql", "sqlite:PATH"]),
    (&["audit", "--since", "x"], 2, &["--since", "7d"]),
    (&["audit", "-n", "0"], 2, &["--limit", "1 or more"]),
    (&["bench", "--runs", "0"], 2, &["--runs", "from 1 to 1000000"]),
    (&["bench", "--runs", "x"], 2, &["--runs", WHOLE]),
    (&["migrate", "--database", "foo"], 1, &["database URL", "sqlite:PATH"]),
    (&["migrate", "--database", "sqlite:"], 1, &["database URL", "sqlite:PATH"]),
    (&["--url", "nonsense", "queues"], 2, &["\"nonsense\"", "http://"]),
    (&["--workspace", "a\nb", "queues"], 2, &["--workspace", "printable"]),
    (&["--token", "a\nb", "queues"], 2, &["--token", "printable"]),
    (&["--workspace", "nowhere", "queues"], 1, &["--workspace", "workspaces list"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_wrong_is_answered_in_plain_words() {
    let server = Server::idle().await;
    for (args, code, mentions) in TYPED {
        let said = server.runlane(args).await;
        let place = format!("{args:?}");
        assert_eq!(said.status.code(), Some(*code), "{place}: {}", said.err);
        hold(&place, &said.err, mentions);
    }
}

#[cfg(all(feature = "worker", feature = "postgres", target_os = "linux"))]
#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_are_none_are_answered_in_plain_words() {
    let typed: &[Typed] = &[
        (&["migrate", "--database", "postgres://"], 1, &["names no host"]),
        (&["migrate", "--database", "postgres://localhost:1/x"], 1, &["localhost:1/x", "refused"]),
        (&["migrate", "--database", "postgres://u@h:99999/db"], 1, &["port", "postgres://USER"]),
        (&["migrate", "--database", "postgres://localhost/x?sslmode=maybe"], 1, &["sslmode", "postgres://USER"]),
        (&["serve", "--listen", "nonsense"], 2, &["--listen", "127.0.0.1:8080"]),
        (&["serve", "--listen", "127.0.0.1:99999"], 2, &["--listen", "127.0.0.1:8080"]),
        (&["serve", "--concurrency", "x"], 2, &["--concurrency", "whole number"]),
        (&["serve", "--concurrency", "-1"], 2, &["--concurrency", "0 or more"]),
        (&["serve", "--auth", "maybe"], 2, &["--auth", "tokens, none"]),
        (&["serve", "--config", "/nonexistent.toml"], 1, &["/nonexistent.toml", "No such file"]),
        (&["worker", "--metrics-listen", "x"], 2, &["--metrics-listen", "ADDR:PORT"]),
    ];
    for (args, code, mentions) in typed {
        let said = runlane_at("http://127.0.0.1:1", args, None).await;
        let place = format!("{args:?}");
        assert_eq!(said.status.code(), Some(*code), "{place}: {}", said.err);
        hold(&place, &said.err, mentions);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_lines_of_a_file_are_answered_in_plain_words() {
    let server = Server::idle().await;
    let lines: &[(&str, &[&str])] = &[
        ("nope", &["not JSON", "double quotes"]),
        (r#"{"task":"echo","payload":"#, &["not JSON", "a value should follow"]),
        ("[]", &["not an object", "\"task\""]),
        (r#"{"payload":1}"#, &["no task"]),
        (r#"{"task":5}"#, &["task", "text in quotes"]),
        (r#"{"task":"echo","max_attempts":0}"#, &["max_attempts", "from 1 to 65535"]),
        (r#"{"task":"echo","after":["x"]}"#, &["after", "full id"]),
        (r#"{"task":"echo","available_at":"soon"}"#, &["available_at", TIME]),
    ];
    let file: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let said = server.runlane_reading(&["submit", "--file", "-"], &file).await;
    for (number, (line, mentions)) in lines.iter().enumerate() {
        let mark = format!("line {}: ", number + 1);
        let told = said.err.lines().find(|told| told.starts_with(&mark)).unwrap_or_default();
        hold(line, told, mentions);
    }
}

/// A method, a path, a body, and what must be named and said.
type Asked = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ASKED: &[Asked] = &[
    ("POST", "/v1/runs", "", "", "the body is empty"),
    ("POST", "/v1/runs", "nope", "", "double quotes"),
    ("POST", "/v1/runs", r#"{"task":"#, "", "a value should follow"),
    ("POST", "/v1/runs", "[]", ".", "give an object"),
    ("POST", "/v1/runs", "{}", "task", "is required"),
    ("POST", "/v1/runs", r#"{"task":1}"#, "task", "1 is not allowed; give text in quotes"),
    ("POST", "/v1/runs", r#"{"task":null}"#, "task", "null is not allowed; give text in quotes"),
    ("POST", "/v1/runs", r#"{"task":""}"#, "task", "1 to 200"),
    ("POST", "/v1/runs", r#"{"task":"e","priority":"high"}"#, "priority", "from -1000 to 1000"),
    ("POST", "/v1/runs", r#"{"task":"e","priority":1.5}"#, "priority", "from -1000 to 1000"),
    ("POST", "/v1/runs", r#"{"task":"e","priority":99999999999999}"#, "priority", "from -1000 to 1000"),
    ("POST", "/v1/runs", r#"{"task":"e","max_attempts":0}"#, "max_attempts", "from 1 to 65535"),
    ("POST", "/v1/runs", r#"{"task":"e","max_attempts":"3"}"#, "max_attempts", "\"3\" is not allowed"),
    ("POST", "/v1/runs", r#"{"task":"e","timeout_seconds":-1}"#, "timeout_seconds", "from 1 to"),
    ("POST", "/v1/runs", r#"{"task":"e","timeout_seconds":1.5}"#, "timeout_seconds", "whole number"),
    ("POST", "/v1/runs", r#"{"task":"e","after":["x"]}"#, "after[0]", "full id"),
    ("POST", "/v1/runs", r#"{"task":"e","after":"x"}"#, "after", "give an array"),
    ("POST", "/v1/runs", r#"{"task":"e","available_at":"soon"}"#, "available_at", TIME),
    ("POST", "/v1/runs", r#"{"task":"e","available_at":5}"#, "available_at", TIME),
    ("POST", "/v1/runs", r#"{"task":"e","delay_seconds":-1}"#, "delay_seconds", "give 0 to"),
    ("POST", "/v1/runs", r#"{"task":"e","delay_seconds":"5"}"#, "delay_seconds", "give a number"),
    ("POST", "/v1/runs", r#"{"task":"e","start_by":"soon"}"#, "start_by", TIME),
    ("POST", "/v1/runs", r#"{"task":"e","start_by":"2020-01-01T00:00:00Z"}"#, "start_by", "in the past"),
    (
        "POST",
        "/v1/runs",
        r#"{"task":"e","start_by":"2100-01-01T00:00:00Z","available_at":"2100-01-01T00:00:00Z"}"#,
        "start_by",
        "not due before 2100-01-01",
    ),
    ("POST", "/v1/runs", r#"{"task":"e","start_within_seconds":0}"#, "start_within_seconds", "from 1 to"),
    ("POST", "/v1/runs", r#"{"task":"e","start_within_seconds":4294967295}"#, "start_within_seconds", "give 1 to 315360000"),
    ("POST", "/v1/runs", r#"{"task":"e","hold":"yes"}"#, "hold", "true or false"),
    ("POST", "/v1/runs", r#"{"task":"e","key_mode":"keeps"}"#, "key_mode", "keep, replace"),
    ("POST", "/v1/runs", r#"{"task":"e","metadata":[1]}"#, "metadata", "an object"),
    ("POST", "/v1/runs", r#"{"task":"e","colour":1}"#, "colour", "there is task, payload"),
    ("POST", "/v1/runs/batch", r#"{"runs":5}"#, "runs", "give an array"),
    ("POST", "/v1/runs/batch", r#"{"runs":[5]}"#, "runs[0]", "give an object"),
    ("POST", "/v1/runs/batch", r#"{"runs":[]}"#, "runs", "give 1 to 10000"),
    ("POST", "/v1/runs/batch", r#"{"runs":[{"task":"e","max_attempts":0}]}"#, "runs[0].max_attempts", "from 1 to 65535"),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","cron":"x"}"#, "cron", "30 2 * * *"),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","every_seconds":0}"#, "every_seconds", "from 1 to"),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","at":"soon"}"#, "at", TIME),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","cron":"@daily","timezone":"Mars/X"}"#, "timezone", "Europe/Berlin"),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","every_seconds":60,"grant_id":"x"}"#, "grant_id", "full id"),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","every_seconds":60,"overlap":"maybe"}"#, "overlap", "forbid, allow"),
    ("POST", "/v1/schedules", r#"{"task":"e","name":"a","every_seconds":60,"dst":{"gap":"x"}}"#, "dst.gap", "after, skip"),
    ("POST", "/v1/schedules/preview", r#"{"cron":"@daily","from":"x"}"#, "from", TIME),
    ("POST", "/v1/schedules/preview", r#"{"cron":"@daily","count":0}"#, "count", "1 to 1000"),
    ("POST", "/v1/grants", r#"{"user_id":"u"}"#, "billing_account", "is required"),
    ("POST", "/v1/grants", r#"{"user_id":"u","billing_account":"a","scopes":"x"}"#, "scopes", "give an array"),
    ("POST", "/v1/grants", r#"{"user_id":"u","billing_account":"a","scopes":["a"],"expires_at":"x"}"#, "expires_at", TIME),
    ("POST", "/v1/tokens", r#"{"name":"x","role":"king"}"#, "role", "viewer, submitter"),
    ("POST", "/v1/tokens", r#"{"name":"x","role":5}"#, "role", "give one of the words"),
    ("POST", "/v1/tokens", r#"{"name":"x","role":"viewer","expires_in_seconds":-1}"#, "expires_in_seconds", "whole number"),
    ("POST", "/v1/tokens", r#"{"name":"x","role":"viewer","everywhere":"yes"}"#, "everywhere", "true or false"),
    ("POST", "/v1/workspaces", r#"{"name":5}"#, "name", "text in quotes"),
    ("PATCH", "/v1/queues/q", r#"{"concurrency":-1}"#, "concurrency", "whole number"),
    ("PATCH", "/v1/queues/q", r#"{"paused":1}"#, "paused", "true or false"),
    ("PATCH", "/v1/lanes/q", r#"{"policy":"stop"}"#, "policy", "continue, hold"),
    ("GET", "/v1/runs?limit=x", "", "limit", "whole number"),
    ("GET", "/v1/runs?limit=-1", "", "limit", "whole number"),
    ("GET", "/v1/runs?limit=", "", "limit", "whole number"),
    ("GET", "/v1/runs?limit=0", "", "limit", "1 to 500"),
    ("GET", "/v1/runs?limit=99999999", "", "limit", "too large"),
    ("GET", "/v1/runs?status=faild", "", "status", "pending, queued"),
    ("GET", "/v1/runs?schedule=x", "", "schedule", "/v1/schedules lists them"),
    ("GET", "/v1/runs?colour=red", "", "colour", "there is status, task"),
    ("GET", "/v1/runs?cursor=x", "", "cursor", "next_cursor"),
    ("GET", "/v1/usage?from=x", "", "from", "2026-11-16"),
    ("GET", "/v1/audit?since=x", "", "since", TIME),
    ("GET", "/v1/schedules?grant=x", "", "grant", "full id"),
    ("GET", "/v1/runs/nope", "", "", "4 digits"),
    ("GET", "/v1/runs/01a1e292-4f58-704e-830f-f9086c87eddb/events?after=x", "", "after", "whole number"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_the_api_refuses_is_answered_in_plain_words() {
    let server = Server::idle().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::new();
    for (method, path, body, field, mention) in ASKED {
        let method: reqwest::Method = method.parse().expect("a method");
        let request =
            client.request(method, format!("{}{path}", server.url)).header("content-type", "application/json");
        let text = request.body(*body).send().await.expect("an answer").text().await.expect("a body");
        let problem: Value = serde_json::from_str(&text).expect("a problem");
        let part = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let place = format!("{path} {body}");
        assert_eq!(part("field"), *field, "{place}: {text}");
        hold(&place, &format!("{} {}", part("detail"), part("hint")), &[mention]);
    }
}

#[cfg(all(feature = "worker", target_os = "linux"))]
#[test]
fn what_is_configured_wrong_is_answered_in_plain_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |variable: Option<(&str, &str)>, file: &str| {
        std::fs::write(folder.path().join("runlane.toml"), file).expect("written");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_runlane"));
        command.args(["config", "check"]).current_dir(folder.path()).envs(variable);
        let output = command.output().expect("the binary starts");
        assert!(!output.status.success(), "{variable:?} {file}");
        format!("{}{}", crate::said(&output.stdout), crate::said(&output.stderr))
    };
    let variables = [
        ("RUNLANE_CONCURRENCY", "x", "whole number"),
        ("RUNLANE_LEASE_TTL_SECONDS", "abc", "number of seconds"),
        ("RUNLANE_LISTEN", "nope", "127.0.0.1:8080"),
        ("RUNLANE_QUEUE_ENABLED", "maybe", "true nor false"),
        ("RUNLANE_AUTH", "perhaps", "tokens nor none"),
        ("RUNLANE_LOG", "inof", "did you mean info?"),
        ("RUNLANE_QUEUE_SIZE", "-1", "whole number"),
        ("RUNLANE_DATABASE", "foo", "sqlite:PATH"),
        ("RUNLANE_ALLOWED_HOSTS", "http://x/", "runs.example"),
        ("RUNLANE_ALLOWED_ORIGINS", "nope", "https://app.example"),
    ];
    for (name, value, allowed) in variables {
        hold(name, &check(Some((name, value)), ""), &[name, allowed]);
    }
    let task = "[tasks.a]\nexecutor = \"process\"\ncommand = [\"true\"]\n";
    let files = [
        ("concurrency = \"x\"", "toml:1:15", "whole number"),
        ("concurrency = 99999999999", "toml:1:1", "from 0 to 100000"),
        ("concurency = 3", "toml:1:1", "did you mean `concurrency`?"),
        ("listen = 8080", "`listen`", "text in quotes"),
        ("lease_ttl_seconds = \"30s\"", "`lease_ttl_seconds`", "a number"),
        ("queue = 5", "`queue`", "a table"),
        ("[queue]\nenabled = \"yes\"", "`queue.enabled`", "true or false"),
        ("[tasks.a]\nexecutor = \"docker\"\n", "executor", "there is process"),
        ("[tasks.a]\nexecutor = \"process\"\ncommand = \"x\"\n", "`command`", "[\"a\", \"b\"]"),
        ("rate_limit_per_second = 0", "`rate_limit_per_second`", "above 0"),
        ("auth = true", "`auth`", "tokens"),
        ("[tasks.a", "toml:1:9", "]"),
    ];
    for (file, named, allowed) in files {
        hold(file, &check(None, file), &[named, allowed]);
    }
    let keys = [
        ("max_attempts = 0", "`max_attempts`", "from 1 to 65535"),
        ("timeout_seconds = \"5m\"", "`timeout_seconds`", "whole number"),
        ("queue = \"\"", "`queue`", "1 to 200"),
        ("schema = \"nope.json\"", "`schema`", "No such file"),
        ("env = [\"A\"]", "`env`", "a table"),
        ("at_shutdown = \"stop\"", "`at_shutdown`", "requeue, pause"),
        ("retry = {factor = 0}", "`factor`", "from 1 to"),
        ("limits = {memory = 1}", "`memory`", "`memory_bytes`"),
    ];
    for (key, named, allowed) in keys {
        hold(key, &check(None, &format!("{task}{key}\n")), &[named, allowed, "toml:4:"]);
    }
}
