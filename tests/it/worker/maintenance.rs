//! The passes, beside a worker.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use runlane::executor::native::{Context, TaskError};
use runlane::maintenance::{Maintenance, Settings};
use runlane::run::{Due, StartBy, Status};
use runlane::store::{Retention, Store};
use runlane::worker::Settings as WorkerSettings;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{PATIENCE, Rig, Working, quick, request};

fn keep(store: &Arc<dyn Store>, settings: Settings) -> CancellationToken {
    let (maintenance, stop) = (Maintenance::new(Arc::clone(store), settings), CancellationToken::new());
    let told = stop.clone();
    tokio::spawn(async move { maintenance.run(told).await });
    stop
}

#[tokio::test]
async fn a_worker_by_itself_tries_again() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("shy", |ctx: Context, (): ()| async move {
        if ctx.attempt() == 1 { Err(TaskError::new("shy", "not at once")) } else { Ok(()) }
    }));
    let id = rig.submit(request("shy", "null")).await;
    assert_eq!(rig.until(id, Status::Succeeded).await.attempt, 2);
    working.stop().await;
}

#[tokio::test]
async fn a_run_that_is_due_later_starts_soon_after_its_time() {
    let rig = Rig::new().await;
    let stop = keep(&rig.store, Settings::default());
    let working = Working::start(rig.worker().task("echo", |_, (): ()| async move { Ok::<_, TaskError>(()) }));
    let mut later = request("echo", "null");
    later.due = Due::After(SignedDuration::from_secs(4));
    let id = rig.submit(later).await;
    let run = rig.until(id, Status::Succeeded).await;
    let late = run.started_at.expect("started").duration_since(run.available_at);
    // It was seen to be due before it was; then the pass waits for that very time.
    assert!(late >= SignedDuration::ZERO && late < SignedDuration::from_millis(1500), "{late:?} late");
    working.stop().await;
    stop.cancel();
}

#[tokio::test]
async fn a_run_that_no_slot_is_free_for_in_time_is_cancelled_and_not_executed() {
    let rig = Rig::new().await;
    let stop = keep(&rig.store, Settings::default());
    let (executed, leave) = (Arc::new(AtomicBool::new(false)), Arc::new(Semaphore::new(0)));
    let (seen, gate) = (Arc::clone(&executed), Arc::clone(&leave));
    let worker = rig.worker().settings(WorkerSettings { concurrency: 1, ..quick() });
    let worker = worker.task("long", move |_, (): ()| {
        let gate = Arc::clone(&gate);
        async move { gate.acquire().await.map(drop).map_err(|error| TaskError::new("gate", error.to_string())) }
    });
    let working = Working::start(worker.task("urgent", move |_, (): ()| {
        seen.store(true, Ordering::SeqCst);
        async { Ok::<_, TaskError>(()) }
    }));
    let long = rig.submit(request("long", "null")).await;
    rig.until(long, Status::Running).await;
    let mut urgent = request("urgent", "null");
    urgent.start_by = NonZeroU32::new(1).map(StartBy::Within);
    let id = rig.submit(urgent).await;
    let run = rig.until(id, Status::Cancelled).await;
    assert_eq!(run.error.as_ref().map(|error| error.code.as_str()), Some("start_deadline_passed"));
    let late = run.finished_at().expect("it ended").duration_since(run.start_by.expect("a deadline"));
    assert!(late >= SignedDuration::ZERO && late < SignedDuration::from_millis(1500), "{late:?} late");
    leave.add_permits(1);
    rig.until(long, Status::Succeeded).await;
    working.stop().await;
    stop.cancel();
    assert!(!executed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn finished_runs_are_forgotten_when_retention_says_so() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("echo", |_, (): ()| async move { Ok::<_, TaskError>(()) }));
    let id = rig.submit(request("echo", "null")).await;
    rig.until(id, Status::Succeeded).await;
    working.stop().await;
    let retention = Retention { finished: SignedDuration::ZERO, ..Settings::default().retention };
    let stop = keep(&rig.store, Settings { retention, ..Settings::default() });
    tokio::time::timeout(3 * PATIENCE, async {
        while rig.store.run(&runlane::run::WorkspaceName::default(), id).await.expect("a read").is_some() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await
    .expect("forgotten in time");
    stop.cancel();
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_a_program_of_an_unknown_run_left_behind_goes() {
    use runlane::executor::process::{ProcessExecutor, ProcessHost, ProcessTask};
    use runlane::executor::{Control, Executor, Gone, Report, Reporter, Work};

    struct Nobody;
    #[async_trait::async_trait]
    impl Reporter for Nobody {
        async fn report(&self, _: Vec<Report>) -> Result<i64, Gone> {
            Ok(0)
        }
        async fn reported_since(&self, _: i64) -> Result<u64, Gone> {
            Ok(0)
        }
    }

    let rig = Rig::new().await;
    let data = tempfile::tempdir().expect("a directory");
    let host = ProcessHost::new(data.path()).expect("a host");
    let host = Arc::new(host.with_shim(vec![env!("CARGO_BIN_EXE_runlane").into(), "shim".into()]));
    let executor = ProcessExecutor::new(Arc::clone(&host), ProcessTask::new(["true"])).expect("an executor");
    let work = Work {
        run: runlane::run::RunId::new(),
        workspace: Default::default(),
        task: runlane::run::TaskName::parse("true").expect("a name"),
        queue: Default::default(),
        attempt: 1,
        max_attempts: 1,
        epoch: 1,
        payload: runlane::run::Json::null(),
        traceparent: None,
        grant: None,
    };
    let (_grip, control) = Control::new(tokio::time::Instant::now() + PATIENCE, Arc::new(Nobody));
    executor.start(&work, control).await;
    assert_eq!(host.leftovers().expect("a look").len(), 1, "nobody discarded it");
    let settings = Settings { leftovers: Duration::ZERO, ..Settings::default() };
    let maintenance = Maintenance::new(Arc::clone(&rig.store), settings).with_processes(Arc::clone(&host));
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move { maintenance.run(told).await });
    tokio::time::timeout(PATIENCE, async {
        while !host.leftovers().expect("a look").is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await
    .expect("gone in time");
    stop.cancel();
}
