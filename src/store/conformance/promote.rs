//! Freeing runs whose time has come.

use super::prelude::*;

pub(super) async fn a_delayed_run_is_freed_when_its_time_has_come(bench: Bench) {
    let id = bench.submit(a_run().due_in(10)).await;
    bench.wait(9);
    assert_eq!(bench.promote().await, 0);
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::AvailableAt));
    bench.wait(1);
    assert_eq!(bench.promote().await, 1);
    assert!(bench.is_ready(id).await);
    assert_eq!(bench.promote().await, 0);
}

pub(super) async fn a_freed_run_keeps_the_time_it_was_due(bench: Bench) {
    let id = bench.submit(a_run().due_in(10)).await;
    let due = bench.ahead(10);
    bench.wait(100);
    bench.promote().await;
    assert_eq!(bench.run(id).await.available_at, due);
}

pub(super) async fn only_those_that_are_due_are_freed(bench: Bench) {
    let soon = bench.submit(a_run().due_in(10)).await;
    let late = bench.submit(a_run().due_in(20)).await;
    bench.wait(15);
    assert_eq!(bench.promote().await, 1);
    assert_eq!((bench.is_ready(soon).await, bench.is_ready(late).await), (true, false));
}

pub(super) async fn those_due_first_are_freed_first(bench: Bench) {
    let late = bench.submit(a_run().due_in(20)).await;
    let soon = bench.submit(a_run().due_in(10)).await;
    bench.wait(30);
    assert_eq!(bench.store.promote(1).await.expect("promote answers"), 1);
    assert_eq!((bench.is_ready(soon).await, bench.is_ready(late).await), (true, false));
    assert_eq!(bench.store.promote(1).await.expect("promote answers"), 1);
    assert!(bench.is_ready(late).await);
}

pub(super) async fn freed_runs_are_claimed_in_the_order_of_submission(bench: Bench) {
    let first = bench.submit(a_run().due_in(20)).await;
    let second = bench.submit(a_run().due_in(10)).await;
    let third = bench.submit(a_run()).await;
    bench.wait(30);
    bench.promote().await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [first, second, third]);
}

pub(super) async fn paused_and_pending_runs_are_not_freed(bench: Bench) {
    bench.paused(a_run().due_in(10)).await;
    bench.submit(a_run().due_in(10).held()).await;
    bench.wait(20);
    let before = bench.everything().await;
    assert_eq!(bench.promote().await, 0);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn of_a_lane_one_of_those_freed_is_ready(bench: Bench) {
    let first = bench.submit(a_run().lane("l").due_in(20)).await;
    let second = bench.submit(a_run().lane("l").due_in(10)).await;
    bench.wait(30);
    assert_eq!(bench.promote().await, 2);
    assert!(bench.is_ready(first).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}
