//! What operators see of a worker: metrics, log lines, the service manager's messages, exit codes, refusals.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, RunId, TaskName};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, Store};

use super::worker::WorkerProcess;
use super::{Yard, runlane};

const PATIENCE: Duration = Duration::from_secs(30);

/// A database with one waiting run, whose caller was in a trace.
async fn one_run(yard: &Yard) -> (String, RunId) {
    let file = yard.path("runs.db");
    let store = SqliteStore::open_and_migrate(&file, Clock::Database).await.expect("a store");
    let mut request = NewRun::of(TaskName::parse("effect").expect("a name"), Json::null());
    let context = r#"{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}"#;
    request.metadata = Some(Json::parse(context).expect("JSON"));
    let id = request.id;
    store.submit(&[request], Admission::default()).await.expect("submitted");
    (format!("sqlite:{}", file.display()), id)
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn scrape(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").ok()?;
    let mut page = String::new();
    stream.read_to_string(&mut page).ok()?;
    Some(page)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_serves_its_metrics() {
    let yard = Yard::new(10);
    let (database, _) = one_run(&yard).await;
    let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let listen = format!("127.0.0.1:{port}");
    let worker = WorkerProcess::start(&yard, &database, &["--metrics-listen", &listen]);
    let finished = r#"runlane_finished_total{task="effect",queue="default",status="succeeded"} 1"#;
    until("finished", || scrape(port).is_some_and(|page| page.contains(finished)));
    let page = scrape(port).expect("a page");
    for line in [
        r#"runlane_started_total{task="effect",queue="default"} 1"#,
        r#"runlane_wait_seconds_count{task="effect",queue="default"} 1"#,
        r#"runlane_duration_seconds_count{task="effect",queue="default"} 1"#,
        "# HELP runlane_started_total Attempts started",
        "runlane_slots 2",
    ] {
        assert!(page.contains(line), "no {line} in\n{page}");
    }
    worker.drain(PATIENCE);
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_of_an_attempt_say_whose_they_are_and_the_trace_is_handed_on() {
    let yard = Yard::new(10);
    let (database, id) = one_run(&yard).await;
    let worker = WorkerProcess::start(&yard, &database, &["--log-format", "json"]);
    until("done", || yard.effects().ended() == 1);
    let (status, _) = worker.drain(PATIENCE);
    assert!(status.success());
    let log = std::fs::read_to_string(yard.path("workers.log")).expect("a log");
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"))).collect();
    let finished = lines.iter().find(|line| line["message"] == "finished").expect("a line about the end");
    assert_eq!(finished["status"], "succeeded");
    let span = &finished["span"];
    assert_eq!((span["run"].as_str(), span["attempt"].as_u64()), (Some(id.to_string().as_str()), Some(1)));
    assert_eq!(span["task"], "effect");
    assert!(span["worker"].is_string());
    assert_eq!(span["trace_id"], "0af7651916cd43dd8448eb211c80319c");
    let handed_on = std::fs::read_to_string(yard.path("effects.traceparent")).expect("the work wrote it down");
    assert!(handed_on.starts_with("00-0af7651916cd43dd8448eb211c80319c-"), "{handed_on}");
    assert!(!handed_on.contains("b7ad6b7169203331"), "a span of its own: {handed_on}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_manager_is_told_and_a_second_signal_ends_the_process_at_once() {
    let yard = Yard::new(60_000);
    let (database, _) = one_run(&yard).await;
    let path = yard.path("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let heard = || {
        let mut message = [0; 256];
        let length = socket.recv(&mut message).expect("a message");
        String::from_utf8_lossy(&message[..length]).trim().to_owned()
    };
    let worker = WorkerProcess::start_with(&yard, &database, &[], &[("NOTIFY_SOCKET", &path)]);
    assert_eq!(heard(), "READY=1");
    until("under way", || yard.effects().begins() == 1);
    worker.terminate();
    assert_eq!(heard(), "STOPPING=1");
    let began = Instant::now();
    let (status, _) = worker.drain(PATIENCE);
    assert_eq!(status.code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(5), "at once");
    let left = super::worker::processes_of(&yard.path("data"));
    assert!(!left.is_empty(), "the work goes on, to be adopted");
    super::worker::end(&left);
    until("nothing is left", || super::worker::processes_of(&yard.path("data")).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_cannot_work_says_why() {
    let yard = Yard::new(10);
    let (database, _) = one_run(&yard).await;
    let refused = |more: &[&str], config: &str| {
        let file = yard.path("wrong.toml");
        std::fs::write(&file, config).expect("written");
        let output = Command::new(runlane())
            .args(["worker", "--database", &database, "--config"])
            .arg(&file)
            .arg("--data-dir")
            .arg(yard.path("data"))
            .args(more)
            .env("RUNLANE_METRICS_LISTEN", "off")
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused(&[], "[tasks.x]\nexecutor = \"process\"\ncommand = []\n");
    assert!(said.contains("wrong.toml:3:1: error: command is empty; name a program and its arguments"), "{said}");
    let said = refused(&[], "[tasks.x]\nexecutor = \"proces\"\ncommand = [\"true\"]\n");
    let expected = "wrong.toml:2:12: error: there is no executor \"proces\"; did you mean `process`?";
    assert!(said.contains(expected), "{said}");
    let said = refused(&["--concurrency", "0"], "");
    assert!(said.contains("concurrency is 0; a worker needs at least one slot"), "{said}");
    let said = refused(&["--heartbeat-seconds", "20"], "");
    let expected = "--heartbeat-seconds: error: `lease_ttl_seconds` is 30; \
                    it must be at least three times `heartbeat_seconds`, which is 20";
    assert!(said.contains(expected), "{said}");
    let said = refused(&["--queues", "a:b"], "");
    assert!(said.contains("the limit of a queue is a number, as in reports:1"), "{said}");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let said = refused(&["--metrics-listen", &address, "--allow-no-tasks"], "");
    assert!(said.contains(&format!("cannot serve metrics at {address}")), "{said}");
}
