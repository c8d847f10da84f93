//! `runlane dev`, as a newcomer meets it: started on nothing, the printed example pasted, stopped and started again.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

struct Dev {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    /// What it printed before it waited for work.
    welcome: String,
}

impl Dev {
    fn start(data: &std::path::Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_runlane"))
            .args(["dev", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data)
            .current_dir(data)
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut welcome = String::new();
        while !welcome.contains("Ctrl-C") {
            assert!(output.read_line(&mut welcome).expect("a line") > 0, "it ended: {welcome}");
        }
        Self { child, output, welcome }
    }

    /// Of its API.
    fn url(&self) -> String {
        self.welcome.split_whitespace().find(|word| word.ends_with("/v1")).expect("the address").to_owned()
    }

    /// Tells it to stop; answers with what it said last.
    fn stop(self) -> String {
        let (code, rest) = self.stopped();
        assert_eq!(code, Some(0), "{rest}");
        rest
    }

    /// Tells it to stop; answers how it ended and what it said last.
    fn stopped(mut self) -> (Option<i32>, String) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a pid");
        // As Ctrl-C does: the whole group hears of it.
        kill_process_group(pid, Signal::INT).expect("told");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("the rest");
        let status = self.child.wait().expect("waited for");
        (status.code(), rest.trim().to_owned())
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the command that was printed, as a shell would.
fn paste(welcome: &str) -> serde_json::Value {
    let from = welcome.find("curl").expect("an example");
    let example = welcome[from..].split("\n\n").next().expect("one command");
    let output = Command::new("sh").args(["-c", example]).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text} after {example}"))
}

#[test]
fn the_example_that_is_printed_works_and_runs_survive_a_restart() {
    let data = tempfile::tempdir().expect("a directory");
    let dev = Dev::start(data.path());
    assert!(dev.welcome.contains("runlane.db (new)"), "{}", dev.welcome);
    assert!(dev.welcome.contains("tasks  echo, fail, resize_image, send_email"), "{}", dev.welcome);
    let run = paste(&dev.welcome);
    assert_eq!((run["task"].as_str(), run["status"].as_str()), (Some("send_email"), Some("succeeded")), "{run}");
    let id = run["id"].as_str().expect("an id").to_owned();
    assert_eq!(dev.stop(), "1 finished, 0 released, 0 left to adopt, 0 lost");

    let again = Dev::start(data.path());
    assert!(again.welcome.contains("(existing)"), "{}", again.welcome);
    let url = again.welcome.split_whitespace().find(|word| word.ends_with("/v1")).expect("the address").to_owned();
    let output = Command::new("curl").args(["-s", &format!("{url}/runs/{id}")]).output().expect("curl");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found["id"], &found["output"]), (&run["id"], &run["output"]));
    again.stop();
}

#[test]
fn it_stops_within_seconds_whatever_is_running() {
    let data = tempfile::tempdir().expect("a directory");
    let dev = Dev::start(data.path());
    let url = dev.url();
    let body = r#"{"task": "sleep", "payload": {"seconds": 120}}"#;
    let run = ask(&[&format!("{url}/runs"), "-H", "Content-Type: application/json", "-d", body]);
    let path = format!("{url}/runs/{}", run["id"].as_str().expect("an id"));
    while ask(&[&path])["status"] != "running" {}
    let told = Instant::now();
    assert_eq!(dev.stopped(), (Some(3), "0 finished, 1 released, 0 left to adopt, 0 lost".into()));
    assert!(told.elapsed() < Duration::from_secs(15), "{:?}", told.elapsed());
}

#[test]
fn ctrl_c_leaves_a_program_to_the_next_one_which_adopts_it_when_it_starts() {
    let data = tempfile::tempdir().expect("a directory");
    let effects = data.path().join("effects");
    let script = format!("echo begun >> {0}; sleep 6; echo done >> {0}", effects.display());
    let task = format!("[tasks.slow]\nexecutor = \"process\"\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    std::fs::write(data.path().join("runlane.toml"), task).expect("written");
    let dev = Dev::start(data.path());
    let body = r#"{"task": "slow", "max_attempts": 1}"#;
    let run = ask(&[&format!("{}/runs", dev.url()), "-H", "Content-Type: application/json", "-d", body]);
    let id = run["id"].as_str().expect("an id").to_owned();
    while !effects.exists() {}
    let told = Instant::now();
    assert_eq!(dev.stopped(), (Some(3), "0 finished, 0 released, 1 left to adopt, 0 lost".into()));
    assert!(told.elapsed() < Duration::from_secs(5), "{:?}", told.elapsed());

    let dev = Dev::start(data.path());
    let path = format!("{}/runs/{id}", dev.url());
    let ended = loop {
        let run = ask(&[&path]);
        if run["status"] != "running" {
            break run;
        }
    };
    assert_eq!((ended["status"].as_str(), ended["attempt"].as_i64()), (Some("succeeded"), Some(1)), "{ended}");
    // The lease of the first one would be good for half a minute.
    assert!(told.elapsed() < Duration::from_secs(25), "{:?}", told.elapsed());
    assert_eq!(std::fs::read_to_string(&effects).expect("effects"), "begun\ndone\n", "it ran once");
}

fn ask(args: &[&str]) -> serde_json::Value {
    let output = Command::new("curl").arg("-s").args(args).output().expect("curl");
    serde_json::from_slice(&output.stdout).expect("JSON")
}
