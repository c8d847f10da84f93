//! A worker process, and everything one can do to it.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Yard, runlane};

/// One `runlane worker`.
pub(super) struct WorkerProcess {
    child: Child,
}

impl WorkerProcess {
    /// With leases of three seconds. All workers of a yard are on the same host.
    pub(super) fn start(yard: &Yard, database: &str, more: &[&str]) -> Self {
        Self::start_with(yard, database, more, &[])
    }

    /// One `runlane serve`, on any port.
    pub(super) fn serve(yard: &Yard, database: &str, more: &[&str]) -> Self {
        let open = ["--listen", "127.0.0.1:0", "--auth", "none"];
        Self::start_as("serve", yard, database, &[&open, more].concat(), &[])
    }

    pub(super) fn start_with(yard: &Yard, database: &str, more: &[&str], env: &[(&str, &Path)]) -> Self {
        Self::start_as("worker", yard, database, more, env)
    }

    fn start_as(verb: &str, yard: &Yard, database: &str, more: &[&str], env: &[(&str, &Path)]) -> Self {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(yard.path("workers.log"));
        let child = Command::new(runlane())
            .arg(verb)
            .args(["--database", database])
            .env("RUNLANE_METRICS_LISTEN", "off")
            .env("RUNLANE_HOST", "yard")
            .env("RUNLANE_DATA_DIR", yard.path("data"))
            .env("RUNLANE_LEASE_TTL_SECONDS", "3")
            .env("RUNLANE_HEARTBEAT_SECONDS", "0.5")
            .envs(env.iter().copied())
            .args(more)
            .arg("--config")
            .arg(yard.path("runlane.toml"))
            .stdout(Stdio::piped())
            .stderr(log.expect("a log"))
            .spawn()
            .expect("the worker starts");
        Self { child }
    }

    /// As the machine failing would: no warning.
    pub(super) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("waited for");
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub(super) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Tells it to read its file again.
    pub(super) fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("waited for").is_some()
    }

    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Tells it to drain and waits until it has; answers with how it ended and what it said last.
    pub(super) fn drain(self, patience: Duration) -> (ExitStatus, String) {
        self.terminate();
        self.ended(patience)
    }

    /// Waits until it has ended by itself; answers with how, and what it said last.
    pub(super) fn ended(mut self, patience: Duration) -> (ExitStatus, String) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("waited for") {
                break status;
            }
            assert!(began.elapsed() < patience, "the worker did not drain in time");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut said = String::new();
        if let Some(mut stdout) = self.child.stdout.take() {
            std::io::Read::read_to_string(&mut stdout, &mut said).expect("read");
        }
        (status, said.trim().to_owned())
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, signal).expect("a signal");
    }
}

/// A test that fails leaves no worker behind.
impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends processes that a test means to leave behind.
pub(super) fn end(processes: &[(i32, String)]) {
    for pid in processes.iter().filter_map(|(pid, _)| Pid::from_raw(*pid)) {
        // Some end with others.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// The shims at work on attempts kept under `data`: by what they have open there.
pub(super) fn shims_of(data: &Path) -> Vec<(i32, String)> {
    found(|process| is_shim(process, data))
}

/// Processes, whoever started them, that belong to attempts kept under `data`: shims, and work by its environment.
pub(super) fn processes_of(data: &Path) -> Vec<(i32, String)> {
    let needle = data.to_string_lossy().into_owned();
    found(|process| is_shim(process, data) || text(process, "environ").contains(&needle))
}

fn is_shim(process: &Path, data: &Path) -> bool {
    let data = data.canonicalize().unwrap_or_else(|_| data.into());
    let is_within = |fd: std::fs::DirEntry| std::fs::read_link(fd.path()).is_ok_and(|file| file.starts_with(&data));
    text(process, "comm").trim() == "runlane-shim"
        && std::fs::read_dir(process.join("fd")).is_ok_and(|mut open| open.any(|fd| fd.is_ok_and(is_within)))
}

/// Their numbers, and how they were called.
fn found(belongs: impl Fn(&Path) -> bool) -> Vec<(i32, String)> {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let number = |process: &Path| process.file_name()?.to_str()?.parse::<i32>().ok();
    let known = processes.filter_map(|process| Some((number(&process)?, process)));
    known.filter(|(_, process)| belongs(process)).map(|(pid, process)| (pid, text(&process, "cmdline"))).collect()
}

fn text(process: &Path, name: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(process.join(name)).unwrap_or_default()).replace('\0', " ")
}
