//! The worker with functions as tasks, on SQLite: real time, real leases, short ones.

mod ahead;
mod backlog;
mod demo;
mod drain;
mod grants;
mod lacking;
mod lanes;
#[cfg(feature = "postgres")]
mod leases;
mod maintenance;
mod native;
mod presence;
mod replace;
mod stops;
#[cfg(target_os = "linux")]
mod twins;
#[cfg(feature = "postgres")]
mod unanswered;
#[cfg(feature = "postgres")]
mod wire;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use runlane::clock::Clock;
use runlane::executor::native::{Context, TaskError};
use runlane::run::{Json, NewRun, Run, RunId, Status, TaskName, WorkspaceName};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, Event, Store, SubmitOutcome};
use runlane::worker::{Builder, Settings, Summary, Tasks, Worker};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long anything in these tests may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store of its own for each test.
pub(super) struct Rig {
    pub(super) store: Arc<dyn Store>,
    _place: tempfile::TempDir,
}

/// In which order runs began.
#[derive(Clone, Default)]
pub(super) struct Order(Arc<Mutex<Vec<RunId>>>);

impl Order {
    pub(super) async fn note(self, ctx: Context) -> Result<(), TaskError> {
        self.0.lock().expect("nobody panicked").push(ctx.run_id());
        Ok(())
    }

    pub(super) fn read(&self) -> Vec<RunId> {
        self.0.lock().expect("nobody panicked").clone()
    }
}

impl Rig {
    pub(super) async fn new() -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Database).await;
        Self { store: Arc::new(store.expect("a store")), _place: place }
    }

    pub(super) fn worker(&self) -> Builder {
        Worker::builder(Arc::clone(&self.store)).settings(quick())
    }

    pub(super) async fn submit(&self, request: NewRun) -> RunId {
        let id = request.id;
        let outcomes = self.store.submit(&[request], Admission::default()).await.expect("a submission");
        assert_eq!(outcomes, [SubmitOutcome::Created]);
        id
    }

    pub(super) async fn run(&self, id: RunId) -> Run {
        self.store.run(&WorkspaceName::default(), id).await.expect("a read").expect("a run")
    }

    /// Waits until the run has the status.
    pub(super) async fn until(&self, id: RunId, status: Status) -> Run {
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let run = self.run(id).await;
                if run.status() == status {
                    return run;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        match waited.await {
            Ok(run) => run,
            Err(_) => panic!("not {status} in time: {:?}", self.run(id).await),
        }
    }

    pub(super) async fn events(&self, id: RunId) -> Vec<Event> {
        let events = self.store.events(&WorkspaceName::default(), id, 0, 1000).await;
        events.expect("a read").expect("a run")
    }
}

/// Short leases, so that losing one does not take half a minute.
pub(super) fn quick() -> Settings {
    Settings {
        concurrency: 4,
        lease_ttl: Duration::from_secs(3),
        heartbeat: Duration::from_millis(200),
        shutdown_grace: Duration::from_secs(10),
        ..Settings::default()
    }
}

/// A worker at work.
pub(super) struct Working {
    pub(super) tasks: Tasks,
    stop: CancellationToken,
    done: JoinHandle<Summary>,
}

impl Working {
    pub(super) fn start(builder: Builder) -> Self {
        let worker = builder.build().expect("a worker");
        let stop = CancellationToken::new();
        let told = stop.clone();
        Self { tasks: worker.tasks(), stop, done: tokio::spawn(async move { worker.run(told).await }) }
    }

    /// Tells it to stop and waits until it has.
    pub(super) async fn stop(self) -> Summary {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.done).await.expect("stopped in time").expect("no panic")
    }
}

pub(super) fn request(task: &str, payload: &str) -> NewRun {
    NewRun::of(TaskName::parse(task).expect("a name"), Json::parse(payload).expect("JSON"))
}
