//! Claiming ready runs: who gets what, in which order.

use super::prelude::*;

pub(super) async fn a_claim_starts_the_first_attempt_under_a_lease(bench: Bench) {
    let id = bench.submit(a_run()).await;
    bench.wait(2);
    let worker = a_worker().on("elsewhere");
    let claimed = bench.claim_one(&worker).await;
    assert!(!claimed.adopted);
    let run = bench.run(id).await;
    assert_eq!((run.status(), run.attempt, run.epoch), (Status::Running, 1, 1));
    assert_eq!(run.started_at, Some(bench.now()));
    let execution = run.execution().expect("it is running");
    assert_eq!((execution.by.worker, &execution.by.host), (worker.taker.worker, &host("elsewhere")));
    assert_eq!(execution.by.started_at, bench.now());
    assert_eq!((execution.tenure, execution.stop), (Tenure::Leased { until: bench.now() + LEASE }, None));
    assert_eq!((claimed.run.state, claimed.run.attempt, claimed.run.epoch), (run.state, 1, 1));
}

pub(super) async fn the_oldest_is_claimed_first(bench: Bench) {
    let (low, high) = (RunId::new(), RunId::new());
    bench.submit(a_run().id(high)).await;
    bench.submit(a_run().id(low)).await;
    assert_eq!(bench.claim_ids(&a_worker(), 2).await, [high, low]);
}

pub(super) async fn higher_priority_goes_before_age(bench: Bench) {
    let normal = bench.submit(a_run()).await;
    let low = bench.submit(a_run().priority(-1000)).await;
    let high = bench.submit(a_run().priority(1000)).await;
    let also_high = bench.submit(a_run().priority(1000)).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [high, also_high, normal, low]);
}

pub(super) async fn a_claim_takes_no_more_than_its_capacity(bench: Bench) {
    bench.submit_all((0..5).map(|_| a_run())).await;
    assert_eq!(bench.claim(&a_worker(), 3).await.len(), 3);
    assert_eq!(bench.claim(&a_worker(), 3).await.len(), 2);
}

pub(super) async fn a_claim_without_capacity_takes_nothing(bench: Bench) {
    let lost = bench.running().await;
    bench.lose_workers().await;
    bench.submit(a_run()).await;
    let before = bench.everything().await;
    assert_eq!(bench.claim(&a_worker(), 0).await, []);
    assert_eq!(bench.everything().await, before);
    assert_eq!(bench.status(lost.run.id).await, Status::Running);
}

pub(super) async fn an_empty_store_has_nothing_to_claim(bench: Bench) {
    bench.nothing_to_claim().await;
}

pub(super) async fn a_claimed_run_is_not_claimed_again(bench: Bench) {
    bench.running().await;
    bench.nothing_to_claim().await;
}

pub(super) async fn only_ready_runs_are_claimed(bench: Bench) {
    let upstream = bench.submit(a_run().held()).await;
    bench.submit(a_run().due_in(1)).await;
    bench.submit(a_run().after(&[upstream])).await;
    bench.paused(a_run()).await;
    bench.cancelled(a_run()).await;
    bench.nothing_to_claim().await;
}

pub(super) async fn a_worker_claims_from_the_queues_it_serves(bench: Bench) {
    let images = bench.submit(a_run().queue("images").priority(-5)).await;
    let mail = bench.submit(a_run().queue("mail")).await;
    let other = bench.submit(a_run().priority(5)).await;
    assert_eq!(bench.claim_ids(&a_worker().serving(&["nothing"]), 10).await, []);
    assert_eq!(bench.claim_ids(&a_worker().serving(&["images"]), 10).await, [images]);
    assert_eq!(bench.claim_ids(&a_worker().serving(&["mail", "default"]), 10).await, [other, mail]);
}

pub(super) async fn a_worker_that_names_no_queue_serves_all(bench: Bench) {
    let runs = [bench.submit(a_run().queue("a")).await, bench.submit(a_run().queue("b")).await];
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, runs);
}

pub(super) async fn every_claim_counts_an_attempt_and_a_new_epoch(bench: Bench) {
    let first = bench.running().await;
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    assert_eq!((first.run.attempt, first.run.epoch), (1, 1));
    assert_eq!((second.run.attempt, second.run.epoch), (2, 2));
}

pub(super) async fn a_run_has_started_when_its_first_attempt_did(bench: Bench) {
    let first = bench.running().await;
    let started = bench.now();
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    assert_eq!(second.run.started_at, Some(started));
    assert_eq!(second.run.execution().map(|execution| execution.by.started_at), Some(bench.now()));
}

pub(super) async fn the_length_of_a_lease_is_the_workers_to_ask_for(bench: Bench) {
    bench.submit(a_run()).await;
    let mut request = a_worker().asks_for(1);
    request.lease_ttl = seconds(5);
    let claimed = bench.claim_as(&request).await.runs.remove(0);
    bench.wait(4);
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: None });
    bench.clock.advance(LEASE);
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::LeaseLost);
}

pub(super) async fn a_retry_goes_by_its_age_like_any_run(bench: Bench) {
    let old = bench.retrying(a_run()).await;
    let young = bench.submit(a_run()).await;
    bench.wait_for_retry().await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [old, young]);
}
