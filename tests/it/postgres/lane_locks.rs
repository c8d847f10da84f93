//! A lane is settled while somebody has its runs locked: a late log line, say, or a claim that found them changed. The
//! meeting is forced, and so is its other outcome with statements that pass over locked rows.

use std::future::Future;
use std::time::Duration;

use jiff::SignedDuration;
use runlane::clock::Clock;
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, LaneName, NewRun, Priority, RunId, TaskName, WorkerId};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, ClaimRequest, Finish, Lease, Store};
use tokio_postgres::Client;

use super::fixture::Database;

/// What the statements that settle a lane do about a run that is locked.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Locked {
    /// As they are written.
    WaitedFor,
    PassedOver,
}

/// Has a run locked, as `append` does, until it lets go.
struct Holder {
    client: Client,
    pid: i32,
}

impl Holder {
    async fn of(database: &Database, run: RunId) -> Self {
        let client = database.another().await;
        client.batch_execute("begin").await.expect("begin");
        let lock = include_str!("../../../src/store/postgres/sql/lock_runs.sql");
        let locked = client.query(lock, &[&vec![run.0]]).await.expect("lock");
        assert_eq!(locked.len(), 1, "the run is there");
        let pid = client.query_one("select pg_backend_pid()", &[]).await.expect("a process").get(0);
        Self { client, pid }
    }

    /// Waits until another transaction waits for this one, or `verb` has ended without.
    async fn is_met_by<T>(&self, database: &Database, verb: &tokio::task::JoinHandle<T>) -> Locked {
        let waiting = format!("select pid::text from pg_stat_activity where {} = any(pg_blocking_pids(pid))", self.pid);
        loop {
            if !database.lines(&waiting).await.is_empty() {
                return Locked::WaitedFor;
            }
            if verb.is_finished() {
                return Locked::PassedOver;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn lets_go(self) {
        self.client.batch_execute("rollback").await.expect("rollback");
    }
}

async fn store(database: &Database, locked: Locked) -> PostgresStore {
    let unlocked = "id = any(array(select id from runlane.runs where id = any($1) for update skip locked))";
    let edits = [("lane_promote", "id = any($1)", unlocked), ("lane_demote", "for update", "for update skip locked")];
    let edits = if locked == Locked::PassedOver { &edits[..] } else { &[] };
    PostgresStore::connect_sabotaged(&database.url, Clock::Database, edits).await.expect("connect")
}

fn in_the_lane(priority: i16) -> NewRun {
    let task = TaskName::parse("noop").expect("a name");
    let lane = Some(LaneName::parse("lane").expect("a name"));
    NewRun { lane, priority: Priority::new(priority).expect("a priority"), ..NewRun::of(task, Json::null()) }
}

async fn submit(store: &PostgresStore, run: &NewRun) {
    store.submit(std::slice::from_ref(run), Admission::default()).await.expect("submit");
}

async fn claim(store: &PostgresStore) -> Vec<Lease> {
    let request = ClaimRequest {
        lease_ttl: SignedDuration::from_mins(10),
        takeover_delay: SignedDuration::from_mins(10),
        ..ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("host").expect("a name") }, 10)
    };
    store.claim(&request).await.expect("claim").runs.iter().map(|claimed| claimed.lease()).collect()
}

/// What is handed out after `settling`, which has met `locked` while it was locked.
async fn claimed_after<T: Send + 'static>(
    database: &Database,
    (run, locked): (RunId, Locked),
    settling: impl Future<Output = T> + Send + 'static,
) -> Vec<RunId> {
    let holder = Holder::of(database, run).await;
    let settling = tokio::spawn(settling);
    assert_eq!(holder.is_met_by(database, &settling).await, locked);
    holder.lets_go().await;
    settling.await.expect("the lane is settled");
    // Asked of a store that remembers nothing, after a pass that could have helped.
    let store = store(database, Locked::WaitedFor).await;
    store.promote(100).await.expect("promote");
    claim(&store).await.iter().map(|lease| lease.run).collect()
}

/// The first run of a lane ends while the next one is locked; whether that starts.
async fn next_starts(locked: Locked) -> Option<bool> {
    let database = Database::empty().await?;
    let store = store(&database, locked).await;
    let (first, next) = (in_the_lane(0), in_the_lane(0));
    submit(&store, &first).await;
    submit(&store, &next).await;
    let lease = claim(&store).await.remove(0);
    assert_eq!(lease.run, first.id, "lanes are serial");
    let finish = Finish::of(lease, Outcome::Succeeded { output: None });
    let settling = async move { store.finish(&[finish]).await.expect("finish") };
    Some(claimed_after(&database, (next.id, locked), settling).await == [next.id])
}

/// A more urgent run comes in while the one that was to go next is locked; whether it starts first.
async fn urgent_starts_first(locked: Locked) -> Option<bool> {
    let database = Database::empty().await?;
    let store = store(&database, locked).await;
    let (ready, urgent) = (in_the_lane(0), in_the_lane(1));
    submit(&store, &ready).await;
    let first = urgent.id;
    let settling = async move { submit(&store, &urgent).await };
    Some(claimed_after(&database, (ready.id, locked), settling).await == [first])
}

// Without a server there is nothing to see.

#[tokio::test]
async fn a_lane_goes_on_though_its_next_run_was_locked() {
    assert_ne!(next_starts(Locked::WaitedFor).await, Some(false));
}

#[tokio::test]
async fn a_lane_stands_still_if_a_locked_run_is_passed_over() {
    assert_ne!(next_starts(Locked::PassedOver).await, Some(true));
}

#[tokio::test]
async fn a_more_urgent_run_starts_first_though_the_ready_one_was_locked() {
    assert_ne!(urgent_starts_first(Locked::WaitedFor).await, Some(false));
}

#[tokio::test]
async fn a_more_urgent_run_comes_too_late_if_a_locked_run_is_passed_over() {
    assert_ne!(urgent_starts_first(Locked::PassedOver).await, Some(true));
}
