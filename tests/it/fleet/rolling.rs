//! A new release while the work goes on: the old worker drains, the new one adopts.

use std::num::NonZeroU16;
use std::time::Duration;

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, Run, RunId, Status, TaskName, Tenure, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, EventKind, Store};

use super::worker::WorkerProcess;
use super::{Yard, judge, read, submit, until_ended, until_terminal};
use crate::postgres::fixture::Database;

const PATIENCE: Duration = Duration::from_secs(120);

/// RUNLANE_CHAOS_ROLLING_MILLIS makes the work longer than the six seconds it takes here.
fn millis() -> u64 {
    std::env::var("RUNLANE_CHAOS_ROLLING_MILLIS").ok().and_then(|text| text.parse().ok()).unwrap_or(6000)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_burns_no_attempt_and_doubles_no_effect() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let yard = Yard::new(millis());
    let start = || {
        WorkerProcess::start(&yard, &database.url, &["--concurrency", "4", "--shutdown-grace-period-seconds", "0.2"])
    };
    let ids = submit(&store, 4, 1_000_000).await;
    let mut worker = start();
    for restart in 0..2 {
        // Everything is under way, in this worker.
        for id in &ids {
            until_epoch(&store, *id, restart + 1, &yard).await;
        }
        let next = start();
        let (status, said) = worker.drain(Duration::from_secs(30));
        assert_eq!((status.code(), said.as_str()), (Some(3), "0 finished, 0 released, 4 left to adopt, 0 lost"));
        worker = next;
    }
    until_ended(&store, &ids, PATIENCE).await;
    let (status, said) = worker.drain(Duration::from_secs(30));
    assert!(status.success(), "{status}: {said}");
    assert_eq!(judge(&store, &yard, &ids).await, 4, "no effect is doubled");
    for run in read(&store, &ids).await.values() {
        assert_eq!((run.status(), run.attempt, run.epoch), (Status::Succeeded, 1, 3), "no attempt is burned");
        assert_eq!(lines(&store, run.id).await, expected(), "complete after two adoptions, without repeats");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_deploy_of_a_new_task_burns_no_attempt() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let task = |name: &'static str| (name, r#"["sleep", "0.05"]"#, "");
    let (old, new) = (Yard::with_tasks(&[task("known")]), Yard::with_tasks(&[task("known"), task("fresh")]));
    let start = |yard: &Yard| WorkerProcess::start(yard, &database.url, &["--concurrency", "4"]);
    let before = [start(&old), start(&old)];
    let mut requests = Vec::new();
    for number in 0..60 {
        let name = TaskName::parse(if number % 3 == 0 { "known" } else { "fresh" }).expect("a name");
        let mut request = NewRun::of(name, Json::null());
        request.max_attempts = NonZeroU16::MIN;
        requests.push(request);
    }
    let ids: Vec<RunId> = requests.iter().map(|request| request.id).collect();
    store.submit(&requests, Admission::default()).await.expect("submitted");
    // The old ones have been offered what they cannot do.
    let known: Vec<RunId> = ids.iter().copied().step_by(3).collect();
    until_terminal(&store, &known, PATIENCE).await;
    let after = [start(&new), start(&new)];
    until_terminal(&store, &ids, PATIENCE).await;
    for run in read(&store, &ids).await.values() {
        assert_eq!((run.status(), run.attempt), (Status::Succeeded, 1), "{run:#?}");
    }
    for worker in before.into_iter().chain(after) {
        let (status, said) = worker.drain(Duration::from_secs(30));
        assert!(status.success() || status.code() == Some(3), "{status}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_frozen_past_its_lease_can_neither_finish_nor_log_after_it_wakes() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let yard = Yard::new(8000);
    let ids = submit(&store, 1, 1).await;
    let frozen = WorkerProcess::start(&yard, &database.url, &["--concurrency", "1"]);
    until_epoch(&store, ids[0], 1, &yard).await;
    frozen.freeze();
    let other = WorkerProcess::start(&yard, &database.url, &["--concurrency", "1"]);
    until_epoch(&store, ids[0], 2, &yard).await;
    frozen.thaw();
    until_ended(&store, &ids, PATIENCE).await;
    let (_, said) = frozen.drain(Duration::from_secs(30));
    assert_eq!(said, "0 finished, 0 released, 0 left to adopt, 1 lost");
    let (status, said) = other.drain(Duration::from_secs(30));
    assert!(status.success(), "{status}: {said}");
    assert_eq!(judge(&store, &yard, &ids).await, 1, "adopted, not done again");
    let run = &read(&store, &ids).await[&ids[0]];
    assert_eq!((run.attempt, run.epoch), (1, 2));
    assert_eq!(lines(&store, ids[0]).await, expected(), "the log is complete, without repeats");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_machine_takes_over_only_when_the_work_of_the_first_has_ended() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let yard = Yard::new(12_000);
    let ids = submit(&store, 1, 1).await;
    let on = |host: &str| {
        let data = yard.path(host).to_string_lossy().into_owned();
        let more = ["--host", host, "--data-dir", &data, "--takeover-delay-seconds", "3"];
        WorkerProcess::start_with(
            &yard,
            &database.url,
            &[&more[..], &["--shutdown-grace-period-seconds", "0.2"]].concat(),
            &[],
        )
    };
    let first = on("first");
    until_epoch(&store, ids[0], 1, &yard).await;
    let second = on("second");
    // It leaves its work to a successor on the same machine, who does not come.
    let (status, said) = first.drain(Duration::from_secs(30));
    assert_eq!((status.code(), said.as_str()), (Some(3), "0 finished, 0 released, 1 left to adopt, 0 lost"));
    until_ended(&store, &ids, PATIENCE).await;
    let (status, said) = second.drain(Duration::from_secs(30));
    assert!(status.success(), "{status}: {said}");
    assert_eq!(judge(&store, &yard, &ids).await, 2, "done again, after the first had ended");
    let run = &read(&store, &ids).await[&ids[0]];
    assert_eq!(run.attempt, 2);
}

/// Waits until the run is leased by the claim or adoption of that number, and its work has begun.
async fn until_epoch(store: &dyn Store, id: RunId, epoch: i64, yard: &Yard) {
    let began = std::time::Instant::now();
    loop {
        let runs = read(store, &[id]).await;
        if runs.get(&id).is_some_and(|run| run.epoch == epoch && is_leased(run)) && yard.effects().begins() > 0 {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "not under way: {runs:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn is_leased(run: &Run) -> bool {
    run.execution().is_some_and(|execution| matches!(execution.tenure, Tenure::Leased { .. }))
}

/// What the work printed, as the store has it.
async fn lines(store: &dyn Store, id: RunId) -> Vec<String> {
    let events = store.events(&WorkspaceName::default(), id, 0, 1000).await.expect("a read").expect("a run");
    let logs = events.iter().filter(|event| event.kind == EventKind::Log);
    logs.map(|event| {
        let data: serde_json::Value = serde_json::from_str(event.data.as_str()).expect("JSON");
        data["text"].as_str().unwrap_or_default().to_owned()
    })
    .collect()
}

fn expected() -> Vec<String> {
    (1..=10).map(|line| format!("line {line} of 10")).collect()
}
