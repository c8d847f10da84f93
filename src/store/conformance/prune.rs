//! Forgetting what is over and old.

use super::prelude::*;

const DAY: i64 = 86_400;

impl Bench {
    /// Keeps what ended within a day, workers seen within an hour, and the audit log for two days.
    async fn prune(&self) -> Pruned {
        self.prune_up_to(100).await
    }

    async fn prune_up_to(&self, limit: usize) -> Pruned {
        let retention = Retention {
            finished: seconds(DAY),
            workers: seconds(3600),
            audit: seconds(2 * DAY),
            usage: seconds(3 * DAY),
        };
        self.store.prune(&retention, limit).await.expect("prune answers")
    }
}

pub(super) async fn an_old_finished_run_is_forgotten_with_all_that_was_of_it(bench: Bench) {
    let claimed = bench.running().await;
    bench.log(claimed.lease(), &["a"]).await;
    bench.succeed(&claimed).await;
    bench.wait(DAY);
    assert_eq!(bench.prune().await, Pruned { runs: 1, ..Pruned::default() });
    assert_eq!(bench.find(claimed.run.id).await, None);
    assert_eq!(bench.store.attempts(&home(), claimed.run.id).await.expect("attempts answers"), None);
    assert_eq!(bench.store.events(&home(), claimed.run.id, 0, 9).await.expect("events answers"), None);
    assert_eq!(bench.list(RunFilter::default()).await, []);
}

pub(super) async fn every_ending_is_forgotten(bench: Bench) {
    bench.succeeded(a_run()).await;
    bench.failed(a_run()).await;
    bench.timed_out(a_run()).await;
    bench.cancelled(a_run()).await;
    bench.wait(DAY);
    assert_eq!(bench.prune().await.runs, 4);
}

pub(super) async fn what_is_not_old_is_kept(bench: Bench) {
    bench.submit(a_run()).await;
    bench.wait(DAY);
    let claimed = bench.claim_one(&a_worker()).await;
    bench.succeed(&claimed).await;
    bench.wait(DAY - 1);
    let before = bench.everything().await;
    assert_eq!(bench.prune().await, Pruned::default());
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn what_is_not_over_is_kept(bench: Bench) {
    bench.running().await;
    bench.paused(a_run()).await;
    bench.submit_all([a_run(), a_run().held()]).await;
    bench.wait(100 * DAY);
    let before = bench.everything().await;
    assert_eq!(bench.prune().await, Pruned::default());
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_run_that_holds_its_lane_is_kept(bench: Bench) {
    bench.lane_holds("l").await;
    let holder = bench.failed(a_run().lane("l")).await;
    bench.wait(2 * DAY);
    assert_eq!(bench.prune().await.runs, 0);
    assert_eq!(bench.held_by("l").await, [holder]);
    bench.dismiss(holder).await;
    assert_eq!(bench.prune().await.runs, 1);
}

pub(super) async fn a_run_that_came_back_is_kept(bench: Bench) {
    let id = bench.failed(a_run()).await;
    bench.resume(id).await;
    bench.wait(2 * DAY);
    assert_eq!(bench.prune().await.runs, 0);
    assert_eq!(bench.status(id).await, Status::Queued);
}

pub(super) async fn no_more_runs_are_forgotten_than_the_limit(bench: Bench) {
    for _ in 0..3 {
        bench.succeeded(a_run()).await;
    }
    bench.wait(DAY);
    let pruned = (bench.prune_up_to(2).await.runs, bench.prune_up_to(2).await.runs, bench.prune_up_to(2).await.runs);
    assert_eq!(pruned, (2, 1, 0));
}

pub(super) async fn idempotency_keys_are_forgotten_when_their_time_is_over(bench: Bench) {
    let first = bench.submit(a_run().idempotent("k", "f")).await;
    bench.wait(3599);
    assert_eq!(bench.prune().await, Pruned::default());
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Existing(first));
    bench.wait(1);
    assert_eq!(bench.prune().await, Pruned { idempotency_keys: 1, ..Pruned::default() });
}

pub(super) async fn workers_that_vanished_or_left_are_forgotten(bench: Bench) {
    let (silent, alive, left) = (a_worker(), a_worker(), a_worker());
    bench.store.heartbeat(&silent.info()).await.expect("heartbeat answers");
    bench.store.heartbeat(&left.info()).await.expect("heartbeat answers");
    bench.store.leave(left.taker.worker).await.expect("leave answers");
    bench.wait(3599);
    bench.store.heartbeat(&alive.info()).await.expect("heartbeat answers");
    assert_eq!(bench.prune().await, Pruned::default());
    bench.wait(1);
    assert_eq!(bench.prune().await, Pruned { workers: 2, ..Pruned::default() });
    let workers = bench.store.workers().await.expect("workers answers");
    assert_eq!(workers.iter().map(|worker| worker.info.id).collect::<Vec<_>>(), [alive.taker.worker]);
}

pub(super) async fn a_forgotten_run_is_unknown_as_an_upstream(bench: Bench) {
    let id = bench.succeeded(a_run()).await;
    bench.wait(DAY);
    bench.prune().await;
    assert_eq!(bench.try_submit(a_run().after(&[id])).await, SubmitOutcome::UnknownUpstream(id));
}
