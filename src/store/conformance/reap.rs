//! Clearing leases that ran out.

use super::prelude::*;

pub(super) async fn a_lease_that_ran_out_is_cleared(bench: Bench) {
    let claimed = bench.running().await;
    let end = bench.now() + LEASE;
    bench.wait(40);
    assert_eq!(bench.reap().await, [claimed.run.id]);
    let run = bench.run(claimed.run.id).await;
    let execution = run.execution().expect("it is still running");
    assert_eq!(execution.tenure, Tenure::Orphaned { since: end });
    assert_eq!((run.attempt, run.epoch), (1, 1));
}

pub(super) async fn a_lease_is_cleared_at_the_very_end(bench: Bench) {
    let claimed = bench.running().await;
    bench.clock.advance(LEASE - jiff::SignedDuration::from_micros(1));
    assert_eq!(bench.reap().await, []);
    bench.clock.advance(jiff::SignedDuration::from_micros(1));
    assert_eq!(bench.reap().await, [claimed.run.id]);
}

pub(super) async fn a_lease_is_cleared_once(bench: Bench) {
    bench.running().await;
    bench.lose_workers().await;
    bench.wait(100);
    assert_eq!(bench.reap().await, []);
}

pub(super) async fn a_renewed_lease_is_not_cleared(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    bench.wait(20);
    bench.renew(claimed[0].lease()).await;
    bench.wait(10);
    assert_eq!(bench.reap().await, [claimed[1].run.id]);
}

pub(super) async fn an_adopted_run_whose_worker_is_lost_is_cleared_again(bench: Bench) {
    let claimed = bench.running().await;
    bench.lose_workers().await;
    bench.claim_one(&a_worker()).await;
    assert_eq!(bench.reap().await, []);
    bench.clock.advance(LEASE);
    assert_eq!(bench.reap().await, [claimed.run.id]);
}

pub(super) async fn what_is_not_running_is_not_reaped(bench: Bench) {
    bench.succeeded(a_run()).await;
    bench.retrying(a_run()).await;
    bench.submit(a_run()).await;
    bench.wait(1000);
    assert_eq!(bench.reap().await, []);
}

pub(super) async fn a_run_left_for_adoption_is_not_reaped(bench: Bench) {
    let claimed = bench.running().await;
    bench.release(claimed.lease(), Release::ForAdoption).await;
    bench.wait(100);
    assert_eq!(bench.reap().await, []);
}

pub(super) async fn no_more_are_reaped_than_the_limit(bench: Bench) {
    bench.submit_all((0..3).map(|_| a_run())).await;
    bench.claim_all().await;
    bench.clock.advance(LEASE);
    let reap = async || bench.store.reap(2).await.expect("reap answers").len();
    assert_eq!((reap().await, reap().await, reap().await), (2, 1, 0));
}
