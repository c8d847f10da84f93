//! A process that is told to stop while its database is away: it ends in time all the same.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, RunId, Status, TaskName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, Store};
use rustix::process::{Pid, Signal, kill_process};

use super::cluster::Cluster;
use super::{Yard, read, runlane};

const PATIENCE: Duration = Duration::from_secs(30);

const GRACE: Duration = Duration::from_secs(5);

/// Less than a function has to stop when it is told to, 10 s, which nobody would hear of.
const LITTLE: Duration = Duration::from_secs(4);

const TASKS: [(&str, &str, &str); 1] = [("program", r#"["sleep", "1000"]"#, "stop_grace_seconds = 1\n")];

/// `verb` at work on the database, with leases and heartbeats as they are by default.
fn start(verb: &str, yard: &Yard, database: &str) -> Child {
    let mut command = Command::new(runlane());
    command.args([verb, "--database", database, "--concurrency", "4", "--config"]).arg(yard.path("runlane.toml"));
    if verb == "serve" {
        command.args(["--listen", "127.0.0.1:0", "--auth", "none"]);
    }
    let log = std::fs::File::create(yard.path(&format!("{verb}.log"))).expect("a log");
    command
        .env("RUNLANE_METRICS_LISTEN", "off")
        .env("RUNLANE_DATA_DIR", yard.path("data"))
        .env("RUNLANE_DEMO_TASKS", "true")
        .env("RUNLANE_SHUTDOWN_GRACE_PERIOD_SECONDS", GRACE.as_secs().to_string())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("it starts")
}

async fn running(store: &dyn Store, task: &str, payload: &str) -> RunId {
    let request = NewRun::of(TaskName::parse(task).expect("a name"), Json::parse(payload).expect("JSON"));
    let id = request.id;
    store.submit(&[request], Admission::default()).await.expect("submitted");
    let begun = Instant::now();
    while read(store, &[id]).await[&id].status() != Status::Running {
        assert!(begun.elapsed() < PATIENCE, "{task} does not begin");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    id
}

async fn ends_within_its_grace(verb: &str) {
    let Some(cluster) = Cluster::start() else { return };
    PostgresStore::migrate(&cluster.url()).await.expect("a database");
    let store = PostgresStore::connect(&cluster.url(), Clock::Database).await.expect("a store");
    let yard = Yard::with_tasks(&TASKS);
    let mut process = start(verb, &yard, &cluster.url());
    running(&store, "sleep", r#"{"seconds": 1000}"#).await;
    running(&store, "program", "null").await;
    cluster.stop();
    let told = Instant::now();
    kill_process(Pid::from_child(&process), Signal::TERM).expect("told");
    while process.try_wait().expect("a look").is_none() {
        if told.elapsed() > GRACE + LITTLE {
            process.kill().expect("killed");
            process.wait().expect("waited for");
            let log = std::fs::read_to_string(yard.path(&format!("{verb}.log"))).expect("a log");
            panic!("{verb} was still there {:?} after it was told to stop:\n{log}", told.elapsed());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_database_is_stopped_ends_within_its_grace() {
    ends_within_its_grace("worker").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_database_is_stopped_ends_within_its_grace() {
    ends_within_its_grace("serve").await;
}
