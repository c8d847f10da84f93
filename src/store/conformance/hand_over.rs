//! What a worker may have along with the end of a run: the next one of its lane. A store need not hand anything over; what it
//! does is what a claim would have got, and nobody is overtaken by it.

use super::prelude::*;
use crate::store::{ClaimRequest, ClaimScope};

/// Ends the run with success and asks for what comes next; answers with that.
async fn end(bench: &Bench, claimed: &Claimed, next: &ClaimRequest) -> Vec<Claimed> {
    let finish = Finish::of(claimed.lease(), done());
    let (outcomes, claim) =
        bench.store.finish_and_claim(&[finish], &of_lanes(next)).await.expect("finish_and_claim answers");
    assert_eq!(outcomes, [FinishOutcome::Accepted(Status::Succeeded)]);
    claim.runs
}

fn of_lanes(next: &ClaimRequest) -> ClaimRequest {
    ClaimRequest { scope: ClaimScope::FreedLanes, ..next.clone() }
}

fn ids(claimed: &[Claimed]) -> Vec<RunId> {
    claimed.iter().map(|claimed| claimed.run.id).collect()
}

pub(super) async fn what_is_handed_over_and_what_is_claimed_is_everything_once(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let third = bench.submit(a_run().lane("l")).await;
    let worker = a_worker();
    let mut next = end(&bench, &first, &worker.asks_for(1)).await;
    next.extend(bench.claim(&worker, 10).await);
    assert_eq!(ids(&next), [second]);
    assert_eq!((next[0].run.attempt, next[0].run.epoch, next[0].adopted), (1, 1, false));
    assert_eq!(bench.blocked_by(third).await, Some(BlockedBy::Lane));
    let stored = bench.run(second).await;
    assert_eq!(stored, next[0].run, "as it is stored");
    assert_eq!(stored.execution().map(|execution| execution.by.worker), Some(worker.taker.worker));
    assert_eq!(bench.renew(next[0].lease()).await, Renewal::Renewed { stop: None });
    let mut last = end(&bench, &next[0], &worker.asks_for(1)).await;
    last.extend(bench.claim(&worker, 10).await);
    assert_eq!(ids(&last), [third]);
    assert!(end(&bench, &last[0], &worker.asks_for(1)).await.is_empty(), "the lane is empty");
    bench.nothing_to_claim().await;
}

pub(super) async fn the_most_urgent_of_the_lane_is_handed_over(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let urgent = bench.submit(a_run().lane("l").priority(5)).await;
    let worker = a_worker();
    let mut next = end(&bench, &first, &worker.asks_for(1)).await;
    next.extend(bench.claim(&worker, 10).await);
    assert_eq!(ids(&next), [urgent]);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn nobody_who_is_ready_is_overtaken(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let urgent = bench.submit(a_run().priority(5)).await;
    let worker = a_worker();
    assert!(end(&bench, &first, &worker.asks_for(1)).await.is_empty());
    assert_eq!(bench.claim_ids(&worker, 10).await, [urgent, second]);
}

pub(super) async fn no_other_workspace_is_overtaken(bench: Bench) {
    let other = bench.workspace("other").await;
    let first = bench.started(a_run().lane("l")).await;
    bench.submit(a_run().lane("l")).await;
    bench.submit(a_run().of(other.as_str())).await;
    assert!(end(&bench, &first, &a_worker().asks_for(1)).await.is_empty());
}

pub(super) async fn orphans_come_first(bench: Bench) {
    let orphan = bench.started(a_run()).await;
    bench.lose_workers().await;
    let worker = a_worker().on("elsewhere");
    bench.submit(a_run().lane("l")).await;
    let first = bench.claim_one(&worker).await;
    bench.submit(a_run().lane("l")).await;
    assert!(end(&bench, &first, &worker.asks_for(1)).await.is_empty(), "{} is to be adopted", orphan.run.id);
}

pub(super) async fn a_paused_queue_hands_nothing_over(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.pause_queue("default").await;
    assert!(end(&bench, &first, &a_worker().asks_for(1)).await.is_empty());
    bench.nothing_to_claim().await;
    assert!(bench.is_ready(second).await, "its lane is free");
}

pub(super) async fn a_limited_queue_hands_nothing_over_that_the_limit_forbids(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    bench.started(a_run()).await;
    bench.submit(a_run().lane("l")).await;
    bench.limit_queue("default", 1).await;
    assert!(end(&bench, &first, &a_worker().asks_for(1)).await.is_empty());
    bench.nothing_to_claim().await;
}

pub(super) async fn only_queues_that_are_served_are_handed_over(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l").queue("other")).await;
    assert!(end(&bench, &first, &a_worker().serving(&["default"]).asks_for(1)).await.is_empty());
    assert!(bench.is_ready(second).await);
    assert_eq!(bench.claim_ids(&a_worker().serving(&["other"]), 1).await, [second]);
}

pub(super) async fn a_held_lane_hands_nothing_over(bench: Bench) {
    bench.store.set_lane_policy(&home(), &lane("l"), LanePolicy::Hold).await.expect("a policy");
    let first = bench.started(a_run().lane("l").max_attempts(1)).await;
    bench.submit(a_run().lane("l")).await;
    let finish = Finish::of(first.lease(), boom_for_good());
    let (outcomes, claim) = bench
        .store
        .finish_and_claim(&[finish], &of_lanes(&a_worker().asks_for(1)))
        .await
        .expect("finish_and_claim answers");
    assert_eq!((outcomes, claim.runs), (vec![FinishOutcome::Accepted(Status::Failed)], vec![]));
    bench.nothing_to_claim().await;
}

pub(super) async fn a_lost_lease_brings_nothing(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let stale = Lease { epoch: first.lease().epoch + 1, ..first.lease() };
    let finish = Finish::of(stale, done());
    let (outcomes, claim) = bench
        .store
        .finish_and_claim(&[finish], &of_lanes(&a_worker().asks_for(1)))
        .await
        .expect("finish_and_claim answers");
    assert_eq!((outcomes, claim.runs), (vec![FinishOutcome::LeaseLost], vec![]));
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn no_more_is_handed_over_than_was_asked_for(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    assert!(end(&bench, &first, &a_worker().asks_for(0)).await.is_empty());
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [second]);
}
