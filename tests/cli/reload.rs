//! SIGHUP: the tasks of a server at work are exchanged, and what runs goes on.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};

use super::server::{Said, runlane_at};

/// How long anything may take here.
const PATIENCE: Duration = Duration::from_secs(30);

/// A real `runlane serve`, with its log.
pub(crate) struct Serving {
    child: Child,
    pub(crate) url: String,
    log: Receiver<String>,
    folder: PathBuf,
}

impl Serving {
    pub(crate) fn start(folder: &Path, tasks: &str) -> Self {
        Self::start_with(folder, tasks, |_| {})
    }

    fn start_with(folder: &Path, tasks: &str, prepare: impl FnOnce(&mut Command)) -> Self {
        std::fs::write(folder.join("runlane.toml"), tasks).expect("written");
        let runlane = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
            for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RUNLANE_")) {
                command.env_remove(name);
            }
            command.env("RUNLANE_DATABASE", "sqlite:runlane.db").args(args).current_dir(folder);
            command
        };
        assert!(runlane(&["migrate"]).status().expect("migrated").success());
        let args = ["serve", "--auth", "none", "--listen", "127.0.0.1:0", "--concurrency", "4"];
        let mut command = runlane(&args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        prepare(&mut command);
        let mut child = command.spawn().expect("it starts");
        let stderr = BufReader::new(child.stderr.take().expect("its log"));
        let (tell, log) = mpsc::channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        let mut serving = Self { child, url: String::new(), log, folder: folder.to_owned() };
        let line = serving.until("serving the API");
        let address = line.rsplit_once("address=").expect("an address").1.trim();
        serving.url = format!("http://{address}");
        serving
    }

    /// Waits until the log has a line with these words.
    pub(crate) fn until(&self, words: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("the log never said {words:?}"));
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Changes the file and says so; answers with the line of the log that has these words.
    pub(crate) fn reload(&self, tasks: &str, words: &str) -> String {
        std::fs::write(self.folder.join("runlane.toml"), tasks).expect("written");
        self.signal(Signal::HUP);
        self.until(words)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, signal).expect("told");
    }

    async fn submit(&self, args: &[&str]) -> Said {
        runlane_at(&self.url, &[&["submit"], args].concat(), None).await
    }

    /// Submits a run and waits for its output.
    async fn output(&self, task: &str) -> serde_json::Value {
        let said = self.submit(&[task, "--wait", "--json"]).await;
        let run: serde_json::Value =
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{} {}", said.out, said.err));
        assert_eq!(run["status"], "succeeded", "{run}");
        run["output"].clone()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn task(name: &str, script: &str) -> String {
    format!("[tasks.{name}]\nexecutor = \"process\"\ncommand = [\"sh\", \"-c\", '{script}']\n")
}

fn says(name: &str, word: &str) -> String {
    task(name, &format!(r#"echo "\"{word}\"" > "$RUNLANE_RESULT""#))
}

/// Says that it has begun, and goes on when it may, or when its test is gone.
const WAITS: &str =
    r#"touch begun; while [ -e begun ] && [ ! -e go_on ]; do sleep 0.05; done; echo 1 > "$RUNLANE_RESULT""#;

#[tokio::test]
async fn tasks_are_exchanged_on_sighup_and_what_runs_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(folder.path(), &[task("slow", WAITS), says("greet", "hello")].concat());
    let slow = serving.submit(&["slow", "--max-attempts", "1"]).await.out.lines().next().expect("an id").to_owned();
    for _ in 0..1000 {
        if folder.path().join("begun").exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(serving.output("greet").await, "hello");

    let schema = "schema = { type = \"object\" }\n";
    let new = [says("greet", "good evening"), says("part", "goodbye"), schema.to_owned()].concat();
    let line = serving.reload(&new, "reloaded the tasks");
    assert!(line.contains(r#"added=["part"] removed=["slow"] changed=["greet"]"#), "{line}");
    assert_eq!(serving.output("greet").await, "good evening");
    let refused = serving.submit(&["part", "--payload", "7"]).await;
    assert!(refused.err.contains("7 is not of type \"object\""), "{}", refused.err);

    std::fs::write(folder.path().join("go_on"), "").expect("written");
    let said = runlane_at(&serving.url, &["logs", "-f", &slow], None).await;
    assert!(said.status.success(), "{} {}", said.out, said.err);
    serving.signal(Signal::TERM);
    serving.until("stopped");
}

#[tokio::test]
async fn a_broken_file_keeps_the_old_tasks_and_settings_need_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let greet = says("greet", "hello");
    let serving = Serving::start(folder.path(), &greet);
    let broken = format!("{}comand = 1\n", says("greet", "nothing"));
    let line = serving.reload(&broken, "there is no key");
    assert!(line.contains("runlane.toml:4:1: there is no key `comand` in [tasks.greet]; did you mean"), "{line}");
    serving.until("the tasks were not reloaded");
    assert_eq!(serving.output("greet").await, "hello");

    let line = serving.reload(&format!("queue_size = 5\n{greet}"), "after a restart");
    assert!(line.contains(r#"settings=["queue_size"]"#), "{line}");
    let line = serving.until("reloaded the tasks");
    assert!(line.contains("added=[] removed=[] changed=[]"), "{line}");
}

#[tokio::test]
async fn a_terminal_that_goes_away_means_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    unlockpt(&terminal).expect("unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("text");
    let ours = std::fs::File::options().read(true).write(true).open(name).expect("opened");
    let mut serving = Serving::start_with(folder.path(), &says("greet", "hello"), |command| {
        command.stdin(ours);
    });
    serving.signal(Signal::HUP);
    serving.until("reloaded the tasks");
    drop(terminal);
    serving.signal(Signal::HUP);
    serving.until("the terminal was closed");
    serving.until("stopped");
    assert!(serving.child.wait().expect("waited for").success());
}

#[tokio::test]
async fn the_service_manager_is_told_of_a_reload() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("notify");
    let manager = UnixDatagram::bind(&socket).expect("a socket");
    manager.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let told = || {
        let mut message = [0; 256];
        let length = manager.recv(&mut message).expect("told");
        String::from_utf8_lossy(&message[..length]).trim().to_owned()
    };
    let tasks = says("greet", "hello");
    let serving = Serving::start_with(folder.path(), &tasks, |command| {
        command.env("NOTIFY_SOCKET", &socket);
    });
    assert_eq!(told(), "READY=1");
    serving.signal(Signal::HUP);
    assert!(told().starts_with("RELOADING=1\nMONOTONIC_USEC="), "with the time");
    assert_eq!(told(), "READY=1");
}
