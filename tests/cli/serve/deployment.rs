//! `runlane serve` as a process, with tasks that are programs, and the binary that talks to it with a token.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

use crate::server::{Said, runlane_at};

const TASKS: &str = r#"
[tasks.echo]
executor = "process"
command = ["sh", "-c", 'echo "hello from $RUNLANE_TASK"; cat > "$RUNLANE_RESULT"']

[tasks.flaky]
executor = "process"
command = ["sh", "-c", 'test "$RUNLANE_ATTEMPT" -gt 1 || { echo "not yet" >&2; exit 3; }']

[tasks.wait]
executor = "process"
command = ["sleep", "600"]
stop_grace_seconds = 1
"#;

pub struct Deployment {
    pub url: String,
    token: String,
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
}

impl Deployment {
    /// On a migrated database, at an address of its own choice; whoever has the token may use it.
    pub async fn start(folder: &Path, database: &str, token: &str) -> Self {
        let config = folder.join("runlane.toml");
        std::fs::write(&config, TASKS).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--database", database]);
        command.arg("--config").arg(&config).arg("--data-dir").arg(folder.join("data"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("it starts");
        let log = BufReader::new(child.stderr.take().expect("its log")).lines();
        let mut deployment = Self { url: String::new(), token: token.to_owned(), child, log };
        let line = deployment.until_said("serving the API").await;
        deployment.url = format!("http://{}", line["address"].as_str().expect("an address"));
        deployment
    }

    /// Reads its log up to a line with this message.
    async fn until_said(&mut self, message: &str) -> serde_json::Value {
        loop {
            let line = tokio::time::timeout(Duration::from_secs(30), self.log.next_line()).await.expect("in time");
            let line = line.expect("its log").unwrap_or_else(|| panic!("it ended without saying {message:?}"));
            let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            if line["message"] == message {
                return line;
            }
        }
    }

    /// Calls the binary, with the token.
    pub async fn runlane(&self, args: &[&str]) -> Said {
        runlane_at(&self.url, &[args, &["--token", &self.token]].concat(), None).await
    }

    /// What a verb answers with `--json`.
    pub async fn json(&self, args: &[&str]) -> serde_json::Value {
        let said = self.runlane(&[args, &["--json"]].concat()).await;
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {} {}", said.out, said.err))
    }

    /// Submits a run; its id, which is all that standard output has.
    pub async fn submit(&self, args: &[&str]) -> String {
        let said = self.runlane(&[&["submit"], args].concat()).await;
        assert!(said.status.success(), "{}", said.err);
        said.out.trim_end().to_owned()
    }

    /// Waits until a run has a status.
    pub async fn until(&self, id: &str, status: &str) {
        for _ in 0..1000 {
            if self.json(&["runs", "show", id]).await["status"] == status {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("run {id} did not become {status}");
    }

    /// A request with the token: the status, and the body.
    pub async fn http(&self, request: reqwest::RequestBuilder) -> (u16, String) {
        let response = request.bearer_auth(&self.token).send().await.expect("an answer");
        (response.status().as_u16(), response.text().await.expect("a body"))
    }

    /// Where something is in the API.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// SIGTERM: how it exits, and what it says last.
    pub async fn stop(mut self) -> (ExitStatus, String) {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, Signal::TERM).expect("told");
        let drained = tokio::spawn(async move { while let Ok(Some(_)) = self.log.next_line().await {} });
        let mut words = String::new();
        let mut output = self.child.stdout.take().expect("its output");
        output.read_to_string(&mut words).await.expect("its last words");
        let status = self.child.wait().await.expect("waited for");
        drained.await.expect("its log");
        (status, words.trim_end().to_owned())
    }
}
