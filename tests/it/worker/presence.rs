//! What a worker says of itself: that it is there, how busy it is, that it is leaving, and that it has left.

use std::sync::Arc;
use std::time::Duration;

use runlane::executor::native::{Context, TaskError};
use runlane::run::{QueueName, Status, TaskName};
use runlane::store::{QueueLimit, Worker, WorkerState};
use runlane::worker::{Builder, Served, Settings, TaskSet};
use tokio::sync::Semaphore;

use super::{Rig, Working, quick, request};

/// Three of the heartbeats of a worker with the usual settings.
const SOON: Duration = Duration::from_secs(6);

/// A worker with the task `wait`, whose runs go on until they are let.
fn waiting(builder: Builder) -> (Builder, Arc<Semaphore>) {
    let go_on = Arc::new(Semaphore::new(0));
    let waited_for = Arc::clone(&go_on);
    let builder = builder.task("wait", move |_: Context, (): ()| {
        let go_on = Arc::clone(&waited_for);
        async move {
            go_on.acquire().await.expect("open").forget();
            Ok::<_, TaskError>(())
        }
    });
    (builder, go_on)
}

/// Waits until the only worker is as it should be.
async fn until(rig: &Rig, what: &str, is_so: impl Fn(&Worker) -> bool) -> Worker {
    let looking = async {
        loop {
            let workers = rig.store.workers().await.expect("workers");
            if let Some(worker) = workers.into_iter().find(&is_so) {
                return worker;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    match tokio::time::timeout(SOON, looking).await {
        Ok(worker) => worker,
        Err(_) => panic!("{what}: {:?}", rig.store.workers().await),
    }
}

#[tokio::test]
async fn a_worker_that_left_is_gone_at_once() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("t", |_: Context, (): ()| async { Ok::<_, TaskError>(()) }));
    let worker = until(&rig, "it is there", |_| true).await;
    working.stop().await;
    assert_eq!(rig.store.workers().await.expect("workers"), []);
    let left = rig.store.drain(worker.info.id).await.expect("an answer").expect("it is known");
    assert_eq!(left.state(), WorkerState::Left);
}

#[tokio::test]
async fn a_worker_is_shown_as_draining_while_it_waits_for_its_runs() {
    let rig = Rig::new().await;
    // With the usual heartbeat: that it drains is said at once, not at the next one.
    let settings = Settings { heartbeat: Duration::from_secs(9), ..Settings::default() };
    let (builder, go_on) = waiting(rig.worker().settings(settings));
    let working = Working::start(builder);
    let id = rig.submit(request("wait", "null")).await;
    rig.until(id, Status::Running).await;
    let stopped = tokio::spawn(working.stop());
    let worker = until(&rig, "it drains", |worker| worker.state() == WorkerState::Draining).await;
    assert!(worker.info.leaving && worker.draining_since.is_some(), "{worker:?}");
    go_on.add_permits(1);
    assert_eq!(stopped.await.expect("no panic").finished, 1);
    assert_eq!(rig.store.workers().await.expect("workers"), []);
}

#[tokio::test]
async fn how_busy_a_worker_is_is_known_within_a_heartbeat() {
    let rig = Rig::new().await;
    let queue = QueueName::default();
    let served = vec![Served { queue: queue.clone(), concurrency: Some(2) }];
    let (builder, go_on) = waiting(rig.worker().settings(Settings { queues: served, ..Settings::default() }));
    let working = Working::start(builder);
    until(&rig, "it is there and idle", |worker| worker.info.busy == 0).await;
    let id = rig.submit(request("wait", "null")).await;
    let worker = until(&rig, "it is busy", |worker| worker.info.busy == 1).await;
    assert_eq!(worker.info.limits, [QueueLimit { queue, concurrency: 2, busy: 1 }]);
    go_on.add_permits(1);
    rig.until(id, Status::Succeeded).await;
    until(&rig, "it is idle again", |worker| worker.info.busy == 0 && worker.info.limits[0].busy == 0).await;
    working.stop().await;
}

#[tokio::test]
async fn an_idle_worker_hears_of_a_drain_request_within_a_heartbeat() {
    let rig = Rig::new().await;
    let worker = rig.worker().settings(Settings::default()).allow_no_tasks().build().expect("a worker");
    let id = worker.id();
    let working = tokio::spawn(async move { worker.run(Default::default()).await });
    until(&rig, "it is there", |worker| worker.info.id == id).await;
    rig.store.drain(id).await.expect("an answer");
    tokio::time::timeout(SOON, working).await.expect("within a heartbeat").expect("no panic");
    assert_eq!(rig.store.workers().await.expect("workers"), []);
}

#[tokio::test]
async fn a_worker_says_which_tasks_it_has_also_when_they_are_exchanged() {
    let rig = Rig::new().await;
    let (builder, _) = waiting(rig.worker().settings(quick()));
    let working = Working::start(builder);
    let has = |name: &'static str| {
        let tasks = Some(vec![TaskName::parse(name).expect("a name")]);
        move |worker: &Worker| worker.info.tasks == tasks
    };
    until(&rig, "it says its task", has("wait")).await;
    let other = TaskSet::new().task("other", |_: Context, (): ()| async { Ok::<_, TaskError>(()) });
    working.tasks.replace(other).expect("good tasks");
    until(&rig, "it says its new task", has("other")).await;
    working.stop().await;
}
