//! A PostgreSQL of the test's own, to be stopped and started at will.

use std::path::Path;
use std::process::Command;

/// A cluster in a directory of its own.
pub(super) struct Cluster {
    dir: tempfile::TempDir,
    bin: String,
    port: u16,
}

impl Cluster {
    /// `None`, and a word about it, where the tests have no PostgreSQL.
    pub(super) fn start() -> Option<Self> {
        let Ok(bin) = std::env::var("RUNLANE_TEST_PGBIN") else {
            eprintln!("skipped: RUNLANE_TEST_PGBIN is not set (make test starts a server)");
            return None;
        };
        let dir = tempfile::tempdir().expect("a directory");
        // Its own user must be able to enter.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(dir.path(), open).expect("permissions");
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        let cluster = Self { dir, bin, port };
        let data = cluster.data();
        cluster.run("initdb", &["-D", &data, "-A", "trust", "-U", "postgres", "--locale=C", "-E", "UTF8", "--no-sync"]);
        cluster.go();
        Some(cluster)
    }

    pub(super) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// As a crash would, and up again: what was committed is there, everything else is gone.
    pub(super) fn crash_and_recover(&self, down: std::time::Duration) {
        self.stop();
        std::thread::sleep(down);
        self.go();
    }

    fn go(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200",
            self.port
        );
        let log = self.dir.path().join("log").to_string_lossy().into_owned();
        self.run("pg_ctl", &["-D", &self.data(), "-o", &options, "-l", &log, "-w", "-s", "start"]);
    }

    pub(super) fn stop(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "-s", "stop"]);
    }

    fn data(&self) -> String {
        self.dir.path().join("data").to_string_lossy().into_owned()
    }

    /// The server refuses to run as root.
    fn run(&self, program: &str, arguments: &[&str]) {
        let path = Path::new(&self.bin).join(program);
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.args(arguments).current_dir("/").stdin(std::process::Stdio::null());
        let log = std::fs::File::create(self.dir.path().join(format!("{program}.log"))).expect("a log");
        let status = command.stdout(log.try_clone().expect("a log")).stderr(log).status().expect("it starts");
        assert!(status.success(), "{program} failed: {status}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if Path::new(&self.data()).join("postmaster.pid").exists() {
            self.stop();
        }
    }
}
