//! `runlane serve` in direct mode, as an operator meets it: a program as the task, a crash in the middle of it.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// How long anything here may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server, which ends with this.
struct Serve {
    child: Child,
    url: String,
}

impl Serve {
    fn command(place: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
        command.current_dir(place).args(["serve", "--database", "sqlite:runs.db", "--auth", "none"]).args(more);
        for name in ["DATABASE_URL", "RUNLANE_CONFIG", "RUNLANE_QUEUE_ENABLED", "RUNLANE_DATA_DIR"] {
            command.env_remove(name);
        }
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// On a port of its own.
    async fn start(place: &Path) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
        let listen = free.to_string();
        let child = Self::command(place, &["--listen", &listen]).stderr(Stdio::null()).spawn().expect("it starts");
        let serve = Self { child, url: format!("http://{listen}") };
        let ready = async {
            while serve.get("/readyz").await["status"] != "ready" {
                pause().await
            }
        };
        tokio::time::timeout(PATIENCE, ready).await.expect("ready in time");
        serve
    }

    async fn get(&self, path: &str) -> Value {
        match reqwest::get(format!("{}{path}", self.url)).await {
            Ok(response) => response.json().await.unwrap_or_default(),
            Err(_) => Value::Null,
        }
    }

    /// The newest run, once it is as wanted.
    async fn newest(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let seen = async {
            loop {
                let run = self.get("/v1/runs?limit=1").await["data"][0].clone();
                if wanted(&run) {
                    return run;
                }
                pause().await;
            }
        };
        tokio::time::timeout(PATIENCE, seen).await.expect("seen in time")
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(20)).await;
}

/// A database, and a task that takes its time: more than it takes to find it again after a crash.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    let config = r#"
        concurrency = 1
        lease_ttl_seconds = 1.5
        heartbeat_seconds = 0.2
        [queue]
        enabled = false
        [tasks.nap]
        executor = "process"
        command = ["sleep", "14"]
        [tasks.quick]
        executor = "process"
        command = ["true"]
    "#;
    std::fs::write(place.path().join("runlane.toml"), config).expect("written");
    let migrated = Command::new(env!("CARGO_BIN_EXE_runlane"))
        .current_dir(place.path())
        .args(["migrate", "--database", "sqlite:runs.db"])
        .stdout(Stdio::null())
        .status();
    assert!(migrated.expect("it starts").success());
    place
}

#[tokio::test]
async fn without_a_queue_a_crash_loses_nothing() {
    let place = place();
    let serve = Serve::start(place.path()).await;
    let client = reqwest::Client::new();
    let ask = |url: &str, task: &str| client.post(format!("{url}/v1/runs")).json(&json!({"task": task})).send();
    let finished: Value = ask(&serve.url, "quick").await.expect("an answer").json().await.expect("JSON");
    assert_eq!((&finished["status"], &finished["attempt"]), (&json!("succeeded"), &json!(1)), "{finished}");
    let unknown: Value = ask(&serve.url, "elsewhere").await.expect("an answer").json().await.expect("JSON");
    assert_eq!(unknown["code"], "unknown_task");
    let asked = tokio::spawn(ask(&serve.url, "nap"));
    let running = serve.newest(|run| run["status"] == "running").await;
    drop(serve);
    assert!(asked.await.expect("no panic").is_err(), "the connection went with the server");

    let serve = Serve::start(place.path()).await;
    serve.newest(|run| run["lease"]["epoch"].as_i64() > running["lease"]["epoch"].as_i64()).await;
    let refused: Value = ask(&serve.url, "quick").await.expect("an answer").json().await.expect("JSON");
    let recovered = serve.newest(|run| run["status"] == "succeeded").await;
    assert_eq!((&recovered["id"], &recovered["attempt"]), (&running["id"], &json!(1)), "{recovered}");
    assert_eq!(refused["code"], "concurrency_limit", "a recovered run takes its slot: {refused}");
}

#[test]
fn without_a_queue_somebody_must_execute() {
    let place = place();
    let mut child = Serve::command(place.path(), &["--concurrency", "0"]).spawn().expect("it starts");
    let mut words = String::new();
    child.stderr.take().expect("its words").read_to_string(&mut words).expect("read");
    assert!(!child.wait().expect("ended").success());
    assert!(words.contains("`queue_enabled` is false and `concurrency` is 0"), "{words}");
}
