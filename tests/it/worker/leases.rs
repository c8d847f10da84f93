//! What a worker does when it cannot speak to its database.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use runlane::clock::Clock;
use runlane::executor::native::{Context, Native, TaskError};
use runlane::run::{LaneName, NewRun, Status, Tenure, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, Store};
use runlane::worker::{Settings, Task, Worker};
use tokio::sync::{Semaphore, mpsc};

use super::wire::Wire;
use super::{PATIENCE, Working, quick, request};
use crate::postgres::fixture::Database;

async fn until(store: &dyn Store, id: runlane::run::RunId, status: Status) -> runlane::run::Run {
    tokio::time::timeout(PATIENCE, async {
        loop {
            let run = store.run(&WorkspaceName::default(), id).await.expect("a read").expect("a run");
            if run.status() == status {
                return run;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("in time")
}

#[tokio::test(flavor = "multi_thread")]
async fn work_whose_lease_cannot_be_renewed_is_stopped_before_the_lease_can_have_run_out() {
    let Some(database) = Database::empty().await else { return };
    let wire = Wire::to(&database.url).await;
    let far = PostgresStore::connect(&wire.url, Clock::Database).await.expect("a store");
    let near = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let (stopped, mut stops) = mpsc::unbounded_channel();
    let builder = Worker::builder(Arc::new(far)).settings(quick()).task("wait", move |ctx: Context, (): ()| {
        let stopped = stopped.clone();
        async move {
            ctx.cancelled().await;
            stopped.send(Timestamp::now()).expect("the test listens");
            Err::<(), _>(TaskError::new("stopped", "as told"))
        }
    });
    let _working = Working::start(builder);
    let run = request("wait", "null");
    near.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submitted");
    until(&near, run.id, Status::Running).await;
    wire.fall_silent();
    // What is under way on the server still comes to its end.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let leased = until(&near, run.id, Status::Running).await;
    let at = tokio::time::timeout(PATIENCE, stops.recv()).await.expect("stopped in time").expect("a time");
    match leased.execution().map(|execution| execution.tenure) {
        Some(Tenure::Leased { until }) => assert!(at < until, "stopped at {at}, leased until {until}"),
        other => panic!("not leased: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silence_shorter_than_the_lease_costs_nothing() {
    let Some(database) = Database::empty().await else { return };
    let wire = Wire::to(&database.url).await;
    let far = PostgresStore::connect(&wire.url, Clock::Database).await.expect("a store");
    let near = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let builder = Worker::builder(Arc::new(far)).settings(quick()).task("nap", |_: Context, (): ()| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok::<_, TaskError>("rested")
    });
    let working = Working::start(builder);
    let run = request("nap", "null");
    near.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submitted");
    until(&near, run.id, Status::Running).await;
    wire.fall_silent();
    tokio::time::sleep(Duration::from_millis(1300)).await;
    wire.speak();
    let run = until(&near, run.id, Status::Succeeded).await;
    assert_eq!((run.attempt, run.epoch), (1, 1));
    working.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_database_is_silent_can_be_stopped_all_the_same() {
    let Some(database) = Database::empty().await else { return };
    let wire = Wire::to(&database.url).await;
    let far = PostgresStore::connect(&wire.url, Clock::Database).await.expect("a store");
    let near = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let mut settings = quick();
    settings.shutdown_grace = Duration::from_millis(100);
    let mut task = Task::new(Arc::new(Native::new(|ctx: Context, (): ()| async move {
        ctx.cancelled().await;
        Err::<(), _>(TaskError::new("stopped", "as told"))
    })));
    task.stop_grace = Duration::from_secs(1);
    let working = Working::start(Worker::builder(Arc::new(far)).settings(settings).task_with("wait", task));
    let run = request("wait", "null");
    near.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submitted");
    until(&near, run.id, Status::Running).await;
    wire.fall_silent();
    let summary = working.stop().await;
    assert_eq!((summary.finished, summary.lost), (0, 1), "its lease runs out, and others find the run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_database_is_away_leaves_when_its_leases_have_run_out() {
    let Some(database) = Database::empty().await else { return };
    let wire = Wire::to(&database.url).await;
    let far = PostgresStore::connect(&wire.url, Clock::Database).await.expect("a store");
    let near = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    // Longer than the test waits.
    let settings = Settings { shutdown_grace: PATIENCE * 3, ..quick() };
    let go_on = Arc::new(Semaphore::new(0));
    let waited_for = Arc::clone(&go_on);
    let working =
        Working::start(Worker::builder(Arc::new(far)).settings(settings).task("wait", move |_: Context, (): ()| {
            let go_on = Arc::clone(&waited_for);
            async move {
                go_on.acquire().await.expect("open").forget();
                Ok::<_, TaskError>(())
            }
        }));
    let run = request("wait", "null");
    near.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submitted");
    until(&near, run.id, Status::Running).await;
    wire.fall_silent();
    go_on.add_permits(1);
    let summary = working.stop().await;
    assert_eq!((summary.finished, summary.lost), (0, 1), "others find the run");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_handed_over_when_the_grace_is_over_is_given_back_without_having_begun() {
    let Some(database) = Database::empty().await else { return };
    let wire = Wire::to(&database.url).await;
    let far = PostgresStore::connect(&wire.url, Clock::Database).await.expect("a store");
    let near = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    // With one slot, nothing is claimed but along with the end.
    let settings = Settings { concurrency: 1, shutdown_grace: Duration::from_millis(100), ..quick() };
    let (started, mut starts) = mpsc::unbounded_channel();
    let go_on = Arc::new(Semaphore::new(0));
    let waited_for = Arc::clone(&go_on);
    let builder = Worker::builder(Arc::new(far)).settings(settings).task("wait", move |ctx: Context, (): ()| {
        let (started, go_on) = (started.clone(), Arc::clone(&waited_for));
        async move {
            started.send(ctx.run_id()).expect("the test listens");
            go_on.acquire().await.expect("open").forget();
            Ok::<_, TaskError>(())
        }
    });
    let working = Working::start(builder);
    let lane = LaneName::parse("l").ok();
    let [first, second] =
        [(); 2].map(|()| NewRun { lane: lane.clone(), max_attempts: NonZeroU16::MIN, ..request("wait", "null") });
    near.submit(&[first.clone(), second.clone()], Admission::default()).await.expect("submitted");
    assert_eq!(starts.recv().await, Some(first.id));
    wire.fall_silent();
    go_on.add_permits(1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let stopped = tokio::spawn(working.stop());
    tokio::time::sleep(Duration::from_millis(500)).await;
    wire.speak();
    let summary = stopped.await.expect("no panic");
    assert_eq!((summary.finished, summary.released), (1, 1));
    assert_eq!(starts.try_recv().ok(), None);
    let run = until(&near, second.id, Status::Queued).await;
    assert_eq!((run.attempt, run.interruptions), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_asks_the_database_about_once_a_second() {
    let Some(database) = Database::empty().await else { return };
    idles(&database).await;
}

/// Their runs wait among the others; nobody asks the schedules themselves what is due.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_schedules_due_tomorrow_make_no_idle_worker_ask_more() {
    let Some(database) = Database::empty().await else { return };
    database.execute(SCHEDULES).await;
    idles(&database).await;
    let kept = database.lines("select count(*)::text from runlane.runs where blocked_by = 'available_at'").await;
    assert_eq!(kept, ["100000"]);
}

const SCHEDULES: &str = r#"
    insert into runlane.grants (id, workspace, user_id, billing_account, scopes, created_at)
    values ('00000000-0000-0000-0000-000000000001', 'default', 'ada', 'acme', '{*}', now());
    insert into runlane.schedules (id, workspace, grant_id, spec, head_run, head_slot, since, version, created_at, updated_at)
    select gen_random_uuid(), 'default', '00000000-0000-0000-0000-000000000001', '{}', gen_random_uuid(),
        now() + interval '1 day', now(), 1, now(), now()
    from generate_series(1, 100000);
    insert into runlane.runs (id, workspace, task, queue, lane, priority, status, blocked_by, payload, max_attempts,
        attempts_granted, available_at, requested_at, schedule_id, slot, grant_id)
    select head_run, 'default', 'work', 'default', 'schedule:' || id, 0, 'queued', 'available_at', 'null', 1, 1, head_slot,
        now(), id, head_slot, grant_id
    from runlane.schedules;
    analyze runlane.schedules, runlane.runs"#;

/// A worker with nothing to do runs its maintenance passes only.
async fn idles(database: &Database) {
    let wire = Wire::to(&database.url).await;
    let store: Arc<dyn Store> = Arc::new(PostgresStore::connect(&wire.url, Clock::Database).await.expect("a store"));
    let worker = Worker::builder(Arc::clone(&store)).task("echo", |_, (): ()| async move { Ok::<_, TaskError>(()) });
    let working = Working::start(worker);
    // After the first looks, which come quicker.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let (seconds, before) = (12, wire.transactions());
    assert!(before > 0, "the first looks were counted");
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let times = wire.transactions() - before;
    working.stop().await;
    assert!(times <= seconds as usize * 5 / 4, "{times} transactions in {seconds} s");
}
