//! Cancel, pause, resume and time limits, seen by the worker that has the run.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use runlane::executor::native::{Context, Native, TaskError};
use runlane::run::lifecycle::{Command, CommandOutcome};
use runlane::run::{RunId, Status, WorkspaceName};
use runlane::store::Admission;
use runlane::worker::Task;
use tokio::sync::Notify;

use super::{Rig, Working, request};

/// Works until it is told to stop, and then does.
async fn obedient(ctx: Context, (): ()) -> Result<(), TaskError> {
    ctx.log("begun").await?;
    ctx.cancelled().await;
    Err(TaskError::new("stopped", "as told"))
}

async fn command(rig: &Rig, id: RunId, command: Command) -> CommandOutcome {
    let outcomes = rig.store.command(&WorkspaceName::default(), &[id], command, Admission::default()).await;
    outcomes.expect("an answer")[0]
}

/// Waits until the work has said something.
async fn begun(rig: &Rig, id: RunId) {
    rig.until(id, Status::Running).await;
    tokio::time::timeout(super::PATIENCE, async {
        while rig.events(id).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("begun in time");
}

#[tokio::test]
async fn a_cancelled_run_is_stopped_and_ends_cancelled() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("wait", obedient));
    let id = rig.submit(request("wait", "null")).await;
    begun(&rig, id).await;
    assert_eq!(command(&rig, id, Command::Cancel).await, CommandOutcome::CancelRequested);
    rig.until(id, Status::Cancelled).await;
    working.stop().await;
}

#[tokio::test]
async fn a_paused_run_is_stopped_and_goes_on_when_resumed() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("twice", |ctx: Context, (): ()| async move {
        if ctx.attempt() == 1 {
            return obedient(ctx, ()).await;
        }
        Ok(())
    }));
    let id = rig.submit(request("twice", "null")).await;
    begun(&rig, id).await;
    command(&rig, id, Command::Pause).await;
    rig.until(id, Status::Paused).await;
    command(&rig, id, Command::Resume).await;
    assert_eq!(rig.until(id, Status::Succeeded).await.attempt, 2);
    working.stop().await;
}

#[tokio::test]
async fn work_that_ignores_a_cancel_is_dropped_after_its_grace() {
    let rig = Rig::new().await;
    let dropped = Arc::new(Notify::new());
    let told = Arc::clone(&dropped);
    let executor = Native::new(move |ctx: Context, (): ()| {
        let guard = NotifyOnDrop(Arc::clone(&told));
        async move {
            let _guard = guard;
            ctx.log("begun").await?;
            std::future::pending::<Result<(), TaskError>>().await
        }
    });
    let mut task = Task::new(Arc::new(executor));
    task.stop_grace = Duration::from_millis(100);
    let working = Working::start(rig.worker().task_with("deaf", task));
    let id = rig.submit(request("deaf", "null")).await;
    begun(&rig, id).await;
    command(&rig, id, Command::Cancel).await;
    rig.until(id, Status::Cancelled).await;
    tokio::time::timeout(super::PATIENCE, dropped.notified()).await.expect("dropped");
    working.stop().await;
}

struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn an_attempt_past_its_time_is_stopped_and_the_limit_named() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("wait", obedient));
    let mut run = request("wait", "null");
    run.timeout_seconds = NonZeroU32::new(1);
    run.max_attempts = std::num::NonZeroU16::MIN;
    let id = rig.submit(run).await;
    let run = rig.until(id, Status::TimedOut).await;
    let error = run.error.expect("an error");
    assert_eq!(error.message, "the attempt exceeded its time limit of 1 s");
    working.stop().await;
}

#[tokio::test]
async fn a_time_limit_of_the_task_counts_where_the_run_has_none() {
    let rig = Rig::new().await;
    let mut task = Task::new(Arc::new(Native::new(obedient)));
    task.timeout = Some(Duration::from_secs(1));
    let working = Working::start(rig.worker().task_with("wait", task));
    let mut run = request("wait", "null");
    run.max_attempts = std::num::NonZeroU16::MIN;
    let id = rig.submit(run).await;
    let error = rig.until(id, Status::TimedOut).await.error.expect("an error");
    assert_eq!(error.message, "the attempt exceeded its time limit of 1 s");
    working.stop().await;
}

#[tokio::test]
async fn work_that_ends_well_before_the_cancel_is_seen_has_succeeded() {
    let rig = Rig::new().await;
    let working = Working::start(rig.worker().task("finish", |ctx: Context, (): ()| async move {
        ctx.log("begun").await?;
        ctx.cancelled().await;
        Ok::<_, TaskError>("done anyway")
    }));
    let id = rig.submit(request("finish", "null")).await;
    begun(&rig, id).await;
    command(&rig, id, Command::Cancel).await;
    rig.until(id, Status::Succeeded).await;
    working.stop().await;
}
