//! Renewals do not wait for runs that somebody has locked.

use std::time::Duration;

use jiff::SignedDuration;
use runlane::clock::Clock;
use runlane::run::lifecycle::Taker;
use runlane::run::{HostName, Json, NewRun, TaskName, WorkerId};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, ClaimRequest, Renewal, Store};

use super::fixture::Database;

#[tokio::test]
async fn a_locked_run_does_not_delay_the_renewal_of_the_workers_other_leases() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let runs: Vec<NewRun> =
        (0..3).map(|_| NewRun::of(TaskName::parse("work").expect("a name"), Json::null())).collect();
    store.submit(&runs, Admission::default()).await.expect("submitted");
    let taker = Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") };
    let claimed = store.claim(&ClaimRequest::of(taker, 10)).await.expect("a claim").runs;
    let leases: Vec<_> = claimed.iter().map(|claimed| claimed.lease().into()).collect();
    let holder = database.another().await;
    let locked = format!("begin; select from runlane.runs where id = '{}' for update", claimed[1].run.id);
    holder.batch_execute(&locked).await.expect("locked");
    let ttl = SignedDuration::from_hours(1);
    // The lock is held throughout.
    let answers = tokio::time::timeout(Duration::from_secs(8), store.renew(&leases, ttl)).await.expect("no wait");
    let renewed = Renewal::Renewed { stop: None };
    assert_eq!(answers.expect("an answer"), [renewed, Renewal::Busy, renewed]);
    holder.batch_execute("rollback").await.expect("released");
    assert_eq!(store.renew(&leases, ttl).await.expect("an answer"), [renewed; 3]);
}
