//! The lane and the queue that keep a run from starting.

use jiff::SignedDuration;
use runlane::run::lifecycle::Retry;
use runlane::run::{Priority, QueueName, WorkspaceName};
use runlane::store::{LanePolicy, QueueChange, Store};

use super::{Scene, lane, said};

#[tokio::test]
async fn a_run_behind_a_busy_lane_names_who_is_in_it() {
    let scene = Scene::new().await;
    let first = scene.submit(|run| run.lane = lane()).await;
    scene.claim().await;
    let id = scene.submit(|run| run.lane = lane()).await;
    let expected = said("lane_busy", "lane customer-42 is busy with run A", "its turn comes after run A has ended");
    assert_eq!(scene.reasons(id, &[(first, "A")]).await, expected);
}

#[tokio::test]
async fn a_run_behind_a_held_lane_names_who_holds_it_and_since_when() {
    let scene = Scene::new().await;
    let workspace = WorkspaceName::default();
    let name = lane().expect("a name");
    scene.store.set_lane_policy(&workspace, &name, LanePolicy::Hold).await.expect("set");
    let first = scene.submit(|run| run.lane = lane()).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Never).await;
    let id = scene.submit(|run| run.lane = lane()).await;
    scene.clock.advance(SignedDuration::from_mins(3));
    scene.beat(scene.worker(2)).await;
    let expected = said(
        "lane_held",
        "lane customer-42 is held by run A, failed 3 min ago",
        "resume or dismiss run A, or release the lane",
    );
    assert_eq!(scene.reasons(id, &[(first, "A")]).await, expected);
}

#[tokio::test]
async fn a_run_behind_others_of_its_lane_waits_for_its_turn() {
    let scene = Scene::new().await;
    scene.submit(|run| run.lane = lane()).await;
    let id = scene.submit(|run| run.lane = lane()).await;
    let reasons = scene.reasons(id, &[]).await;
    assert_eq!(reasons[0].0, "lane_turn");
    assert_eq!(reasons[0].1, "2 runs wait in lane customer-42, and others are before it");
}

#[tokio::test]
async fn a_paused_queue_and_a_full_one_say_so() {
    let scene = Scene::new().await;
    let (workspace, queue) = (WorkspaceName::default(), QueueName::default());
    scene.submit(|_| {}).await;
    scene.claim().await;
    let id = scene.submit(|_| {}).await;
    let limit = QueueChange { paused: None, concurrency: Some(Some(1)) };
    scene.store.set_queue(&workspace, &queue, limit).await.expect("set");
    scene.submit(|run| run.priority = Priority::new(5).expect("a priority")).await;
    scene.clock.advance(SignedDuration::from_mins(3));
    scene.beat(scene.worker(2)).await;
    let message = "queue default has 1 of at most 1 runs running, the longest for 3 min; 1 run is ahead of it";
    let remedy = "it starts as they end; a higher limit starts it sooner: runlane queues limit default N";
    assert_eq!(scene.reasons(id, &[]).await, said("queue_full", message, remedy));
    let pause = QueueChange { paused: Some(true), concurrency: None };
    scene.store.set_queue(&workspace, &queue, pause).await.expect("set");
    let expected = said("queue_paused", "queue default is paused", "resume it: runlane queues resume default");
    assert_eq!(scene.reasons(id, &[]).await, expected);
}

#[tokio::test]
async fn a_queue_with_a_limit_of_zero_says_so() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let limit = QueueChange { paused: None, concurrency: Some(Some(0)) };
    scene.store.set_queue(&WorkspaceName::default(), &QueueName::default(), limit).await.expect("set");
    let message = "queue default has a limit of 0: none of its runs starts";
    let remedy = "raise the limit or lift it: runlane queues limit default none";
    assert_eq!(scene.reasons(id, &[]).await, said("queue_limit_zero", message, remedy));
}
