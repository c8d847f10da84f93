//! What is next in a lane begins where the last one ended, and takes nothing from anybody.

use std::sync::Arc;

use runlane::executor::native::{Context, TaskError};
use runlane::run::{LaneName, NewRun, QueueName, Status};
use runlane::worker::{Served, Settings};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::{Order, Rig, Working, quick, request};

fn in_lane(task: &str) -> NewRun {
    NewRun { lane: Some(LaneName::parse("l").expect("a name")), ..request(task, "null") }
}

fn queue(name: &str) -> QueueName {
    QueueName::parse(name).expect("a name")
}

#[tokio::test]
async fn a_lane_is_worked_off_in_order() {
    let (rig, order) = (Rig::new().await, Order::default());
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(rig.submit(in_lane("note")).await);
    }
    let noted = order.clone();
    let working = Working::start(rig.worker().task("note", move |ctx, (): ()| noted.clone().note(ctx)));
    rig.until(ids[29], Status::Succeeded).await;
    working.stop().await;
    assert_eq!(order.read(), ids);
}

#[tokio::test]
async fn a_queue_with_a_limit_in_the_worker_gets_its_turn_beside_lanes() {
    let (rig, order) = (Rig::new().await, Order::default());
    let mut ids = Vec::new();
    for _ in 0..200 {
        ids.push(rig.submit(in_lane("note")).await);
    }
    let other = rig.submit(NewRun { queue: queue("other"), ..request("note", "null") }).await;
    let queues = vec![
        Served { queue: queue("default"), concurrency: None },
        Served { queue: queue("other"), concurrency: Some(1) },
    ];
    let noted = order.clone();
    let settings = Settings { concurrency: 1, queues, ..quick() };
    let worker = rig.worker().settings(settings).task("note", move |ctx, (): ()| noted.clone().note(ctx));
    let working = Working::start(worker);
    rig.until(ids[199], Status::Succeeded).await;
    working.stop().await;
    let begun = order.read();
    assert!(begun.iter().position(|id| *id == other) < Some(200), "before the lane was empty");
}

#[tokio::test]
async fn a_worker_that_is_dropped_takes_nothing_over() {
    let rig = Rig::new().await;
    let (first, second) = (rig.submit(in_lane("wait")).await, rig.submit(in_lane("wait")).await);
    let (started, mut starts) = mpsc::unbounded_channel();
    let go_on = Arc::new(Semaphore::new(0));
    let waited_for = Arc::clone(&go_on);
    let worker = rig.worker().task("wait", move |ctx: Context, (): ()| {
        let (started, go_on) = (started.clone(), Arc::clone(&waited_for));
        async move {
            let _ = started.send(ctx.run_id());
            let _ = go_on.acquire().await;
            Ok::<_, TaskError>(())
        }
    });
    let worker = worker.build().expect("a worker");
    tokio::select! {
        _ = worker.run(CancellationToken::new()) => panic!("nobody told it to stop"),
        begun = starts.recv() => assert_eq!(begun, Some(first)),
    }
    go_on.add_permits(10);
    rig.until(first, Status::Succeeded).await;
    assert_eq!(rig.run(second).await.status(), Status::Queued);
}
