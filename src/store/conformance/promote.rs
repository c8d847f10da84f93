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
    assert_eq!(bench.promote_up_to(1).await.runs, 1);
    assert_eq!((bench.is_ready(soon).await, bench.is_ready(late).await), (true, false));
    assert_eq!(bench.promote_up_to(1).await.runs, 1);
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

pub(super) async fn it_says_how_long_it_is_until_the_next_run_is_due(bench: Bench) {
    assert_eq!(bench.next_due().await, None);
    bench.submit(a_run().due_in(20)).await;
    assert_eq!(bench.next_due().await, Some(seconds(20)));
    bench.submit(a_run().due_in(10)).await;
    bench.wait(4);
    assert_eq!(bench.next_due().await, Some(seconds(6)));
    bench.wait(6);
    assert_eq!(bench.next_due().await, Some(seconds(10)), "the one just freed waits no more");
    bench.wait(10);
    assert_eq!(bench.next_due().await, None);
}

pub(super) async fn the_next_run_is_due_now_if_more_are_due_than_the_limit(bench: Bench) {
    bench.submit_all([a_run().due_in(10), a_run().due_in(20)]).await;
    bench.wait(30);
    assert_eq!(bench.promote_up_to(1).await, Promoted { runs: 1, too_late: 0, next_due: Some(seconds(0)) });
    assert_eq!(bench.promote_up_to(1).await, Promoted { runs: 1, too_late: 0, next_due: None });
}

pub(super) async fn a_retry_is_waited_for_like_any_other_run(bench: Bench) {
    let id = bench.retrying(a_run().retry(5_000, 1, 5_000)).await;
    let due = bench.run(id).await.available_at;
    assert_eq!(bench.next_due().await, Some(due.duration_since(bench.now())));
}

pub(super) async fn only_runs_that_wait_for_their_time_are_due(bench: Bench) {
    bench.submit_all([a_run(), a_run().lane("l"), a_run().lane("l"), a_run().due_in(10).held()]).await;
    bench.paused(a_run().due_in(10)).await;
    let upstream = bench.submit(a_run()).await;
    bench.submit(a_run().due_in(10).after(&[upstream])).await;
    assert_eq!(bench.next_due().await, None);
}
