//! Adoption: taking over attempts whose worker stopped renewing.

use super::prelude::*;

impl Bench {
    /// A run whose worker, on the host `here`, is gone.
    async fn orphan(&self) -> Claimed {
        let claimed = self.running().await;
        self.lose_workers().await;
        claimed
    }
}

pub(super) async fn a_worker_on_the_same_host_adopts_at_once(bench: Bench) {
    let orphan = bench.orphan().await;
    let worker = a_worker();
    let adopted = bench.claim_one(&worker).await;
    assert!(adopted.adopted);
    assert_eq!(adopted.run.id, orphan.run.id);
    let run = bench.run(orphan.run.id).await;
    let execution = run.execution().expect("it is running");
    assert_eq!(
        (execution.by.worker, execution.tenure),
        (worker.taker.worker, Tenure::Leased { until: bench.now() + LEASE })
    );
}

pub(super) async fn adoption_is_a_new_epoch_of_the_same_attempt(bench: Bench) {
    let orphan = bench.orphan().await;
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!((adopted.run.attempt, adopted.run.epoch), (1, orphan.run.epoch + 1));
    let started = |claimed: &Claimed| claimed.run.execution().map(|execution| execution.by.started_at);
    assert_eq!(started(&adopted), started(&orphan));
    assert_eq!(adopted.run.started_at, orphan.run.started_at);
}

pub(super) async fn however_often_a_run_is_adopted_it_is_one_attempt(bench: Bench) {
    let orphan = bench.orphan().await;
    for epoch in 2..=5 {
        let adopted = bench.claim_one(&a_worker()).await;
        assert_eq!((adopted.adopted, adopted.run.attempt, adopted.run.epoch), (true, 1, epoch));
        bench.lose_workers().await;
    }
    assert_eq!(bench.attempts(orphan.run.id).await.len(), 1);
}

pub(super) async fn another_host_waits_for_the_takeover_delay(bench: Bench) {
    let orphan = bench.orphan().await;
    let elsewhere = a_worker().on("elsewhere");
    bench.wait(59);
    assert_eq!(bench.claim_ids(&elsewhere, 10).await, []);
    bench.wait(1);
    let adopted = bench.claim_one(&elsewhere).await;
    assert_eq!((adopted.run.id, adopted.adopted), (orphan.run.id, true));
    let execution = adopted.run.execution().expect("it is running");
    assert_eq!(execution.by.host, host("elsewhere"));
}

pub(super) async fn the_takeover_delay_counts_from_the_end_of_the_lease(bench: Bench) {
    let claimed = bench.running().await;
    bench.clock.advance(LEASE + TAKEOVER);
    bench.reap().await;
    assert_eq!(bench.claim_ids(&a_worker().on("elsewhere"), 1).await, [claimed.run.id]);
}

pub(super) async fn orphans_go_before_anything_else(bench: Bench) {
    let orphan = bench.orphan().await;
    let urgent = bench.submit(a_run().priority(1000)).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [orphan.run.id, urgent]);
}

pub(super) async fn orphans_and_new_runs_share_the_capacity(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    assert_eq!(bench.claim_all().await.len(), 2);
    bench.lose_workers().await;
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = bench.claim(&a_worker(), 3).await;
    assert_eq!(claimed.iter().map(|claimed| claimed.adopted).collect::<Vec<_>>(), [true, true, false]);
}

pub(super) async fn orphans_are_adopted_in_the_order_of_the_queue(bench: Bench) {
    let first = bench.submit(a_run()).await;
    let second = bench.submit(a_run()).await;
    let urgent = bench.submit(a_run().priority(5)).await;
    bench.claim_all().await;
    bench.lose_workers().await;
    assert_eq!(bench.claim_ids(&a_worker(), 2).await, [urgent, first]);
    assert_eq!(bench.claim_ids(&a_worker(), 2).await, [second]);
}

pub(super) async fn an_adopted_run_is_adopted_once(bench: Bench) {
    bench.orphan().await;
    bench.claim_one(&a_worker()).await;
    bench.nothing_to_claim().await;
}

pub(super) async fn a_held_run_is_not_adopted(bench: Bench) {
    bench.running().await;
    bench.wait(29);
    assert_eq!(bench.reap().await, []);
    bench.nothing_to_claim().await;
}

pub(super) async fn a_worker_adopts_only_in_the_queues_it_serves(bench: Bench) {
    let orphan = bench.orphan().await;
    assert_eq!(bench.claim_ids(&a_worker().serving(&["mail"]), 10).await, []);
    assert_eq!(bench.claim_ids(&a_worker().serving(&["default"]), 10).await, [orphan.run.id]);
}

pub(super) async fn a_stop_asked_for_before_survives_adoption(bench: Bench) {
    let claimed = bench.running().await;
    bench.pause(claimed.run.id).await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!(adopted.run.execution().and_then(|execution| execution.stop), Some(Stop::Pause));
    assert_eq!(bench.renew(adopted.lease()).await, Renewal::Renewed { stop: Some(Stop::Pause) });
}

pub(super) async fn a_stop_asked_of_an_orphan_reaches_its_adopter(bench: Bench) {
    let orphan = bench.orphan().await;
    assert_eq!(bench.cancel(orphan.run.id).await, CommandOutcome::CancelRequested);
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.renew(adopted.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
}

pub(super) async fn the_first_worker_has_no_say_after_adoption(bench: Bench) {
    let orphan = bench.orphan().await;
    let adopted = bench.claim_one(&a_worker()).await;
    let before = bench.everything().await;
    assert_eq!(bench.renew(orphan.lease()).await, Renewal::LeaseLost);
    assert_eq!(bench.finish(orphan.lease(), done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.release(orphan.lease(), Release::ToQueue).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.log(orphan.lease(), &["late"]).await, AppendOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
    bench.succeed(&adopted).await;
}

pub(super) async fn adoption_takes_no_turn(bench: Bench) {
    bench.workspace("a").await;
    bench.workspace("b").await;
    bench.started(a_run().of("a")).await;
    bench.lose_workers().await;
    bench.submit_all([a_run().of("a"), a_run().of("b")]).await;
    let served = bench.claim_as(&a_worker().asks_for(2)).await.runs;
    let seen: Vec<_> = served.iter().map(|claimed| (claimed.adopted, claimed.run.workspace.as_str())).collect();
    assert_eq!(seen, [(true, "a"), (false, "a")]);
}
