//! Lanes: one at a time, in order.

use super::prelude::*;

pub(super) async fn only_the_first_of_a_lane_is_ready(bench: Bench) {
    let first = bench.submit(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(first).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [first]);
    bench.nothing_to_claim().await;
}

pub(super) async fn a_batch_is_put_in_line_too(bench: Bench) {
    let runs = [a_run().lane("l"), a_run().lane("l"), a_run().lane("m")];
    let ids = runs.clone().map(|run| run.0.id);
    bench.submit_all(runs).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [ids[0], ids[2]]);
}

pub(super) async fn a_lane_goes_on_in_the_call_that_ends_its_run(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let third = bench.submit(a_run().lane("l")).await;
    bench.succeed(&first).await;
    assert!(bench.is_ready(second).await);
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [second]);
    assert_eq!(bench.blocked_by(third).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_lane_is_first_in_first_out(bench: Bench) {
    let (low, high) = (RunId::new(), RunId::new());
    let ids = [bench.submit(a_run().lane("l").id(high)).await, bench.submit(a_run().lane("l").id(low)).await];
    let last = bench.submit(a_run().lane("l")).await;
    for expected in [ids[0], ids[1], last] {
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, expected);
        bench.succeed(&claimed).await;
    }
}

pub(super) async fn a_more_urgent_run_overtakes_one_that_has_not_started(bench: Bench) {
    let first = bench.submit(a_run().lane("l")).await;
    let urgent = bench.submit(a_run().lane("l").priority(1)).await;
    assert_eq!(bench.blocked_by(first).await, Some(BlockedBy::Lane));
    let claimed = bench.claim(&a_worker(), 10).await;
    assert_eq!(claimed.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [urgent]);
    bench.succeed(&claimed[0]).await;
    assert!(bench.is_ready(first).await);
}

pub(super) async fn nothing_overtakes_a_run_that_has_started(bench: Bench) {
    bench.started(a_run().lane("l")).await;
    let urgent = bench.submit(a_run().lane("l").priority(1000)).await;
    assert_eq!(bench.blocked_by(urgent).await, Some(BlockedBy::Lane));
    bench.nothing_to_claim().await;
}

pub(super) async fn a_retrying_run_keeps_its_lane(bench: Bench) {
    let first = bench.retrying(a_run().lane("l")).await;
    let urgent = bench.submit(a_run().lane("l").priority(1000)).await;
    bench.nothing_to_claim().await;
    bench.wait_for_retry().await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [first]);
    assert_eq!(bench.blocked_by(urgent).await, Some(BlockedBy::Lane));
}

pub(super) async fn an_orphaned_run_keeps_its_lane(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    bench.submit(a_run().lane("l")).await;
    bench.lose_workers().await;
    assert_eq!(bench.claim_ids(&a_worker().on("elsewhere"), 10).await, []);
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [first.run.id]);
}

pub(super) async fn an_interrupted_run_is_first_in_its_lane_again(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.release(first.lease(), Release::ToQueue).await;
    assert!(bench.is_ready(first.run.id).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn an_interrupted_run_may_be_overtaken(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let urgent = bench.submit(a_run().lane("l").priority(1)).await;
    bench.release(first.lease(), Release::ToQueue).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [urgent]);
    assert_eq!(bench.blocked_by(first.run.id).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_delayed_run_does_not_block_its_lane(bench: Bench) {
    let delayed = bench.submit(a_run().lane("l").due_in(60)).await;
    let second = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(second).await);
    bench.wait(60);
    assert_eq!(bench.promote().await, 1);
    // Older than the other, which has not started.
    assert!(bench.is_ready(delayed).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_delayed_run_waits_for_its_lane_when_its_time_has_come(bench: Bench) {
    let delayed = bench.submit(a_run().lane("l").due_in(60)).await;
    let running = bench.started(a_run().lane("l")).await;
    for _ in 0..3 {
        bench.wait(20);
        bench.renew(running.lease()).await;
    }
    bench.promote().await;
    assert_eq!(bench.blocked_by(delayed).await, Some(BlockedBy::Lane));
    bench.succeed(&running).await;
    assert!(bench.is_ready(delayed).await);
}

pub(super) async fn a_run_behind_an_upstream_does_not_block_its_lane(bench: Bench) {
    let upstream = bench.submit(a_run().priority(9)).await;
    let behind = bench.submit(a_run().lane("l").after(&[upstream])).await;
    let second = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(second).await);
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!(claimed.run.id, upstream);
    bench.succeed(&claimed).await;
    assert!(bench.is_ready(behind).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_pending_run_does_not_block_its_lane(bench: Bench) {
    bench.submit(a_run().lane("l").held()).await;
    let second = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(second).await);
}

pub(super) async fn a_cancelled_run_leaves_its_lane_to_the_next(bench: Bench) {
    let first = bench.submit(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.cancel(first).await;
    assert!(bench.is_ready(second).await);
}

pub(super) async fn a_paused_run_leaves_its_lane_to_the_next(bench: Bench) {
    let first = bench.submit(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.pause(first).await;
    assert!(bench.is_ready(second).await);
    bench.resume(first).await;
    assert!(bench.is_ready(first).await);
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_paused_retry_leaves_its_lane_and_comes_back_in_line(bench: Bench) {
    let first = bench.retrying(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.pause(first).await;
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!(claimed.run.id, second);
    bench.resume(first).await;
    assert_eq!(bench.blocked_by(first).await, Some(BlockedBy::Lane));
    bench.succeed(&claimed).await;
    assert!(bench.is_ready(first).await);
}

pub(super) async fn a_failed_run_leaves_a_lane_that_continues(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.fail_for_good(&first).await;
    assert!(bench.is_ready(second).await);
}

pub(super) async fn a_run_back_from_history_waits_for_its_lane(bench: Bench) {
    let first = bench.failed(a_run().lane("l")).await;
    let second = bench.started(a_run().lane("l")).await;
    bench.resume(first).await;
    assert_eq!(bench.blocked_by(first).await, Some(BlockedBy::Lane));
    bench.succeed(&second).await;
    assert!(bench.is_ready(first).await);
}

pub(super) async fn lanes_do_not_block_each_other(bench: Bench) {
    bench.started(a_run().lane("a")).await;
    let other = bench.submit(a_run().lane("b")).await;
    let none = bench.submit(a_run()).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [other, none]);
}

pub(super) async fn a_lane_spans_queues(bench: Bench) {
    let first = bench.started(a_run().lane("l").queue("a")).await;
    let second = bench.submit(a_run().lane("l").queue("b")).await;
    assert_eq!(bench.blocked_by(second).await, Some(BlockedBy::Lane));
    bench.succeed(&first).await;
    assert!(bench.is_ready(second).await);
}

pub(super) async fn lanes_belong_to_a_workspace(bench: Bench) {
    bench.workspace("other").await;
    bench.started(a_run().lane("l")).await;
    let foreign = bench.submit(a_run().lane("l").of("other")).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [foreign]);
}

pub(super) async fn two_lanes_go_on_in_one_call(bench: Bench) {
    bench.submit_all(["a", "a", "b", "b"].map(|lane| a_run().lane(lane))).await;
    let claimed = bench.claim_all().await;
    let finishes: Vec<Finish> = claimed.iter().map(|claimed| Finish::of(claimed.lease(), done())).collect();
    bench.store.finish(&finishes).await.expect("finish answers");
    assert_eq!(bench.claim_all().await.len(), 2);
}

pub(super) async fn a_lane_tells_who_is_in_it(bench: Bench) {
    assert_eq!(bench.lane("l").await, None);
    let first = bench.started(a_run().lane("l")).await;
    bench.submit_all([a_run().lane("l"), a_run().lane("l").due_in(60), a_run().lane("l").held()]).await;
    let lane = bench.lane("l").await.expect("it has live runs");
    assert_eq!((lane.policy, lane.occupant, lane.waiting), (LanePolicy::Continue, Some(first.run.id), 2));
    assert_eq!(lane.held_by, []);
    bench.fail(&first).await;
    assert_eq!(bench.lane("l").await.and_then(|lane| lane.occupant), Some(first.run.id));
}

pub(super) async fn a_lane_whose_runs_are_over_is_not_listed(bench: Bench) {
    bench.succeeded(a_run().lane("l")).await;
    assert_eq!(bench.lane("l").await, None);
}

pub(super) async fn a_lane_with_a_policy_is_listed(bench: Bench) {
    bench.lane_holds("l").await;
    let lane = bench.lane("l").await.expect("it has a policy");
    assert_eq!((lane.policy, lane.occupant, lane.waiting), (LanePolicy::Hold, None, 0));
}

pub(super) async fn lanes_are_listed_by_name_in_pages(bench: Bench) {
    bench.submit_all(["c", "a", "d", "b", "e"].map(|name| a_run().lane(name))).await;
    let (mut names, mut page) = (Vec::new(), Page::first(2));
    loop {
        let listed = bench.store.lanes(&home(), None, &page).await.expect("lanes answers");
        assert!(listed.data.len() <= 2);
        names.extend(listed.data.into_iter().map(|lane| lane.name.to_string()));
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
}

pub(super) async fn one_lane_is_looked_up_by_name(bench: Bench) {
    bench.submit_all(["a", "ab", "b"].map(|name| a_run().lane(name))).await;
    let only = |name, page| {
        let (store, name) = (std::sync::Arc::clone(&bench.store), lane(name));
        async move {
            let listed = store.lanes(&home(), Some(&name), &page).await.expect("lanes answers");
            assert_eq!(listed.next, None);
            listed.data.iter().map(|lane| lane.name.to_string()).collect::<Vec<_>>()
        }
    };
    assert_eq!(only("ab", Page::first(1)).await, ["ab"]);
    assert_eq!(only("ac", Page::first(1)).await, [""; 0]);
    assert_eq!(only("ab", Page { limit: 1, after: Some(lane("ab")) }).await, [""; 0]);
    assert_eq!(only("ab", Page { limit: 1, after: Some(lane("a")) }).await, ["ab"]);
}
