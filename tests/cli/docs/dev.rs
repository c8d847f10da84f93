//! `runlane dev` in a terminal of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

pub struct Dev {
    child: Child,
    /// What it printed before it waited for work.
    pub welcome: String,
}

impl Dev {
    /// In a home of its own, at an address that may be its choice.
    pub fn start(home: &Path, listen: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_runlane"))
            .arg("dev")
            .env_clear()
            .env("HOME", home)
            .env("RUNLANE_LISTEN", listen)
            .current_dir(home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut dev = Self { child, welcome: String::new() };
        while !dev.welcome.contains("Ctrl-C") {
            assert!(output.read_line(&mut dev.welcome).expect("a line") > 0, "it ended: {}", dev.welcome);
        }
        // Whatever it says last has somewhere to go.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        dev
    }

    /// Where its API is.
    pub fn address(&self) -> String {
        let word = self.welcome.split_whitespace().find_map(|word| word.strip_suffix("/v1"));
        word.and_then(|url| url.strip_prefix("http://")).expect("the address").to_owned()
    }

    /// Ctrl-C.
    pub fn stop(mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, Signal::INT).expect("told");
        let status = self.child.wait().expect("waited for");
        assert!(status.success(), "dev ended with {status}");
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
