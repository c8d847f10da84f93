//! Runs of tasks that a worker lacks.

use std::time::Duration;

use runlane::executor::native::TaskError;
use runlane::run::{Json, LaneName, NewRun, Run, State, Status};
use runlane::worker::{Builder, InvalidWorker, TaskSet};

use super::{Order, PATIENCE, Rig, Working, request};

fn with(builder: Builder, name: &str) -> Builder {
    builder.task(name, |_, _: Json| async move { Ok::<_, TaskError>("done") })
}

fn once(task: &str) -> NewRun {
    let mut request = request(task, "null");
    request.max_attempts = std::num::NonZeroU16::MIN;
    request
}

#[tokio::test]
async fn a_run_of_a_task_that_the_worker_lacks_waits_for_one_that_has_it() {
    let rig = Rig::new().await;
    let id = rig.submit(once("new")).await;
    let old = Working::start(with(rig.worker().concurrency(1), "old"));
    let behind = rig.submit(once("old")).await;
    rig.until(behind, Status::Succeeded).await;
    let run = rig.run(id).await;
    assert_eq!((run.state, run.attempt, run.epoch, run.error), (State::Queued(None), 0, 0, None), "it was not claimed");

    let new = Working::start(with(with(rig.worker(), "old"), "new"));
    let run = rig.until(id, Status::Succeeded).await;
    assert_eq!((run.attempt, run.epoch), (1, 1));
    assert_eq!((old.stop().await.lost, new.stop().await.lost), (0, 0));
}

#[tokio::test]
async fn while_some_workers_lack_a_task_all_its_runs_succeed_at_their_only_attempt() {
    let rig = Rig::new().await;
    let old = [(); 2].map(|()| Working::start(with(rig.worker(), "old")));
    let new = [(); 2].map(|()| Working::start(with(with(rig.worker(), "old"), "new")));
    let mut ids = Vec::new();
    for number in 0..40 {
        ids.push(rig.submit(once(if number % 2 == 0 { "new" } else { "old" })).await);
    }
    for id in ids {
        let run = rig.until(id, Status::Succeeded).await;
        assert_eq!(run.attempt, 1);
    }
    for working in old.into_iter().chain(new) {
        working.stop().await;
    }
}

#[tokio::test]
async fn a_lane_keeps_its_order_while_some_workers_lack_a_task() {
    let rig = Rig::new().await;
    let order = Order::default();
    let mut ids = Vec::new();
    for number in 0..6 {
        let lane = LaneName::parse("l").ok();
        ids.push(rig.submit(NewRun { lane, ..once(if number % 2 == 0 { "new" } else { "old" }) }).await);
    }
    let noting = |builder: Builder, name: &str| {
        let order = order.clone();
        builder.task(name, move |ctx, _: Json| order.clone().note(ctx))
    };
    let old = Working::start(noting(rig.worker(), "old"));
    let new = Working::start(noting(noting(rig.worker(), "old"), "new"));
    for id in &ids {
        rig.until(*id, Status::Succeeded).await;
    }
    assert_eq!(order.read(), ids);
    old.stop().await;
    new.stop().await;
}

#[tokio::test]
async fn a_worker_without_tasks_is_refused_unless_it_is_allowed_and_then_claims_nothing() {
    let rig = Rig::new().await;
    let refused = rig.worker().build().map(drop).expect_err("it could do nothing");
    assert_eq!(refused, InvalidWorker::NoTasks);
    let id = rig.submit(once("new")).await;
    let working = Working::start(rig.worker().allow_no_tasks());
    let soon = rig.submit(once("old")).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((rig.run(id).await.epoch, rig.run(soon).await.epoch), (0, 0), "nothing was claimed");
    let tasks = TaskSet::new().task("new", |_, _: Json| async move { Ok::<_, TaskError>("done") });
    working.tasks.replace(tasks).expect("replaced");
    rig.until(id, Status::Succeeded).await;
    working.tasks.replace(TaskSet::new()).expect("none, as it was allowed");
    working.stop().await;
}

#[tokio::test]
async fn a_worker_keeps_its_tasks_rather_than_having_none() {
    let rig = Rig::new().await;
    let working = Working::start(with(rig.worker(), "old"));
    assert_eq!(working.tasks.replace(TaskSet::new()), Err(InvalidWorker::NoTasks));
    let id = rig.submit(once("old")).await;
    rig.until(id, Status::Succeeded).await;
    working.stop().await;
}

#[tokio::test]
async fn a_backlog_of_a_task_that_is_lacking_does_not_keep_others_from_running() {
    let rig = Rig::new().await;
    for _ in 0..2_000 {
        rig.submit(once("new")).await;
    }
    let ids = [rig.submit(once("old")).await, rig.submit(once("old")).await];
    let working = Working::start(with(rig.worker(), "old"));
    for id in ids {
        rig.until(id, Status::Succeeded).await;
    }
    working.stop().await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_task_goes_away_while_it_is_claimed_is_given_back_without_burning_an_attempt() {
    use std::sync::Arc;

    use runlane::clock::Clock;
    use runlane::run::WorkspaceName;
    use runlane::store::postgres::PostgresStore;
    use runlane::store::{Admission, Store};
    use runlane::worker::Worker;

    use super::quick;
    use crate::postgres::fixture::Database;

    let Some(database) = Database::empty().await else { return };
    let store = Arc::new(PostgresStore::connect(&database.url, Clock::Database).await.expect("a store"));
    let run = once("old");
    store.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submitted");
    let held = database.hold("runs").await;
    let shared: Arc<dyn Store> = store.clone();
    let working = Working::start(with(Worker::builder(shared).settings(quick()).without_maintenance(), "old"));
    // The worker has asked for it.
    database.until_waiting(1).await;
    let other = TaskSet::new().task("other", |_, _: Json| async move { Ok::<_, TaskError>("done") });
    working.tasks.replace(other).expect("replaced");
    held.release().await;
    let until = async |what: &str, is_so: fn(&Run) -> bool| {
        let looking = async {
            loop {
                let run = store.run(&WorkspaceName::default(), run.id).await.expect("a read").expect("a run");
                if is_so(&run) {
                    return run;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("not in time: {what}"))
    };
    let back = until("it is given back", |run| run.epoch > 0 && run.status() != Status::Running).await;
    assert_eq!((back.state, back.attempt, back.interruptions), (State::Queued(None), 0, 0));
    assert_eq!(back.error.map(|error| error.code).as_deref(), Some("not_begun"));
    let old = TaskSet::new().task("old", |_, _: Json| async move { Ok::<_, TaskError>("done") });
    working.tasks.replace(old).expect("replaced");
    let ended = until("it succeeds", |run| run.status() == Status::Succeeded).await;
    assert_eq!((ended.attempt, ended.epoch), (1, 2));
    working.stop().await;
}
