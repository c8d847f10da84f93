//! Renewing leases, and learning what was asked meanwhile.

use super::prelude::*;
use crate::store::Renew;

const RENEWED: Renewal = Renewal::Renewed { stop: None };

pub(super) async fn a_renewed_lease_lasts_from_then_on(bench: Bench) {
    let claimed = bench.running().await;
    bench.wait(20);
    assert_eq!(bench.renew(claimed.lease()).await, RENEWED);
    let tenure = bench.run(claimed.run.id).await.execution().map(|execution| execution.tenure);
    assert_eq!(tenure, Some(Tenure::Leased { until: bench.now() + LEASE }));
    bench.wait(29);
    assert_eq!(bench.reap().await, []);
    assert_eq!(bench.renew(claimed.lease()).await, RENEWED);
}

pub(super) async fn renewing_changes_nothing_but_the_lease(bench: Bench) {
    let claimed = bench.running().await;
    let before = bench.run(claimed.run.id).await;
    bench.renew(claimed.lease()).await;
    let after = bench.run(claimed.run.id).await;
    assert_eq!(Run { revision: before.revision, ..after }, before);
}

pub(super) async fn a_renewal_tells_that_a_cancel_was_asked_for(bench: Bench) {
    let claimed = bench.running().await;
    bench.cancel(claimed.run.id).await;
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
}

pub(super) async fn a_renewal_tells_that_a_pause_was_asked_for(bench: Bench) {
    let claimed = bench.running().await;
    bench.pause(claimed.run.id).await;
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: Some(Stop::Pause) });
}

pub(super) async fn a_lease_that_ran_out_cannot_be_renewed_even_before_the_reaper_came(bench: Bench) {
    let claimed = bench.running().await;
    bench.clock.advance(LEASE);
    let before = bench.everything().await;
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_lease_can_be_renewed_until_it_runs_out(bench: Bench) {
    let claimed = bench.running().await;
    bench.clock.advance(LEASE - jiff::SignedDuration::from_micros(1));
    assert_eq!(bench.renew(claimed.lease()).await, RENEWED);
}

pub(super) async fn an_orphaned_run_cannot_be_renewed(bench: Bench) {
    let claimed = bench.running().await;
    bench.lose_workers().await;
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::LeaseLost);
}

pub(super) async fn another_epoch_cannot_be_renewed(bench: Bench) {
    let claimed = bench.running().await;
    let before = bench.everything().await;
    for epoch in [claimed.run.epoch - 1, claimed.run.epoch + 1] {
        assert_eq!(bench.renew(Lease { epoch, ..claimed.lease() }).await, Renewal::LeaseLost);
    }
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_run_that_is_over_or_waits_cannot_be_renewed(bench: Bench) {
    let finished = bench.running().await;
    bench.succeed(&finished).await;
    assert_eq!(bench.renew(finished.lease()).await, Renewal::LeaseLost);
    let retrying = bench.running().await;
    bench.fail(&retrying).await;
    assert_eq!(bench.renew(retrying.lease()).await, Renewal::LeaseLost);
    let queued = bench.submit(a_run()).await;
    assert_eq!(bench.renew(Lease { run: queued, epoch: 0 }).await, Renewal::LeaseLost);
}

pub(super) async fn an_unknown_run_cannot_be_renewed(bench: Bench) {
    assert_eq!(bench.renew(Lease { run: RunId::new(), epoch: 1 }).await, Renewal::LeaseLost);
}

pub(super) async fn renewals_are_answered_one_by_one_in_order(bench: Bench) {
    bench.submit_all([a_run(), a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    bench.cancel(claimed[2].run.id).await;
    bench.succeed(&claimed[1]).await;
    let leases: Vec<Renew> = [2, 1, 0, 2].iter().map(|at| claimed[*at].lease().into()).collect();
    let renewals = bench.store.renew(&leases, LEASE).await.expect("renew answers");
    let cancelled = Renewal::Renewed { stop: Some(Stop::Cancel) };
    assert_eq!(renewals, [cancelled, Renewal::LeaseLost, RENEWED, cancelled]);
    assert_eq!(bench.store.renew(&[], LEASE).await.expect("renew answers"), []);
}
