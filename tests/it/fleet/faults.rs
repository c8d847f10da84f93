//! Workers that are killed and frozen and whose database crashes: nothing lost, nothing done twice without a record.

use std::time::Duration;

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::postgres::PostgresStore;
use runlane::store::sqlite::SqliteStore;

use super::cluster::Cluster;
use super::worker::WorkerProcess;
use super::{Chance, Scale, Yard, judge, read, submit, until_ended};

const WORKERS: usize = 8;

/// Longer than the workers' leases, and the look for those that have run out.
const PAST_A_LEASE: Duration = Duration::from_secs(6);

/// How long all of it may take.
fn patience(scale: Scale) -> Duration {
    Duration::from_secs(120 + scale.runs as u64 / 4)
}

#[tokio::test(flavor = "multi_thread")]
async fn without_faults_each_run_is_done_exactly_once() {
    let Some(cluster) = Cluster::start() else { return };
    let scale = Scale::at_least(200, 0, 0, 0);
    PostgresStore::migrate(&cluster.url()).await.expect("migrated");
    let store = PostgresStore::connect(&cluster.url(), Clock::Database).await.expect("a store");
    let yard = Yard::new(10);
    let ids = submit(&store, scale.runs, 0).await;
    let workers: Vec<_> = (0..WORKERS).map(|_| WorkerProcess::start(&yard, &cluster.url(), &[])).collect();
    until_ended(&store, &ids, patience(scale)).await;
    for worker in workers {
        let (status, said) = worker.drain(Duration::from_secs(30));
        assert!(status.success(), "{status}: {said}");
    }
    assert_eq!(judge(&store, &yard, &ids).await, scale.runs, "each exactly once");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_and_frozen_workers_and_a_crashing_database_lose_and_double_nothing() {
    let Some(cluster) = Cluster::start() else { return };
    let scale = Scale::at_least(150, 4, 2, 1);
    let mut chance = Chance::new();
    PostgresStore::migrate(&cluster.url()).await.expect("migrated");
    let store = PostgresStore::connect(&cluster.url(), Clock::Database).await.expect("a store");
    let yard = Yard::new(400);
    let url = cluster.url();
    let mut workers: Vec<_> = (0..WORKERS).map(|_| WorkerProcess::start(&yard, &url, &[])).collect();
    let ids = submit(&store, scale.runs, 0).await;

    // The faults, in an order that the seed decides, spread over the time the work takes.
    let mut faults: Vec<Fault> = std::iter::repeat_n(Fault::Kill, scale.kills)
        .chain(std::iter::repeat_n(Fault::Freeze, scale.freezes))
        .chain(std::iter::repeat_n(Fault::Outage, scale.outages))
        .chain(std::iter::repeat_n(Fault::LoseWork, scale.kills / 2))
        .collect();
    while !faults.is_empty() {
        let fault = faults.swap_remove(chance.below(faults.len()));
        let at = chance.below(workers.len());
        std::thread::sleep(Duration::from_millis(200 + chance.below(600) as u64));
        match fault {
            Fault::Kill => {
                workers.swap_remove(at).kill();
                workers.push(WorkerProcess::start(&yard, &url, &[]));
            }
            // Beyond its lease: it wakes up with work that others may have by then.
            Fault::Freeze => {
                workers[at].freeze();
                std::thread::sleep(Duration::from_millis(4500));
                workers[at].thaw();
            }
            // The work goes with its shim: the attempt is lost, which must be on record before it is made again.
            Fault::LoseWork => {
                let shims = super::worker::shims_of(&yard.path("data"));
                if !shims.is_empty() {
                    super::worker::end(&shims[chance.below(shims.len())..][..1]);
                }
            }
            Fault::Outage => {
                until_at_work(&store, &workers).await;
                cluster.crash_and_recover(Duration::from_millis(chance.below(2000) as u64));
            }
        }
    }
    until_ended(&store, &ids, patience(scale)).await;
    for worker in workers {
        let (status, said) = worker.drain(Duration::from_secs(30));
        assert!(status.success(), "{status}: {said}");
    }
    let done = judge(&store, &yard, &ids).await;
    eprintln!("{} runs, {done} executions, {scale:?}", ids.len());
}

/// A worker that finds no database when it starts says so and ends, which is no fault of this test.
async fn until_at_work(store: &PostgresStore, workers: &[WorkerProcess]) {
    let began = std::time::Instant::now();
    loop {
        let known = store.workers().await.unwrap_or_default();
        if workers.iter().all(|worker| known.iter().any(|known| known.info.pid == worker.pid())) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "of the workers there are {known:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[derive(Clone, Copy)]
enum Fault {
    Kill,
    Freeze,
    Outage,
    LoseWork,
}

#[tokio::test(flavor = "multi_thread")]
async fn on_sqlite_a_server_that_is_killed_and_restarted_loses_and_doubles_nothing() {
    let scale = Scale::at_least(60, 4, 0, 0);
    let mut chance = Chance::new();
    let yard = Yard::new(300);
    let file = yard.path("runs.db");
    let store = SqliteStore::open_and_migrate(&file, Clock::Database).await.expect("a store");
    let ids = submit(&store, scale.runs, 0).await;
    drop(store);

    let url = format!("sqlite:{}", file.display());
    let start = || WorkerProcess::start(&yard, &url, &["--concurrency", "8"]);
    let mut server = start();
    for _ in 0..scale.kills {
        std::thread::sleep(Duration::from_millis(500 + chance.below(1000) as u64));
        server.kill();
        server = start();
    }
    // The file is the server's until it ends, so the effects say when the work is done.
    let began = std::time::Instant::now();
    while yard.effects().ended() < ids.len() {
        assert!(began.elapsed() < patience(scale), "{} of {} done", yard.effects().ended(), ids.len());
        std::thread::sleep(Duration::from_millis(200));
    }
    let store = loop {
        let (status, said) = server.drain(Duration::from_secs(60));
        assert!(status.success(), "{status}: {said}");
        let store = SqliteStore::open(&file, Clock::Database).await.expect("a store");
        if read(&store, &ids).await.values().all(|run| run.status().is_terminal()) {
            break store;
        }
        // The work of a server that was killed has ended, and nobody could take it over before its lease did.
        assert!(began.elapsed() < patience(scale), "work that has ended is not taken over");
        drop(store);
        server = start();
        std::thread::sleep(PAST_A_LEASE);
    };
    let done = judge(&store, &yard, &ids).await;
    eprintln!("{} runs, {done} executions, {scale:?}", ids.len());
}
