//! Leaving in good order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runlane::executor::native::{Context, Native, TaskError};
use runlane::run::{Status, WorkerId};
use runlane::worker::{AtShutdown, Task};
use tokio_util::sync::CancellationToken;

use super::{PATIENCE, Rig, Working, quick, request};

async fn until_told(ctx: Context, (): ()) -> Result<(), TaskError> {
    ctx.cancelled().await;
    Err(TaskError::new("stopped", "as told"))
}

#[tokio::test]
async fn what_is_under_way_may_finish() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("nap", |_: Context, (): ()| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok::<_, TaskError>(())
    }));
    let id = rig.submit(request("nap", "null")).await;
    rig.until(id, Status::Running).await;
    let summary = working.stop().await;
    assert_eq!((summary.finished, summary.released), (1, 0));
    assert_eq!(rig.run(id).await.status(), Status::Succeeded);
}

#[tokio::test]
async fn what_cannot_finish_in_time_is_queued_again_without_burning_an_attempt() {
    let rig = Rig::new().await;
    let mut settings = quick();
    settings.shutdown_grace = Duration::from_millis(100);
    let working = Working::start(rig.worker().settings(settings).task("wait", until_told));
    let id = rig.submit(request("wait", "null")).await;
    rig.until(id, Status::Running).await;
    let summary = working.stop().await;
    assert_eq!((summary.finished, summary.released), (0, 1));
    let run = rig.run(id).await;
    assert_eq!((run.status(), run.attempt, run.interruptions), (Status::Queued, 0, 1));
    assert_eq!(run.error.map(|error| error.message), Some("interrupted by shutdown".into()));
}

#[tokio::test]
async fn what_is_to_be_paused_at_shutdown_is() {
    let rig = Rig::new().await;
    let mut settings = quick();
    settings.shutdown_grace = Duration::from_millis(100);
    let mut task = Task::new(Arc::new(Native::new(until_told)));
    task.at_shutdown = AtShutdown::Pause;
    let working = Working::start(rig.worker().settings(settings).task_with("wait", task));
    let id = rig.submit(request("wait", "null")).await;
    rig.until(id, Status::Running).await;
    working.stop().await;
    assert_eq!(rig.run(id).await.status(), Status::Paused);
}

#[tokio::test]
async fn a_worker_that_ran_out_of_time_can_work_again() {
    let rig = Rig::new().await;
    let mut settings = quick();
    settings.shutdown_grace = Duration::from_millis(100);
    let is_second = Arc::new(AtomicBool::new(false));
    let worker = rig.worker().settings(settings).task("wait", move |ctx: Context, (): ()| {
        let is_second = is_second.swap(true, Ordering::SeqCst);
        async move { if is_second { Ok(()) } else { until_told(ctx, ()).await } }
    });
    let worker = worker.build().expect("a worker");
    let id = rig.submit(request("wait", "null")).await;
    for status in [Status::Running, Status::Succeeded] {
        let stop = CancellationToken::new();
        let stopped = async {
            rig.until(id, status).await;
            stop.cancel();
        };
        tokio::join!(worker.run(stop.clone()), stopped);
    }
    assert_eq!(rig.run(id).await.interruptions, 1);
}

#[tokio::test]
async fn a_drain_request_in_the_store_makes_the_worker_leave() {
    let rig = Rig::new().await;
    let worker = rig.worker().allow_no_tasks().build().expect("a worker");
    let id: WorkerId = worker.id();
    let working = tokio::spawn(async move { worker.run(CancellationToken::new()).await });
    tokio::time::timeout(PATIENCE, async {
        while rig.store.drain(id).await.expect("an answer").is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        working.await.expect("no panic");
    })
    .await
    .expect("left in time");
}
