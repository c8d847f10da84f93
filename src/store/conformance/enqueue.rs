//! Letting held runs go.

use super::prelude::*;

pub(super) async fn an_enqueued_run_is_ready(bench: Bench) {
    let id = bench.submit(a_run().held()).await;
    assert_eq!(bench.enqueue(id).await, CommandOutcome::Enqueued);
    assert_eq!(bench.run(id).await.state, State::Queued(None));
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [id]);
}

pub(super) async fn an_enqueued_run_still_waits_for_the_time_it_is_due(bench: Bench) {
    let id = bench.submit(a_run().held().due_in(60)).await;
    bench.enqueue(id).await;
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::AvailableAt));
}

pub(super) async fn a_run_whose_time_came_while_pending_is_ready_when_enqueued(bench: Bench) {
    let id = bench.submit(a_run().held().due_in(60)).await;
    bench.wait(60);
    assert_eq!(bench.promote().await, 0);
    bench.enqueue(id).await;
    assert!(bench.is_ready(id).await);
}

pub(super) async fn an_enqueued_run_still_waits_for_its_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let id = bench.submit(a_run().held().after(&[upstream])).await;
    bench.enqueue(id).await;
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::Upstream));
}

pub(super) async fn an_enqueued_run_takes_its_place_in_its_lane(bench: Bench) {
    let pending = bench.submit(a_run().lane("l").held()).await;
    let second = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(second).await);
    bench.enqueue(pending).await;
    assert!(bench.is_ready(pending).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn only_pending_runs_can_be_enqueued(bench: Bench) {
    let running = bench.running().await.run.id;
    let retrying = bench.retrying(a_run()).await;
    let over = [bench.succeeded(a_run()).await, bench.failed(a_run()).await, bench.cancelled(a_run()).await];
    let paused = bench.paused(a_run()).await;
    let queued = bench.submit(a_run()).await;
    let before = bench.everything().await;
    for run in [running, retrying, paused, queued].into_iter().chain(over) {
        let status = bench.status(run).await;
        assert_eq!(bench.enqueue(run).await, CommandOutcome::Refused { status });
    }
    assert_eq!(bench.everything().await, before);
}
