//! Schedules lived through by processes that are started, stopped and killed.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use runlane::clock::Clock;
use runlane::run::{Status, WorkspaceName};
use runlane::schedule::{Overlap, Schedule, Timing};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Page, RunFilter, Schedules, Store};

use super::worker::WorkerProcess;
use super::{Chance, Yard};
use crate::postgres::fixture::Database;
use crate::schedules::support::{account, any_task, every, judge, schedule, spec};

const PATIENCE: Duration = Duration::from_secs(60);

/// How many are due every second, and for how long the servers are disturbed: RUNLANE_CHAOS_SCHEDULES and
/// RUNLANE_CHAOS_SECONDS make it longer.
fn scale() -> (usize, u64) {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let schedules = asked("RUNLANE_CHAOS_SCHEDULES").unwrap_or(200) as usize;
    (schedules, asked("RUNLANE_CHAOS_SECONDS").unwrap_or(20))
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_killed_double_no_slot_and_end_no_chain() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let (count, seconds) = scale();
    let (yard, mut chance) = (Yard::with_tasks(&[]), Chance::new());
    let serve = || {
        let more = ["--demo-tasks", "--concurrency", "16", "--takeover-delay-seconds", "1"];
        WorkerProcess::serve(&yard, &database.url, &more)
    };
    let mut servers = vec![serve(), serve()];
    let grant = any_task();
    store.create_grant(&grant).await.expect("a grant");
    let mut schedules = Vec::new();
    for at in 0..count {
        let overlap = [Overlap::Forbid, Overlap::Allow, Overlap::Replace][at % 3];
        schedules.push(schedule(&store, spec("echo", every(1, Timestamp::UNIX_EPOCH), overlap), grant.id).await);
    }
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) {
        tokio::time::sleep(Duration::from_millis(500 + chance.below(1500) as u64)).await;
        let server = servers.remove(chance.below(servers.len()));
        match chance.below(3) {
            0 => drop(server.drain(PATIENCE)),
            _ => server.kill(),
        }
        servers.push(serve());
    }
    // Those left over by the dead are found when their leases have run out; then every chain goes on.
    let calm = Timestamp::now();
    for schedule in &schedules {
        until_it_goes_on(&store, schedule, calm).await;
    }
    for server in servers {
        server.drain(PATIENCE);
    }
    let mut slots = 0;
    for schedule in &schedules {
        let last = last_settled(&store, schedule).await;
        let seen = account(&store, schedule, last).await;
        slots += judge(&seen).unwrap_or_else(|wrong| panic!("schedule {}: {wrong}", schedule.id));
    }
    println!("{slots} slots of {count} schedules, each once");
}

/// Waits until a slot after `calm` has had its run.
async fn until_it_goes_on(store: &dyn Store, schedule: &Schedule, calm: Timestamp) {
    let began = Instant::now();
    loop {
        let seen = store.schedule(&schedule.workspace, schedule.id).await.expect("a read").expect("it is there");
        assert_eq!(seen.disabled, None, "the chain has ended");
        if seen.last_slot.is_some_and(|last| last > calm) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "the chain stands still: {seen:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The slot before the one that waits: up to there, everything is decided.
async fn last_settled(store: &dyn Store, schedule: &Schedule) -> Timestamp {
    let seen = store.schedule(&schedule.workspace, schedule.id).await.expect("a read").expect("it is there");
    seen.head.expect("the chain goes on").slot - SignedDuration::from_millis(1)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_gets_the_identity_of_its_grant() {
    let yard = Yard::with_tasks(&[(
        "identity",
        r#"["sh", "-c", "printf '[\"%s\",\"%s\"]' $RUNLANE_GRANT_ID $RUNLANE_BILLING_ACCOUNT > $RUNLANE_RESULT; echo '::runlane {\"usage\":{\"tokens\":7}}'"]"#,
        "",
    )]);
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let grant = any_task();
    store.create_grant(&grant).await.expect("a grant");
    let once = Timing::Once { at: Timestamp::now() + SignedDuration::from_millis(300) };
    let made = schedule(&store, spec("identity", once, Overlap::Forbid), grant.id).await;
    let worker = WorkerProcess::start(&yard, &database.url, &[]);
    let filter = RunFilter { schedule: Some(made.id), ..RunFilter::default() };
    let began = Instant::now();
    let run = loop {
        let runs = store.runs(&WorkspaceName::default(), &filter, &Page::first(10)).await.expect("runs").data;
        let [run] = &runs[..] else { panic!("one run: {runs:?}") };
        if run.status().is_terminal() {
            break run.clone();
        }
        assert!(began.elapsed() < PATIENCE, "not in time: {run:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    worker.drain(PATIENCE);
    assert_eq!(run.status(), Status::Succeeded, "{run:?}");
    let said = run.output.as_ref().map(|output| output.as_str().to_owned());
    assert_eq!(said, Some(format!(r#"["{}","acme"]"#, grant.id)));
    let sums = store.usage(&WorkspaceName::default(), &Default::default()).await.expect("usage");
    let charged: Vec<_> = sums.iter().map(|sum| (sum.account.as_ref().map(|a| a.as_str()), sum.amount)).collect();
    assert_eq!(charged, [(Some("acme"), 7)]);
}
