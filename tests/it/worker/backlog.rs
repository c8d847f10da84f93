//! Slots that become free while more is waiting are filled along with the ends, and nobody has a disadvantage by it.

use std::sync::Arc;

use runlane::executor::native::{Context, TaskError};
use runlane::run::{NewRun, Priority, RunId, Status, WorkspaceName};
use runlane::worker::Settings;
use tokio::sync::{Semaphore, mpsc};

use super::{Order, Rig, Working, quick, request};

#[tokio::test]
async fn workspaces_take_turns_in_a_backlog() {
    let (rig, order) = (Rig::new().await, Order::default());
    let other = WorkspaceName::parse("other").expect("a name");
    rig.store.create_workspace(&other).await.expect("a workspace");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        ours.push(rig.submit(request("note", "null")).await);
    }
    for _ in 0..10 {
        theirs.push(rig.submit(NewRun { workspace: other.clone(), ..request("note", "null") }).await);
    }
    let noted = order.clone();
    let settings = Settings { concurrency: 1, ..quick() };
    let worker = rig.worker().settings(settings).task("note", move |ctx, (): ()| noted.clone().note(ctx));
    let working = Working::start(worker);
    rig.until(ours[39], Status::Succeeded).await;
    working.stop().await;
    let of_theirs = |begun: &[RunId]| begun.iter().filter(|id| theirs.contains(id)).count();
    assert_eq!(of_theirs(&order.read()[..20]), 10, "every second one");
}

#[tokio::test]
async fn what_is_urgent_does_not_wait_for_a_backlog() {
    let (rig, order) = (Rig::new().await, Order::default());
    let mut ids = Vec::new();
    for _ in 0..50 {
        ids.push(rig.submit(request("note", "null")).await);
    }
    let (started, mut starts) = mpsc::unbounded_channel();
    let go_on = Arc::new(Semaphore::new(0));
    let (noted, waited_for) = (order.clone(), Arc::clone(&go_on));
    let worker =
        rig.worker().settings(Settings { concurrency: 1, ..quick() }).task("note", move |ctx: Context, (): ()| {
            let (started, go_on, order) = (started.clone(), Arc::clone(&waited_for), noted.clone());
            async move {
                let _ = started.send(());
                let _ = go_on.acquire().await.map(|permit| permit.forget());
                order.note(ctx).await?;
                Ok::<_, TaskError>(())
            }
        });
    let working = Working::start(worker);
    for _ in 0..5 {
        starts.recv().await;
        go_on.add_permits(1);
    }
    starts.recv().await;
    let urgent = NewRun { priority: Priority::new(10).expect("a priority"), ..request("note", "null") };
    let urgent = rig.submit(urgent).await;
    go_on.add_permits(100);
    rig.until(ids[49], Status::Succeeded).await;
    working.stop().await;
    assert_eq!(order.read().iter().position(|id| *id == urgent), Some(6), "after the one that was under way");
}
