//! Two terminals: one with `runlane dev`, one with a shell that commands are typed into.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::dev::Dev;

/// Typed into the first terminal; once more, and what ran there is stopped first.
const DEV: &str = "cargo run --release -- dev";

/// What pages show in place of this machine's names.
const ADDRESS: &str = "127.0.0.1:8080";
const HOME: &str = "/home/ada";

/// Printed by the shell after each command.
const END: &str = "-- end of the command --";

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Session {
    shell: Child,
    keyboard: ChildStdin,
    screen: Receiver<String>,
    dev: Option<Dev>,
    address: String,
    home: tempfile::TempDir,
}

impl Session {
    pub fn start() -> Self {
        let home = tempfile::tempdir().expect("a home");
        let mut shell = Command::new("bash")
            .args(["--noprofile", "--norc"])
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", path())
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let output = BufReader::new(shell.stdout.take().expect("its output"));
        let (send, screen) = mpsc::channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut keyboard = shell.stdin.take().expect("its input");
        writeln!(keyboard, "exec 2>&1").expect("typed");
        Self { shell, keyboard, screen, dev: None, address: "127.0.0.1:0".into(), home }
    }

    /// Runs a command to its end; the lines it printed, as a page would show them.
    pub fn type_in(&mut self, command: &str) -> Vec<String> {
        if command == DEV {
            return self.dev();
        }
        let command = command.replace(ADDRESS, &self.address);
        writeln!(self.keyboard, "{{ {command}\n}} </dev/null\nprintf '\\n{END}\\n'").expect("typed");
        let mut printed = Vec::new();
        loop {
            let line = self.screen.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|error| panic!("`{command}` does not end: {error}\n{}", printed.join("\n")));
            if line == END {
                break;
            }
            printed.push(self.as_shown(&line));
        }
        trimmed(printed)
    }

    fn dev(&mut self) -> Vec<String> {
        if let Some(dev) = self.dev.take() {
            dev.stop();
        }
        let dev = Dev::start(self.home.path(), &self.address);
        self.address = dev.address();
        writeln!(self.keyboard, "export RUNLANE_URL=http://{}", self.address).expect("typed");
        let welcome = dev.welcome.lines().map(|line| self.as_shown(line)).collect();
        self.dev = Some(dev);
        trimmed(welcome)
    }

    fn as_shown(&self, line: &str) -> String {
        line.replace(&self.address, ADDRESS).replace(&*self.home.path().to_string_lossy(), HOME)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

/// Without empty lines at the end.
fn trimmed(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// The binary first.
fn path() -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_runlane")).parent().expect("a folder").display().to_string();
    format!("{binary}:{}", std::env::var("PATH").unwrap_or_default())
}
