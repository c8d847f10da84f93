//! What a worker may have along with the end of a run: whatever is ready. A store need not hand anything out; what it does is the
//! first of what a claim would have got.

use super::prelude::*;
use crate::store::{ClaimRequest, ClaimScope};

/// Ends the run with success and asks for what comes next; answers with that.
async fn end(bench: &Bench, claimed: &Claimed, next: &ClaimRequest) -> Vec<Claimed> {
    let finish = Finish::of(claimed.lease(), done());
    let answer = bench
        .store
        .finish_and_claim(&[finish], &ClaimRequest { scope: ClaimScope::KnownStreams, ..next.clone() })
        .await;
    let (outcomes, claim) = answer.expect("finish_and_claim answers");
    assert_eq!(outcomes, [FinishOutcome::Accepted(Status::Succeeded)]);
    claim.runs
}

fn ids(claimed: &[Claimed]) -> Vec<RunId> {
    claimed.iter().map(|claimed| claimed.run.id).collect()
}

pub(super) async fn what_comes_along_and_what_is_claimed_is_everything_once(bench: Bench) {
    let worker = a_worker();
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(bench.submit(a_run()).await);
    }
    let mut held = bench.claim(&worker, 1).await;
    let mut started = ids(&held);
    for _ in 0..3 {
        let mut next = end(&bench, &held[0], &worker.asks_for(1)).await;
        assert!(next.len() <= 1, "no more than was asked for");
        if next.is_empty() {
            next = bench.claim(&worker, 1).await;
        }
        assert_eq!((next[0].run.attempt, next[0].run.epoch, next[0].adopted), (1, 1, false));
        assert_eq!(bench.run(next[0].run.id).await, next[0].run, "as it is stored");
        assert_eq!(bench.renew(next[0].lease()).await, Renewal::Renewed { stop: None });
        started.extend(ids(&next));
        held = next;
    }
    assert_eq!(started, all);
    assert!(end(&bench, &held[0], &worker.asks_for(1)).await.is_empty());
    bench.nothing_to_claim().await;
}

pub(super) async fn the_most_urgent_comes_along_first(bench: Bench) {
    let worker = a_worker();
    let first = bench.submit(a_run()).await;
    let held = bench.claim_one(&worker).await;
    assert_eq!(held.run.id, first);
    let plain = bench.submit(a_run()).await;
    let urgent = bench.submit(a_run().priority(5)).await;
    let mut next = ids(&end(&bench, &held, &worker.asks_for(1)).await);
    next.extend(bench.claim_ids(&worker, 10).await);
    assert_eq!(next, [urgent, plain]);
}

pub(super) async fn of_a_lane_only_the_first_comes_along(bench: Bench) {
    let worker = a_worker();
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let third = bench.submit(a_run().lane("l")).await;
    let other = bench.submit(a_run()).await;
    let mut next = ids(&end(&bench, &first, &worker.asks_for(3)).await);
    next.extend(bench.claim_ids(&worker, 10).await);
    assert_eq!(next, [second, other]);
    assert_eq!(bench.blocked_by(third).await, Some(BlockedBy::Lane));
}

pub(super) async fn orphans_come_along_first_or_nothing_does(bench: Bench) {
    let worker = a_worker();
    let lost = bench.submit(a_run()).await;
    bench.claim_as(&ClaimRequest { lease_ttl: seconds(5), ..a_worker().asks_for(1) }).await;
    bench.submit_all([a_run(), a_run()]).await;
    let held = bench.claim_one(&worker).await;
    bench.wait(6);
    assert_eq!(bench.store.reap(10).await.expect("reap answers"), [lost]);
    let next = end(&bench, &held, &worker.asks_for(1)).await;
    assert!(next.iter().all(|claimed| claimed.run.id == lost && claimed.adopted), "{next:?}");
}

pub(super) async fn nothing_comes_along_from_a_paused_queue(bench: Bench) {
    let held = bench.started(a_run()).await;
    bench.submit(a_run()).await;
    bench.pause_queue("default").await;
    assert!(end(&bench, &held, &a_worker().asks_for(1)).await.is_empty());
    bench.nothing_to_claim().await;
}

pub(super) async fn the_limit_of_a_queue_is_kept(bench: Bench) {
    let held = bench.started(a_run()).await;
    bench.submit_all([a_run(), a_run(), a_run()]).await;
    bench.limit_queue("default", 2).await;
    let worker = a_worker();
    let mut next = end(&bench, &held, &worker.asks_for(3)).await;
    next.extend(bench.claim(&worker, 10).await);
    assert_eq!(next.len(), 2);
}

pub(super) async fn only_queues_that_are_served_come_along(bench: Bench) {
    let held = bench.started(a_run()).await;
    let other = bench.submit(a_run().queue("other")).await;
    assert!(end(&bench, &held, &a_worker().serving(&["default"]).asks_for(1)).await.is_empty());
    assert_eq!(bench.claim_ids(&a_worker().serving(&["other"]), 1).await, [other]);
}

pub(super) async fn every_workspace_has_its_turn(bench: Bench) {
    let other = bench.workspace("other").await;
    let worker = a_worker();
    bench.submit(a_run()).await;
    let mut claim = bench.claim_as(&worker.asks_for(1)).await;
    bench.submit_all([a_run(), a_run()]).await;
    bench.submit(a_run().of(other.as_str())).await;
    let request = ClaimRequest { last_turn: claim.last_turn.clone(), ..worker.asks_for(1) };
    let mut next = end(&bench, &claim.runs.remove(0), &request).await;
    if next.is_empty() {
        next = bench.claim_as(&request).await.runs;
    }
    assert_eq!(next[0].run.workspace, other);
}

pub(super) async fn a_blocked_run_does_not_come_along(bench: Bench) {
    let held = bench.started(a_run()).await;
    bench.submit_all([a_run().due_in(10), a_run().held()]).await;
    assert!(end(&bench, &held, &a_worker().asks_for(3)).await.is_empty());
}
