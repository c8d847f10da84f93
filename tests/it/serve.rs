//! `runlane serve` as an operator meets it: a crash in direct mode, a restart in the middle of the work.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::http::http_client;

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
        Self::start_with(place, &[]).await
    }

    async fn start_with(place: &Path, more: &[&str]) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
        let listen = free.to_string();
        let child = Self::command(place, &[&["--listen", &listen], more].concat())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
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
        match http_client().build().expect("a client").get(format!("{}{path}", self.url)).send().await {
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

impl Serve {
    fn tell_to_stop(&self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, Signal::TERM).expect("told");
    }

    /// Waits until it has ended by itself; its exit code.
    async fn ended(mut self) -> Option<i32> {
        let ended = async {
            loop {
                if let Some(status) = self.child.try_wait().expect("a look") {
                    return status.code();
                }
                pause().await;
            }
        };
        tokio::time::timeout(PATIENCE, ended).await.expect("ended in time")
    }

    /// What the run's program said, line by line.
    async fn log_of(&self, run: &str) -> Vec<String> {
        let (mut lines, mut after) = (Vec::new(), 0);
        loop {
            let page = self.get(&format!("/v1/runs/{run}/events?limit=1000&after={after}")).await;
            let events = page["data"].as_array().cloned().unwrap_or_default();
            let Some(last) = events.last() else { return lines };
            after = last["seq"].as_i64().expect("a number");
            lines.extend(events.iter().filter_map(|event| event["data"]["text"].as_str().map(str::to_owned)));
        }
    }

    async fn submit(&self, run: &Value) -> Value {
        let request = http_client().build().expect("a client").post(format!("{}/v1/runs", self.url)).json(run);
        request.send().await.expect("an answer").json().await.expect("JSON")
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
    set_up(tempfile::tempdir().expect("a directory"), config)
}

fn set_up(place: tempfile::TempDir, config: &str) -> tempfile::TempDir {
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
    let client = http_client().build().expect("a client");
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

/// A program that notes its start and its end, and takes `seconds` in between.
fn place_with_program(seconds: u32) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    let effects = place.path().join("effects");
    let effects = effects.display();
    set_up(
        place,
        &format!(
            r#"
        demo_tasks = true
        [tasks.slow]
        executor = "process"
        command = ["sh", "-c", "echo begun >> $EFFECTS; sleep {seconds}; echo done >> $EFFECTS"]
        env = {{ EFFECTS = "{effects}" }}
        "#
        ),
    )
}

#[tokio::test]
async fn a_restart_on_sqlite_hands_programs_over_at_once() {
    let place = place_with_program(6);
    let effects = place.path().join("effects");
    let serve = Serve::start(place.path()).await;
    let run = serve.submit(&json!({"task": "slow", "max_attempts": 1})).await;
    let begun = async {
        while !effects.exists() {
            pause().await
        }
    };
    tokio::time::timeout(PATIENCE, begun).await.expect("begun in time");
    let told = Instant::now();
    serve.tell_to_stop();
    assert_eq!(serve.ended().await, Some(3), "something was left to be adopted");
    assert!(told.elapsed() < Duration::from_secs(4), "{:?}: it waited for the program", told.elapsed());

    let serve = Serve::start(place.path()).await;
    let adopted = serve.newest(|run| run["lease"]["epoch"].as_i64() > Some(1) || run["status"] != "running").await;
    // The lease of the old process would be good for half a minute.
    assert!(told.elapsed() < Duration::from_secs(20), "{:?}: {adopted}", told.elapsed());
    let ended = serve.newest(|run| run["status"] == "succeeded").await;
    assert_eq!((&ended["id"], &ended["attempt"]), (&run["id"], &json!(1)), "{ended}");
    assert_eq!(std::fs::read_to_string(&effects).expect("effects"), "begun\ndone\n", "it ran once");
}

#[tokio::test]
async fn the_api_answers_until_the_drain_has_ended() {
    let place = place_with_program(1);
    let serve = Serve::start(place.path()).await;
    let function = serve.submit(&json!({"task": "sleep", "payload": {"seconds": 4}})).await;
    serve.newest(|run| run["status"] == "running").await;
    serve.tell_to_stop();
    let draining = async {
        while serve.get("/readyz").await["code"] != "shutting_down" {
            pause().await
        }
    };
    tokio::time::timeout(PATIENCE, draining).await.expect("told in time");
    let path = format!("/v1/runs/{}", function["id"].as_str().expect("an id"));
    assert_eq!(serve.get(&path).await["status"], "running", "a function has the grace to end");
    let stored = serve.submit(&json!({"task": "echo"})).await;
    assert_eq!(serve.ended().await, Some(0));

    let serve = Serve::start(place.path()).await;
    assert_eq!(serve.get(&path).await["status"], "succeeded");
    let ran = serve.newest(|run| run["status"] == "succeeded").await;
    assert_eq!(ran["id"], stored["id"], "what was submitted during the drain was kept");
}

/// Waits until the file has so many lines.
async fn until_lines(file: &Path, lines: usize) {
    let written = async {
        while std::fs::read_to_string(file).unwrap_or_default().lines().count() < lines {
            pause().await
        }
    };
    tokio::time::timeout(PATIENCE, written).await.expect("written in time")
}

/// Stops the server and waits until it has ended.
async fn stop(serve: Serve) {
    serve.tell_to_stop();
    serve.ended().await;
}

#[tokio::test]
async fn a_program_outlives_ten_restarts_runs_once_and_its_log_is_whole() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let (effects, enough) = (at("effects"), at("enough"));
    // It counts on until it is told that it is enough.
    let script = format!(
        "echo begun >> {}; n=0; until [ -e {} ]; do n=$((n+1)); echo line $n; sleep 0.02; done; echo last $n",
        effects.display(),
        enough.display()
    );
    let config = format!("[tasks.count]\nexecutor = \"process\"\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    let place = set_up(place, &config);
    let mut serve = Serve::start(place.path()).await;
    let run = serve.submit(&json!({"task": "count", "max_attempts": 1})).await;
    until_lines(&effects, 1).await;
    for restart in 1..=10 {
        let told = Instant::now();
        stop(serve).await;
        serve = Serve::start(place.path()).await;
        let leased = |run: &Value| run["lease"]["epoch"].as_i64() > Some(restart) && run["lease"]["owner"].is_string();
        let adopted = serve.newest(|run| leased(run) || run["status"] != "running").await;
        assert_eq!(adopted["status"], "running", "{adopted}");
        assert!(told.elapsed() < Duration::from_secs(15), "{:?}: it waited for the lease to run out", told.elapsed());
    }
    std::fs::write(&enough, "").expect("written");
    let ended = serve.newest(|run| run["status"] != "running").await;
    assert_eq!((&ended["id"], &ended["status"], &ended["attempt"]), (&run["id"], &json!("succeeded"), &json!(1)));
    assert_eq!(ended["error"], Value::Null, "{ended}");
    assert_eq!(std::fs::read_to_string(&effects).expect("effects"), "begun\n", "it ran once");
    let said = serve.log_of(ended["id"].as_str().expect("an id")).await;
    let (last, lines) = said.split_last().expect("it said something");
    let expected: Vec<String> = (1..=lines.len()).map(|number| format!("line {number}")).collect();
    assert_eq!(lines, expected);
    assert_eq!(*last, format!("last {}", lines.len()));
}

#[tokio::test]
async fn a_server_on_a_copy_of_the_data_directory_leaves_the_original_its_programs() {
    let place = place_with_program(12);
    let effects = place.path().join("effects");
    let serve = Serve::start_with(place.path(), &["--data-dir", "data"]).await;
    let run = serve.submit(&json!({"task": "slow", "max_attempts": 3})).await;
    until_lines(&effects, 1).await;
    stop(serve).await;
    let copied = Command::new("cp").args(["-a", "data", "copy"]).current_dir(place.path()).status();
    assert!(copied.expect("it starts").success());

    let twin = Serve::start_with(place.path(), &["--data-dir", "copy"]).await;
    // It is at work, and more than once had an opportunity.
    twin.submit(&json!({"task": "sleep", "payload": {"seconds": 3}})).await;
    twin.newest(|run| run["status"] == "succeeded").await;
    stop(twin).await;

    let serve = Serve::start_with(place.path(), &["--data-dir", "data"]).await;
    let path = format!("/v1/runs/{}", run["id"].as_str().expect("an id"));
    let ended = async {
        loop {
            let run = serve.get(&path).await;
            if run["status"] != "running" {
                return run;
            }
            pause().await;
        }
    };
    let ended = tokio::time::timeout(PATIENCE, ended).await.expect("ended in time");
    assert_eq!((&ended["status"], &ended["attempt"]), (&json!("succeeded"), &json!(1)), "{ended}");
    assert_eq!(std::fs::read_to_string(&effects).expect("effects"), "begun\ndone\n", "it ran once");
}

#[tokio::test]
async fn a_server_that_lacks_the_task_of_a_program_leaves_it_to_one_that_has_it() {
    let place = place_with_program(10);
    let effects = place.path().join("effects");
    let serve = Serve::start(place.path()).await;
    let run = serve.submit(&json!({"task": "slow", "max_attempts": 1})).await;
    until_lines(&effects, 1).await;
    stop(serve).await;

    std::fs::write(place.path().join("other.toml"), "demo_tasks = true\n").expect("written");
    let lacking = Serve::start_with(place.path(), &["--config", "other.toml"]).await;
    lacking.submit(&json!({"task": "sleep", "payload": {"seconds": 2}})).await;
    lacking.newest(|run| run["status"] == "succeeded").await;
    let path = format!("/v1/runs/{}", run["id"].as_str().expect("an id"));
    let left = lacking.get(&path).await;
    assert_eq!((&left["status"], &left["lease"]), (&json!("running"), &Value::Null), "{left}: nobody holds it");
    stop(lacking).await;

    let serve = Serve::start(place.path()).await;
    let done = async {
        while serve.get(&path).await["status"] == "running" {
            pause().await;
        }
        serve.get(&path).await
    };
    let ended = tokio::time::timeout(PATIENCE, done).await.expect("ended in time");
    assert_eq!((&ended["status"], &ended["attempt"]), (&json!("succeeded"), &json!(1)), "{ended}");
    assert_eq!(std::fs::read_to_string(&effects).expect("effects"), "begun\ndone\n", "it ran once");
}
