//! A real server with a real worker, in this process, and the binary that talks to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use runlane::clock::Clock;
use runlane::http::{self, Api, Auth, DatabaseInfo};
use runlane::maintenance::{self, Maintenance};
use runlane::run::HostName;
use runlane::store::Store;
use runlane::store::sqlite::{SCHEMA_VERSION, SqliteStore};
use runlane::worker::{Settings, Worker, with_demo_tasks};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub struct Server {
    pub address: SocketAddr,
    pub url: String,
    pub file: PathBuf,
    store: Arc<dyn Store>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    _folder: tempfile::TempDir,
}

/// What the binary said, and how it ended.
pub struct Said {
    pub out: String,
    pub err: String,
    pub status: ExitStatus,
}

impl Server {
    /// With a worker that knows the demo tasks.
    pub async fn start() -> Self {
        let mut server = Self::idle().await;
        server.work().await;
        server
    }

    /// Without a worker.
    pub async fn idle() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("runlane.db");
        Self::on(folder, file, Auth::None).await
    }

    /// On a database in a folder, which goes with it.
    pub async fn on(folder: tempfile::TempDir, file: PathBuf, auth: Auth) -> Self {
        let store = SqliteStore::open_and_migrate(&file, Clock::Database).await.expect("a store");
        let store: Arc<dyn Store> = Arc::new(store);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let database = Some(DatabaseInfo { kind: "sqlite", schema_version: SCHEMA_VERSION });
        let (api, told) = (Api { auth, database, ..Api::on(Arc::clone(&store)) }, stop.clone());
        tasks.spawn(async move { http::serve(listener, api, told).await.expect("served") });
        let (upkeep, told) = (Maintenance::new(Arc::clone(&store), maintenance::Settings::default()), stop.clone());
        tasks.spawn(async move { upkeep.run(told).await });
        Self { address, url: format!("http://{address}"), file, store, stop, tasks, _folder: folder }
    }

    /// Adds a worker, and waits until it has said that it is there.
    pub async fn work(&mut self) {
        let store = Arc::clone(&self.store);
        let host = HostName::parse("alpha").expect("a name");
        let builder =
            Worker::builder(Arc::clone(&store)).settings(Settings { concurrency: 4, host, ..Settings::default() });
        let worker = with_demo_tasks(builder).build().expect("a worker");
        let told = self.stop.clone();
        self.tasks.spawn(async move {
            worker.run(told).await;
        });
        while store.workers().await.expect("workers").is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Calls the binary.
    pub async fn runlane(&self, args: &[&str]) -> Said {
        runlane_at(&self.url, args, None).await
    }

    /// Calls the binary with something on its standard input.
    pub async fn runlane_reading(&self, args: &[&str], input: &str) -> Said {
        runlane_at(&self.url, args, Some(input)).await
    }

    /// Submits a run; its id.
    pub async fn submit(&self, args: &[&str]) -> String {
        let said = self.runlane(&[&["submit"], args].concat()).await;
        assert!(said.status.success(), "{}", said.err);
        said.out.lines().next().expect("an id").to_owned()
    }

    /// Waits until a run has a status.
    pub async fn until(&self, id: &str, status: &str) {
        for _ in 0..1000 {
            let run = self.json(&["runs", "show", id]).await;
            if run["status"] == status {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("run {id} did not become {status}");
    }

    /// What a verb answers with `--json`.
    pub async fn json(&self, args: &[&str]) -> serde_json::Value {
        let said = self.runlane(&[args, &["--json"]].concat()).await;
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {} {}", said.out, said.err))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Calls the binary, against a server anywhere.
pub async fn runlane_at(url: &str, args: &[&str], input: Option<&str>) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
    command.args(args).env("RUNLANE_URL", url).kill_on_drop(true);
    for name in ["DATABASE_URL", "RUNLANE_DATABASE", "RUNLANE_TOKEN", "RUNLANE_DATA_DIR", "RUNLANE_WORKSPACE"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(input.unwrap_or_default().as_bytes()).await.expect("written");
    drop(stdin);
    let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output());
    let output = output.await.expect("in time").expect("its output");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Said { out: text(output.stdout), err: text(output.stderr), status: output.status }
}
