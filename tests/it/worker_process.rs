//! `runlane worker` as an operator meets it: what it says on its port and in its log.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, Status, TaskName, WorkspaceName};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, Store};
use serde_json::Value;

use crate::http::http_client;

/// A worker, which ends with this.
struct Process {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
}

impl Process {
    fn start(place: &Path) -> Self {
        Self::start_with(place, &[("RUNLANE_DEMO_TASKS", "true")])
    }

    fn start_with(place: &Path, env: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
        command.current_dir(place).args(["worker", "--database", "sqlite:runs.db", "--log-format", "json"]);
        for name in ["DATABASE_URL", "RUNLANE_CONFIG", "RUNLANE_DATA_DIR", "RUNLANE_METRICS_LISTEN", "RUNLANE_LOG"] {
            command.env_remove(name);
        }
        command.envs(env.iter().copied()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let log = BufReader::new(child.stderr.take().expect("its log"));
        Self { child, log }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.log.read_line(&mut line).expect("a line") > 0, "it ended");
        line
    }

    /// Reads on until a line has these words.
    fn until(&mut self, words: &str) -> Value {
        loop {
            let line = self.line();
            if line.contains(words) {
                return serde_json::from_str(&line).expect("JSON");
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_worker_starts_on_another_port_and_says_how_it_is() {
    // If this fails, somebody else has the port, which does as well.
    let _first = TcpListener::bind("127.0.0.1:9091");
    let place = tempfile::tempdir().expect("a directory");
    SqliteStore::migrate(place.path().join("runs.db")).await.expect("a database");
    let mut worker = Process::start(place.path());
    let said = worker.until("serving metrics");
    let address = said["address"].as_str().expect("an address").to_owned();
    assert_ne!(address, "127.0.0.1:9091");
    let client = http_client().build().expect("a client");
    for (path, words) in [("/healthz", "ok"), ("/readyz", "ready"), ("/metrics", "runlane_slots")] {
        let answer = client.get(format!("http://{address}{path}")).send().await.expect("an answer");
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        let body = answer.text().await.expect("text");
        assert!(body.contains(words), "{path}: {body}");
    }
    let other = client.get(format!("http://{address}/v1/runs")).send().await.expect("an answer");
    assert_eq!(other.status().as_u16(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_attempt_is_logged_with_its_error() {
    let place = tempfile::tempdir().expect("a directory");
    let mut request =
        NewRun::of(TaskName::parse("fail").expect("a name"), Json::parse(r#"{"times": 9}"#).expect("JSON"));
    request.max_attempts = NonZeroU16::MIN;
    let id = request.id;
    let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Database).await.expect("a store");
    store.submit(&[request], Admission::default()).await.expect("submitted");
    drop(store);
    let mut worker = Process::start(place.path());
    let said = worker.until("the attempt failed");
    let (fields, span) = (&said, &said["span"]);
    assert_eq!((said["level"].as_str(), fields["status"].as_str()), (Some("WARN"), Some("failed")), "{said}");
    assert!(fields["code"].is_string() && fields["error"].is_string(), "{said}");
    assert_eq!((span["run"].as_str(), span["task"].as_str()), (Some(id.to_string().as_str()), Some("fail")), "{said}");
}

#[test]
fn a_worker_that_finds_no_tasks_refuses_to_start_and_says_what_to_do() {
    let place = tempfile::tempdir().expect("a directory");
    let refused = Command::new(env!("CARGO_BIN_EXE_runlane"))
        .current_dir(place.path())
        .args(["worker", "--database", "sqlite:runs.db"])
        .env_remove("RUNLANE_CONFIG")
        .output()
        .expect("it starts");
    assert!(!refused.status.success());
    let words = String::from_utf8_lossy(&refused.stderr);
    for word in ["there are no tasks", "runlane.toml", "--config", "--allow-no-tasks"] {
        assert!(words.contains(word), "{word}: {words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_allowed_to_have_no_tasks_starts_and_eats_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Database).await.expect("a store");
    let mut request = NewRun::of(TaskName::parse("echo").expect("a name"), Json::null());
    request.max_attempts = NonZeroU16::MIN;
    let id = request.id;
    store.submit(&[request], Admission::default()).await.expect("submitted");
    drop(store);
    let env = [("RUNLANE_DEMO_TASKS", "false"), ("RUNLANE_ALLOW_NO_TASKS", "true")];
    let mut worker = Process::start_with(place.path(), &env);
    worker.until("there are no tasks");
    worker.until("the worker has started");
    // Several times as long as it takes to claim what waits.
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    drop(worker);
    let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Database).await.expect("a store");
    let run = store.run(&WorkspaceName::default(), id).await.expect("a read").expect("a run");
    assert_eq!((run.status(), run.attempt, run.epoch), (Status::Queued, 0, 0));
}
