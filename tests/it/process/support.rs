//! A host of its own for every test, a reporter that remembers, and a look at what is left running.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use runlane::executor::process::{ProcessExecutor, ProcessHost, ProcessTask};
use runlane::executor::{Completion, Control, ControlSender, Executor, Gone, Order, Report, Reporter, Stream, Work};
use runlane::run::{Json, QueueName, RunId, TaskName, WorkspaceName};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// Longer than anything takes, so that a test that fails does so with a message.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub const LEASE: Duration = Duration::from_secs(60);

/// A host, one run of a task on it, and what was reported.
pub struct Scene {
    folder: TempDir,
    pub host: Arc<ProcessHost>,
    pub task: ProcessTask,
    pub work: Work,
    pub reporter: Arc<Recorder>,
}

/// An execution that goes on in the background.
pub struct Followed {
    pub sender: ControlSender,
    completion: JoinHandle<Completion>,
}

pub fn sh(script: &str) -> Scene {
    scene(ProcessTask::new(["/bin/sh", "-c", script]))
}

pub fn scene(task: ProcessTask) -> Scene {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host_in(folder.path().into());
    Scene { folder, host, task, work: work(RunId::new()), reporter: Arc::default() }
}

/// A host that has no patience, so that a lease is over when it is over.
pub fn host_in(data_dir: PathBuf) -> Arc<ProcessHost> {
    try_host_in(data_dir).expect("a host")
}

pub fn try_host_in(data_dir: PathBuf) -> std::io::Result<Arc<ProcessHost>> {
    let shim = vec![env!("CARGO_BIN_EXE_runlane").into(), "shim".into()];
    Ok(Arc::new(ProcessHost::new(data_dir)?.with_shim(shim).with_patience(Duration::ZERO)))
}

pub fn work(run: RunId) -> Work {
    Work {
        run,
        workspace: WorkspaceName::default(),
        task: TaskName::parse("a task").expect("a name"),
        queue: QueueName::default(),
        attempt: 1,
        max_attempts: 3,
        epoch: 1,
        payload: Json::parse(r#"{"a":1}"#).expect("JSON"),
        traceparent: None,
        grant: None,
    }
}

impl Scene {
    pub fn with(mut self, change: impl FnOnce(&mut ProcessTask)) -> Self {
        change(&mut self.task);
        self
    }

    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.host = Arc::new((*self.host).clone().with_patience(patience));
        self
    }

    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().into()
    }

    /// The directory of the attempt.
    pub fn directory(&self) -> PathBuf {
        self.folder.path().join("attempts").join(self.work.run.to_string()).join(self.work.attempt.to_string())
    }

    /// A file in the directory that the program puts files into.
    pub fn output(&self, name: &str) -> PathBuf {
        self.directory().join("output").join(name)
    }

    pub fn executor(&self) -> ProcessExecutor {
        ProcessExecutor::new(self.host.clone(), self.task.clone()).expect("a usable task")
    }

    /// Sees it through, and looks after it that nothing is left.
    pub async fn run(&self) -> Completion {
        let completion = self.start(LEASE).completion().await;
        self.nothing_is_left().await;
        completion
    }

    pub fn start(&self, lease: Duration) -> Followed {
        let (sender, control) = Control::new(Instant::now() + lease, self.reporter.clone());
        let (executor, work) = (self.executor(), self.work.clone());
        Followed { sender, completion: tokio::spawn(async move { executor.start(&work, control).await }) }
    }

    /// Adopts it by the next epoch.
    pub fn adopt(&mut self, lease: Duration) -> Followed {
        self.work.epoch += 1;
        let (sender, control) = Control::new(Instant::now() + lease, self.reporter.clone());
        let (executor, work) = (self.executor(), self.work.clone());
        Followed { sender, completion: tokio::spawn(async move { executor.adopt(&work, control).await }) }
    }

    pub fn lines(&self, stream: Stream) -> Vec<String> {
        self.reporter.lines(stream)
    }

    /// Waits until the program has put a file there, and answers what is in it.
    pub async fn output_appears(&self, name: &str) -> String {
        let path = self.output(name);
        until(&format!("{name} to be there"), || fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n')))
            .await;
        fs::read_to_string(path).expect("read").trim_end().to_owned()
    }

    /// Waits until no process of any attempt of this host is alive, nor a dead child of this process to be reaped.
    pub async fn nothing_is_left(&self) {
        let root = self.folder.path().join("attempts").canonicalize().expect("a path");
        until("all processes to be gone", || processes_of(&root).is_empty()).await;
        until("no zombie to be left", || zombies().is_empty()).await;
    }

    /// The number in the record of the shim or of the child.
    pub fn pid_of(&self, who: &str) -> i32 {
        let text = fs::read_to_string(self.record()).expect("a record");
        let record: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        record[who]["pid"].as_i64().expect("a number") as i32
    }

    /// What the shim writes about the attempt.
    pub fn record(&self) -> PathBuf {
        self.directory().join("record.jsonl")
    }

    /// Whether it is on record who is at work.
    pub fn is_taken_up(&self) -> bool {
        fs::read_to_string(self.record()).is_ok_and(|record| record.contains('\n'))
    }

    /// Waits until it is on record how the attempt ended, and answers with that.
    pub async fn exit_record(&self) -> String {
        let line = || Some(fs::read_to_string(self.record()).ok()?.lines().nth(1)?.to_owned());
        until("the exit record", || line().is_some()).await;
        line().expect("still there")
    }
}

impl Followed {
    pub async fn completion(self) -> Completion {
        let ended = tokio::time::timeout(PATIENCE, self.completion).await;
        ended.expect("it ends in time").expect("it does not panic")
    }

    /// As if the worker were gone from one moment to the next.
    pub fn vanish(self) {
        self.completion.abort();
    }

    pub fn is_over(&self) -> bool {
        self.completion.is_finished()
    }

    pub fn stop(&self, grace: Duration) {
        self.sender.order(Order::Stop { grace });
    }
}

/// Remembers what was reported; counts events of other runs, too.
#[derive(Default)]
pub struct Recorder {
    events: Mutex<Vec<Report>>,
    /// Stores, but the answer gets lost: how the end of a worker looks from the store.
    pub is_mute: AtomicBool,
    /// Takes nothing.
    pub is_gone: AtomicBool,
}

impl Recorder {
    pub fn all(&self) -> Vec<Report> {
        self.events.lock().expect("unpoisoned").clone()
    }

    pub fn lines(&self, wanted: Stream) -> Vec<String> {
        let text = |report| match report {
            Report::Log { stream, text } if stream == wanted => Some(text),
            _ => None,
        };
        self.all().into_iter().filter_map(text).collect()
    }
}

#[async_trait]
impl Reporter for Recorder {
    async fn report(&self, reports: Vec<Report>) -> Result<i64, Gone> {
        if self.is_gone.load(Ordering::SeqCst) {
            return Err(Gone);
        }
        let number = {
            let mut events = self.events.lock().expect("unpoisoned");
            events.extend(reports);
            // Numbers are shared with other runs, so that they are not counts.
            events.len() as i64 * 3
        };
        if self.is_mute.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(number)
    }

    async fn reported_since(&self, event: i64) -> Result<u64, Gone> {
        Ok(self.events.lock().expect("unpoisoned").len() as u64 - event as u64 / 3)
    }
}

/// Waits for a condition that comes about by itself.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        sleep(Duration::from_millis(10)).await;
    }
}

pub fn failure(completion: Completion) -> (String, String) {
    match completion {
        Completion::Failed { error, .. } => (error.code, error.message),
        other => panic!("expected a failure, got {other:?}"),
    }
}

pub fn output(completion: Completion) -> Option<String> {
    match completion {
        Completion::Succeeded { output } => output.map(|json| json.as_str().trim().to_owned()),
        other => panic!("expected a success, got {other:?}"),
    }
}

/// Whether there is such a process, and it has not ended.
pub fn is_alive(pid: i32) -> bool {
    state(pid).is_some_and(|(state, _)| state != 'Z')
}

pub fn kill(pid: i32, signal: &str) {
    let done = std::process::Command::new("kill").args([&format!("-{signal}"), "--", &pid.to_string()]).status();
    assert!(done.expect("kill runs").success(), "kill -{signal} {pid}");
}

/// Shims that are at work by what they have open, work by its environment.
fn processes_of(root: &std::path::Path) -> Vec<i32> {
    let mark = format!("RUNLANE_OUTPUT_DIR={}/", root.display());
    let bears_mark = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
    };
    let is_within = |entry: fs::DirEntry| fs::read_link(entry.path()).is_ok_and(|file| file.starts_with(root));
    let has_open = |pid: &i32| {
        fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|mut open| open.any(|fd| fd.is_ok_and(is_within)))
    };
    let me = std::process::id() as i32;
    pids().filter(|pid| *pid != me && (has_open(pid) || bears_mark(pid))).collect()
}

/// Among what this process has started, and what that has.
fn zombies() -> Vec<i32> {
    let me = std::process::id() as i32;
    let is_ours = |parent: i32| parent == me || state(parent).is_some_and(|(_, parent)| parent == me);
    pids().filter(|pid| state(*pid).is_some_and(|(state, parent)| state == 'Z' && is_ours(parent))).collect()
}

/// The process that shims are made from, of a scene that has started one.
pub fn zygote_of(shim: i32) -> i32 {
    state(shim).expect("the shim is there").1
}

fn pids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc").expect("proc").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The state of a process, and its parent.
fn state(pid: i32) -> Option<(char, i32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}
