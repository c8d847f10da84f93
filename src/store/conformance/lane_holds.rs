//! Lanes that hold: a run that stops keeps those behind it waiting until somebody decides.

use super::prelude::*;

impl Bench {
    /// A lane `l` that holds, with a failed run that holds it and one behind that.
    async fn held_lane(&self) -> (RunId, RunId) {
        self.lane_holds("l").await;
        let failed = self.failed(a_run().lane("l")).await;
        let behind = self.submit(a_run().lane("l")).await;
        assert_eq!(self.held_by("l").await, [failed]);
        assert_eq!(self.blocked_by(behind).await, Some(BlockedBy::Lane));
        (failed, behind)
    }
}

pub(super) async fn a_failed_run_holds_its_lane(bench: Bench) {
    bench.held_lane().await;
    bench.nothing_to_claim().await;
}

pub(super) async fn those_already_waiting_are_held_too(bench: Bench) {
    bench.lane_holds("l").await;
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.fail_for_good(&first).await;
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
    bench.nothing_to_claim().await;
}

pub(super) async fn a_timed_out_run_holds_its_lane(bench: Bench) {
    bench.lane_holds("l").await;
    let id = bench.timed_out(a_run().lane("l")).await;
    assert_eq!(bench.held_by("l").await, [id]);
}

pub(super) async fn a_paused_run_holds_its_lane(bench: Bench) {
    bench.lane_holds("l").await;
    let id = bench.paused(a_run().lane("l")).await;
    let behind = bench.submit(a_run().lane("l")).await;
    assert_eq!(bench.held_by("l").await, [id]);
    assert_eq!(bench.blocked_by(behind).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_run_paused_by_shutdown_holds_its_lane(bench: Bench) {
    bench.lane_holds("l").await;
    let claimed = bench.started(a_run().lane("l")).await;
    let behind = bench.submit(a_run().lane("l")).await;
    bench.release(claimed.lease(), Release::ToPaused).await;
    assert_eq!(bench.held_by("l").await, [claimed.run.id]);
    assert_eq!(bench.blocked_by(behind).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_run_that_fails_with_its_upstream_holds_its_lane(bench: Bench) {
    bench.lane_holds("l").await;
    let upstream = bench.submit(a_run()).await;
    let id = bench.submit(a_run().lane("l").after(&[upstream])).await;
    bench.cancel(upstream).await;
    assert_eq!(bench.held_by("l").await, [id]);
}

pub(super) async fn success_and_cancellation_hold_nothing(bench: Bench) {
    bench.lane_holds("l").await;
    bench.succeeded(a_run().lane("l")).await;
    bench.cancelled(a_run().lane("l")).await;
    assert_eq!(bench.held_by("l").await, []);
    let next = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(next).await);
}

pub(super) async fn a_retrying_run_does_not_hold_but_occupies(bench: Bench) {
    bench.lane_holds("l").await;
    bench.retrying(a_run().lane("l")).await;
    assert_eq!(bench.held_by("l").await, []);
}

pub(super) async fn urgency_does_not_break_a_hold(bench: Bench) {
    bench.held_lane().await;
    let urgent = bench.submit(a_run().lane("l").priority(1000)).await;
    assert_eq!(bench.blocked_by(urgent).await, Some(BlockedBy::Lane));
}

pub(super) async fn dismissing_the_holder_frees_the_lane(bench: Bench) {
    let (failed, behind) = bench.held_lane().await;
    let before = bench.run(failed).await;
    assert_eq!(bench.dismiss(failed).await, CommandOutcome::Dismissed);
    assert_eq!(bench.run(failed).await, before);
    assert_eq!(bench.held_by("l").await, []);
    assert!(bench.is_ready(behind).await);
}

pub(super) async fn a_run_is_dismissed_once(bench: Bench) {
    let (failed, _) = bench.held_lane().await;
    bench.dismiss(failed).await;
    let before = bench.everything().await;
    assert_eq!(bench.dismiss(failed).await, CommandOutcome::NotHolding);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_stopped_run_that_holds_nothing_cannot_be_dismissed(bench: Bench) {
    let continuing = bench.failed(a_run().lane("l")).await;
    let without_lane = bench.paused(a_run()).await;
    for run in [continuing, without_lane] {
        assert_eq!(bench.dismiss(run).await, CommandOutcome::NotHolding);
    }
}

pub(super) async fn what_cannot_hold_cannot_be_dismissed(bench: Bench) {
    let running = bench.running().await.run.id;
    let retrying = bench.retrying(a_run()).await;
    let over = [bench.succeeded(a_run()).await, bench.cancelled(a_run()).await];
    let (queued, pending) = (bench.submit(a_run()).await, bench.submit(a_run().held()).await);
    let before = bench.everything().await;
    for run in [running, retrying, queued, pending].into_iter().chain(over) {
        let status = bench.status(run).await;
        assert_eq!(bench.dismiss(run).await, CommandOutcome::Refused { status });
    }
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn resuming_the_holder_puts_it_first_in_its_lane(bench: Bench) {
    let (failed, behind) = bench.held_lane().await;
    bench.resume(failed).await;
    assert_eq!(bench.held_by("l").await, []);
    assert!(bench.is_ready(failed).await);
    assert_eq!(bench.blocked_by(behind).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_resumed_holder_that_fails_holds_again(bench: Bench) {
    let (failed, behind) = bench.held_lane().await;
    bench.resume(failed).await;
    let claimed = bench.claim_one(&a_worker()).await;
    bench.fail_for_good(&claimed).await;
    assert_eq!(bench.held_by("l").await, [failed]);
    assert_eq!(bench.blocked_by(behind).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_dismissed_run_that_comes_back_and_fails_holds_again(bench: Bench) {
    let (failed, behind) = bench.held_lane().await;
    bench.dismiss(failed).await;
    bench.resume(failed).await;
    assert_eq!(bench.blocked_by(behind).await, Some(BlockedBy::Lane));
    let claimed = bench.claim_one(&a_worker()).await;
    bench.fail_for_good(&claimed).await;
    assert_eq!(bench.held_by("l").await, [failed]);
}

pub(super) async fn cancelling_a_paused_holder_frees_the_lane(bench: Bench) {
    bench.lane_holds("l").await;
    let paused = bench.paused(a_run().lane("l")).await;
    let behind = bench.submit(a_run().lane("l")).await;
    bench.cancel(paused).await;
    assert_eq!(bench.held_by("l").await, []);
    assert!(bench.is_ready(behind).await);
}

pub(super) async fn a_lane_held_by_several_waits_for_all(bench: Bench) {
    bench.lane_holds("l").await;
    let ids = [RunId::new(), RunId::new()];
    // Held in the other order, listed in order of id.
    bench.paused(a_run().lane("l").id(ids[1])).await;
    bench.paused(a_run().lane("l").id(ids[0])).await;
    let behind = bench.submit(a_run().lane("l")).await;
    assert_eq!(bench.held_by("l").await, ids);
    bench.dismiss(ids[1]).await;
    assert_eq!(bench.blocked_by(behind).await, Some(BlockedBy::Lane));
    bench.dismiss(ids[0]).await;
    assert!(bench.is_ready(behind).await);
}

pub(super) async fn releasing_a_lane_lets_all_its_holders_go(bench: Bench) {
    bench.lane_holds("l").await;
    let holders = [bench.paused(a_run().lane("l")).await, bench.paused(a_run().lane("l")).await];
    let behind = bench.submit(a_run().lane("l")).await;
    assert_eq!(bench.release_lane("l").await, 2);
    assert_eq!(bench.held_by("l").await, []);
    assert_eq!(bench.statuses(&holders).await, [Status::Paused; 2]);
    assert!(bench.is_ready(behind).await);
    assert_eq!(bench.release_lane("l").await, 0);
}

pub(super) async fn a_lane_that_is_to_continue_is_free(bench: Bench) {
    let (_, behind) = bench.held_lane().await;
    bench.set_lane_policy("l", LanePolicy::Continue).await;
    assert_eq!(bench.held_by("l").await, []);
    assert!(bench.is_ready(behind).await);
}

pub(super) async fn a_policy_holds_for_what_happens_after_it(bench: Bench) {
    bench.failed(a_run().lane("l")).await;
    bench.lane_holds("l").await;
    assert_eq!(bench.held_by("l").await, []);
    let next = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(next).await);
}

pub(super) async fn setting_the_policy_again_changes_nothing(bench: Bench) {
    bench.held_lane().await;
    let before = bench.everything().await;
    bench.lane_holds("l").await;
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_hold_is_its_own_lanes_alone(bench: Bench) {
    bench.held_lane().await;
    let other = bench.submit(a_run().lane("m")).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [other]);
    assert_eq!(bench.release_lane("m").await, 0);
    assert_eq!(bench.held_by("l").await.len(), 1);
}
