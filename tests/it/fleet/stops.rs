//! Cancel, pause, resume and time limits of programs, asked for in one process and done in another.

use std::num::{NonZeroU16, NonZeroU32};
use std::time::{Duration, Instant};

use runlane::clock::Clock;
use runlane::run::lifecycle::{Command, CommandOutcome};
use runlane::run::{Json, NewRun, RunId, Status, TaskName, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, Store};

use super::worker::{WorkerProcess, processes_of};
use super::{Yard, read};
use crate::postgres::fixture::Database;

const PATIENCE: Duration = Duration::from_secs(30);

/// The first time they run long; given a second, they end at once.
const TASKS: [(&str, &str, &str); 1] =
    [("long", r#"["sh", "-c", "[ $RUNLANE_ATTEMPT -gt 1 ] || sleep 1000"]"#, "stop_grace_seconds = 1\n")];

async fn submit(store: &dyn Store, timeout_seconds: Option<u32>) -> RunId {
    let mut request = NewRun::of(TaskName::parse("long").expect("a name"), Json::null());
    request.timeout_seconds = timeout_seconds.and_then(NonZeroU32::new);
    request.max_attempts = NonZeroU16::MIN;
    let id = request.id;
    store.submit(&[request], Admission::default()).await.expect("submitted");
    id
}

async fn until(store: &dyn Store, id: RunId, status: Status) -> Duration {
    let began = Instant::now();
    loop {
        let runs = read(store, &[id]).await;
        if runs[&id].status() == status {
            return began.elapsed();
        }
        assert!(began.elapsed() < PATIENCE, "not {status}: {runs:#?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_cancelled_paused_resumed_and_timed_out_from_another_process() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let yard = Yard::with_tasks(&TASKS);
    let worker = WorkerProcess::start(&yard, &database.url, &["--concurrency", "4"]);
    let (cancelled, paused) = (submit(&store, None).await, submit(&store, None).await);
    let late = submit(&store, Some(1)).await;
    until(&store, cancelled, Status::Running).await;
    until(&store, paused, Status::Running).await;
    let ask = async |id: RunId, command: Command| {
        let answers = store.command(&WorkspaceName::default(), &[id], command, Admission::default()).await;
        answers.expect("an answer")[0]
    };
    assert_eq!(ask(cancelled, Command::Cancel).await, CommandOutcome::CancelRequested);
    assert_eq!(ask(paused, Command::Pause).await, CommandOutcome::PauseRequested);
    // A heartbeat is half a second here, and `sleep` ends when it is asked to.
    let took = until(&store, cancelled, Status::Cancelled).await;
    assert!(took < Duration::from_secs(5), "seen after {took:?}");
    until(&store, paused, Status::Paused).await;
    until(&store, late, Status::TimedOut).await;
    assert_eq!(ask(paused, Command::Resume).await, CommandOutcome::Resumed);
    until(&store, paused, Status::Succeeded).await;
    let (status, said) = worker.drain(PATIENCE);
    assert!(status.success(), "{status}: {said}");
    let left = processes_of(&yard.path("data"));
    assert!(left.is_empty(), "processes were left behind: {left:?}");
}
