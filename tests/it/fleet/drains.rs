//! `runlane workers drain` against a real server, for workers that are other processes and have only the database in common.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, RunId, Status, TaskName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, Store};
use serde_json::{Value, json};

use super::worker::WorkerProcess;
use super::{Yard, read, runlane, until_ended};
use crate::postgres::fixture::Database;

const PATIENCE: Duration = Duration::from_secs(60);
const HEARTBEAT: Duration = Duration::from_secs(3);
/// For a busy machine. Together, less than the ten seconds after which an idle worker is heard of in any case.
const SLACK: Duration = Duration::from_secs(4);

/// A server that executes nothing, and a place for workers.
struct Site {
    yard: Yard,
    database: Database,
    store: PostgresStore,
    url: String,
    _server: WorkerProcess,
}

impl Site {
    async fn new() -> Option<Self> {
        let database = Database::empty().await?;
        let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
        // It goes on until it may end.
        let wait = r#"["sh", "-c", "until [ -e $GO_ON ]; do sleep 0.05; done"]"#;
        let dir = tempfile::tempdir().expect("a directory");
        let env = format!("env = {{ GO_ON = {:?} }}", dir.path().join("go_on"));
        let yard = Yard::with_tasks_in(dir, &[("wait", wait, &env)]);
        let server = WorkerProcess::serve(&yard, &database.url, &["--concurrency", "0", "--log-format", "json"]);
        let serving = yard.until_logged("serving the API", 1, PATIENCE).await;
        let url = format!("http://{}", serving[0]["address"].as_str().expect("an address"));
        Some(Self { yard, database, store, url, _server: server })
    }

    fn start(&self, env: &[(&str, &str)]) -> WorkerProcess {
        let env: Vec<_> = env.iter().map(|(name, value)| (*name, value.as_ref())).collect();
        WorkerProcess::start_with(&self.yard, &self.database.url, &["--log-format", "json"], &env)
    }

    fn start_with_heartbeat(&self) -> WorkerProcess {
        let heartbeat = HEARTBEAT.as_secs().to_string();
        self.start(&[("RUNLANE_HEARTBEAT_SECONDS", &heartbeat), ("RUNLANE_LEASE_TTL_SECONDS", "30")])
    }

    fn runlane(&self, args: &[&str]) -> Output {
        Command::new(runlane()).args(args).env("RUNLANE_URL", &self.url).output().expect("it starts")
    }

    /// The only worker, once it is as wanted.
    async fn worker(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let said = self.runlane(&["workers", "--json"]).stdout;
            let workers: Value = serde_json::from_slice(&said).expect("JSON");
            if let Some(worker) = workers["data"].as_array().expect("a list").iter().find(|worker| wanted(worker)) {
                return worker.clone();
            }
            assert!(began.elapsed() < PATIENCE, "not in time: {workers:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Asks the worker to drain; what is said about it.
    fn drain(&self, worker: &Value) -> String {
        let said = self.runlane(&["workers", "drain", worker["id"].as_str().expect("an id")]);
        assert!(said.status.success(), "{}", text(&said.stderr));
        text(&said.stdout)
    }

    async fn submit(&self) -> RunId {
        let request = NewRun::of(TaskName::parse("wait").expect("a name"), Json::null());
        let id = request.id;
        self.store.submit(&[request], Admission::default()).await.expect("submitted");
        id
    }

    async fn until_running(&self, id: RunId) {
        let began = Instant::now();
        while read(&self.store, &[id]).await[&id].status() != Status::Running {
            assert!(began.elapsed() < PATIENCE, "not in time");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn let_them_go_on(&self) {
        std::fs::write(self.yard.path("go_on"), "").expect("written");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_worker_that_is_drained_through_a_server_claims_no_more_within_a_heartbeat() {
    let Some(site) = Site::new().await else { return };
    let process = site.start_with_heartbeat();
    let under_way = site.submit().await;
    site.until_running(under_way).await;
    let worker = site.worker(|worker| worker["busy"] == 1).await;
    let asked = Instant::now();
    let said = site.drain(&worker);
    assert!(said.ends_with("claims no more runs; it leaves when those it has are done\n"), "{said}");
    let told = site.yard.until_logged("claiming has stopped", 1, HEARTBEAT + SLACK).await;
    assert!(asked.elapsed() < HEARTBEAT + SLACK, "{:?}", asked.elapsed());
    assert_eq!((&told[0]["worker"], &told[0]["under_way"]), (&worker["id"], &json!(1)));
    assert_eq!(site.worker(|_| true).await["state"], "draining");

    let later = site.submit().await;
    site.let_them_go_on();
    let (status, said) = process.ended(PATIENCE);
    assert_eq!((status.code(), said.as_str()), (Some(0), "1 finished, 0 released, 0 left to adopt, 0 lost"));
    let runs = read(&site.store, &[under_way, later]).await;
    assert_eq!(runs[&under_way].status(), Status::Succeeded);
    assert_eq!((runs[&later].status(), runs[&later].epoch), (Status::Queued, 0), "a free slot took nothing more");
    let again = site.drain(&worker);
    assert!(again.contains("left ") && again.ends_with("there is nothing to drain\n"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_that_is_drained_through_a_server_leaves_within_a_heartbeat() {
    let Some(site) = Site::new().await else { return };
    let process = site.start_with_heartbeat();
    let worker = site.worker(|worker| worker["state"] == "working").await;
    let asked = Instant::now();
    site.drain(&worker);
    let (status, said) = process.ended(HEARTBEAT + SLACK);
    assert!(asked.elapsed() < HEARTBEAT + SLACK, "{:?}", asked.elapsed());
    assert_eq!((status.code(), said.as_str()), (Some(0), "0 finished, 0 released, 0 left to adopt, 0 lost"));
}

#[tokio::test(flavor = "multi_thread")]
async fn draining_a_worker_that_was_killed_says_that_it_is_silent_and_what_becomes_of_its_runs() {
    let Some(site) = Site::new().await else { return };
    let process = site.start(&[]);
    let id = site.submit().await;
    site.until_running(id).await;
    let worker = site.worker(|worker| worker["busy"] == 1).await;
    process.kill();
    site.worker(|worker| worker["state"] == "silent").await;
    let name = worker["id"].as_str().expect("an id");
    let said = site.runlane(&["workers", "drain", name]);
    assert_eq!(said.status.code(), Some(1));
    let words = text(&said.stderr);
    assert!(words.starts_with(&format!("error: worker {name} is silent, last seen ")), "{words}");
    let meaning = "hint: it will drain if it comes back; other workers take over its runs when their leases run out";
    assert!(words.trim_end().ends_with(meaning), "{words}");
    // As it says.
    let other = site.start(&[]);
    site.let_them_go_on();
    until_ended(&site.store, &[id], PATIENCE).await;
    other.drain(PATIENCE);
}
