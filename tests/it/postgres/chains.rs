//! Chains of schedules that a hand in the database has broken.

use jiff::Timestamp;
use runlane::clock::Clock;
use runlane::run::WorkspaceName;
use runlane::schedule::{Overlap, Schedule};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Page, RunFilter, Schedules, Store};

use super::fixture::Database;
use crate::schedules::support::{any_task, every, schedule, spec};

async fn waiting(store: &PostgresStore, schedule: &Schedule) -> usize {
    let filter = RunFilter { schedule: Some(schedule.id), ..RunFilter::default() };
    store.runs(&WorkspaceName::default(), &filter, &Page::first(10)).await.expect("runs").data.len()
}

#[tokio::test]
async fn a_chain_whose_run_was_deleted_by_hand_is_repaired_by_the_sweep() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let grant = any_task();
    store.create_grant(&grant).await.expect("a grant");
    let timing = every(3600, Timestamp::UNIX_EPOCH);
    let broken = schedule(&store, spec("work", timing.clone(), Overlap::Forbid), grant.id).await;
    let whole = schedule(&store, spec("work", timing, Overlap::Allow), grant.id).await;
    database.execute(&format!("delete from runlane.runs where schedule_id = '{}'", broken.id)).await;
    assert_eq!((waiting(&store, &broken).await, waiting(&store, &whole).await), (0, 1));
    assert_eq!(store.sweep_schedules(10).await.expect("a sweep"), [broken.id]);
    assert_eq!((waiting(&store, &broken).await, waiting(&store, &whole).await), (1, 1));
    let seen = store.schedule(&broken.workspace, broken.id).await.expect("a read").expect("it is there");
    assert_eq!(
        seen.head.map(|head| head.slot),
        broken.head.map(|head| head.slot),
        "the same slot, which is still to come"
    );
    database
        .execute(&format!("update runlane.schedules set head_run = null, head_slot = null where id = '{}'", whole.id))
        .await;
    database.execute(&format!("delete from runlane.runs where schedule_id = '{}'", whole.id)).await;
    assert_eq!(store.sweep_schedules(10).await.expect("a sweep"), [whole.id]);
    assert_eq!(waiting(&store, &whole).await, 1);
    assert_eq!(store.sweep_schedules(10).await.expect("a sweep"), []);
}
