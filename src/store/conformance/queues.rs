//! Queues: pausing them and limiting how many of their runs are running.

use super::prelude::*;

pub(super) async fn a_paused_queue_is_left_out(bench: Bench) {
    let held = bench.submit(a_run().queue("a")).await;
    let other = bench.submit(a_run().queue("b")).await;
    bench.pause_queue("a").await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [other]);
    bench.resume_queue("a").await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [held]);
}

pub(super) async fn pausing_a_queue_touches_no_run(bench: Bench) {
    let running = bench.running().await;
    let waiting = bench.submit(a_run()).await;
    let before = (bench.run(running.run.id).await, bench.run(waiting).await);
    bench.pause_queue("default").await;
    assert_eq!((bench.run(running.run.id).await, bench.run(waiting).await), before);
    assert_eq!(bench.renew(running.lease()).await, Renewal::Renewed { stop: None });
    bench.succeed(&running).await;
}

pub(super) async fn a_paused_queue_takes_submissions(bench: Bench) {
    bench.pause_queue("default").await;
    let id = bench.submit(a_run()).await;
    assert!(bench.is_ready(id).await);
    bench.nothing_to_claim().await;
}

pub(super) async fn orphans_of_a_paused_queue_are_adopted(bench: Bench) {
    let orphan = bench.running().await;
    bench.submit(a_run()).await;
    bench.pause_queue("default").await;
    bench.lose_workers().await;
    let claimed = bench.claim_all().await;
    assert_eq!(
        claimed.iter().map(|claimed| (claimed.run.id, claimed.adopted)).collect::<Vec<_>>(),
        [(orphan.run.id, true)]
    );
}

pub(super) async fn no_more_runs_are_running_than_the_limit_allows(bench: Bench) {
    bench.limit_queue("default", 2).await;
    bench.submit_all((0..5).map(|_| a_run())).await;
    assert_eq!(bench.claim_all().await.len(), 2);
    bench.nothing_to_claim().await;
}

pub(super) async fn a_run_that_ends_makes_room_under_the_limit(bench: Bench) {
    bench.limit_queue("default", 1).await;
    bench.submit_all((0..3).map(|_| a_run())).await;
    for outcome in [done(), boom(), Outcome::Paused] {
        let claimed = bench.claim_all().await;
        assert_eq!(claimed.len(), 1);
        bench.finish(claimed[0].lease(), outcome).await;
    }
    bench.nothing_to_claim().await;
}

pub(super) async fn a_released_run_makes_room_under_the_limit(bench: Bench) {
    bench.limit_queue("default", 1).await;
    let claimed = bench.running().await;
    bench.release(claimed.lease(), Release::ToQueue).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [claimed.run.id]);
}

pub(super) async fn orphans_count_under_the_limit_and_are_adopted(bench: Bench) {
    bench.limit_queue("default", 1).await;
    let orphan = bench.running().await;
    bench.submit(a_run()).await;
    bench.lose_workers().await;
    assert_eq!(bench.claim_ids(&a_worker().on("elsewhere"), 10).await, []);
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [orphan.run.id]);
}

pub(super) async fn a_full_queue_does_not_hold_up_others(bench: Bench) {
    bench.limit_queue("a", 1).await;
    bench.submit_all((0..5).map(|_| a_run().queue("a").priority(9))).await;
    bench.submit_all((0..5).map(|_| a_run().queue("b"))).await;
    let claimed = bench.claim(&a_worker(), 4).await;
    let queues: Vec<&str> = claimed.iter().map(|claimed| claimed.run.queue.as_str()).collect();
    assert_eq!(queues, ["a", "b", "b", "b"]);
}

pub(super) async fn a_limit_of_zero_lets_nothing_start(bench: Bench) {
    bench.limit_queue("default", 0).await;
    bench.submit(a_run()).await;
    bench.nothing_to_claim().await;
}

pub(super) async fn a_lifted_limit_lets_all_start(bench: Bench) {
    bench.limit_queue("default", 1).await;
    bench.submit_all((0..3).map(|_| a_run())).await;
    assert_eq!(bench.claim_all().await.len(), 1);
    let settings = bench.set_queue("default", QueueChange { paused: None, concurrency: Some(None) }).await;
    assert_eq!(settings, QueueSettings { paused: false, concurrency: None });
    assert_eq!(bench.claim_all().await.len(), 2);
}

pub(super) async fn a_limit_below_what_is_running_stops_nothing(bench: Bench) {
    bench.submit_all((0..3).map(|_| a_run())).await;
    let claimed = bench.claim_all().await;
    bench.limit_queue("default", 2).await;
    bench.submit(a_run()).await;
    bench.nothing_to_claim().await;
    bench.succeed(&claimed[0]).await;
    bench.nothing_to_claim().await;
    bench.succeed(&claimed[1]).await;
    assert_eq!(bench.claim_all().await.len(), 1);
}

pub(super) async fn a_change_leaves_the_rest_as_it_was(bench: Bench) {
    let limited = bench.set_queue("q", QueueChange { paused: None, concurrency: Some(Some(7)) }).await;
    assert_eq!(limited, QueueSettings { paused: false, concurrency: Some(7) });
    let paused = bench.set_queue("q", QueueChange { paused: Some(true), concurrency: None }).await;
    assert_eq!(paused, QueueSettings { paused: true, concurrency: Some(7) });
    assert_eq!(bench.set_queue("q", QueueChange::default()).await, paused);
    assert_eq!(bench.queue("q").await.map(|queue| queue.settings), Some(paused));
}

pub(super) async fn settings_belong_to_a_workspace(bench: Bench) {
    bench.workspace("other").await;
    bench.pause_queue("default").await;
    let foreign = bench.submit(a_run().of("other")).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [foreign]);
    let theirs = bench.store.queues(&workspace("other")).await.expect("queues answers");
    assert_eq!(theirs.iter().map(|queue| queue.settings).collect::<Vec<_>>(), [QueueSettings::default()]);
}

pub(super) async fn a_limit_counts_its_own_workspaces_runs(bench: Bench) {
    bench.workspace("other").await;
    bench.limit_queue("default", 1).await;
    bench.submit_all([a_run(), a_run(), a_run().of("other"), a_run().of("other")]).await;
    assert_eq!(bench.claim_all().await.len(), 3);
}

pub(super) async fn a_queue_tells_how_many_run_and_wait(bench: Bench) {
    let upstream = bench.submit(a_run().queue("q").held()).await;
    bench.started(a_run().queue("q")).await;
    bench.retrying(a_run().queue("q")).await;
    bench.succeeded(a_run().queue("q")).await;
    bench.paused(a_run().queue("q")).await;
    bench.submit_all([a_run().queue("q"), a_run().queue("q").after(&[upstream])]).await;
    let queue = bench.queue("q").await.expect("it has live runs");
    assert_eq!((queue.running, queue.waiting), (1, 3));
    assert_eq!(queue.settings, QueueSettings::default());
}

pub(super) async fn queues_are_listed_by_name_while_they_have_live_runs_or_settings(bench: Bench) {
    bench.succeeded(a_run().queue("over")).await;
    bench.submit_all([a_run().queue("c"), a_run().queue("a")]).await;
    bench.limit_queue("b", 3).await;
    let queues = bench.store.queues(&home()).await.expect("queues answers");
    assert_eq!(queues.iter().map(|queue| queue.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
}
