//! What a worker may have without a look around. A store need not give anything; what it gives is like any other claim.

use super::prelude::*;
use crate::store::{ClaimRequest, ClaimScope};

async fn known(bench: &Bench, worker: &AWorker, capacity: usize) -> Vec<Claimed> {
    bench.claim_as(&ClaimRequest { scope: ClaimScope::KnownStreams, ..worker.asks_for(capacity) }).await.runs
}

/// Has the stream claimed from, so that a store may know it.
async fn acquainted(bench: &Bench) -> AWorker {
    let worker = a_worker();
    bench.submit(a_run()).await;
    let claimed = bench.claim_one(&worker).await;
    bench.succeed(&claimed).await;
    worker
}

pub(super) async fn what_is_known_and_what_is_claimed_is_everything_once(bench: Bench) {
    let worker = acquainted(&bench).await;
    let mut submitted = Vec::new();
    for _ in 0..5 {
        submitted.push(bench.submit(a_run()).await);
    }
    let mut claimed = known(&bench, &worker, 3).await;
    assert!(claimed.len() <= 3, "no more than was asked for");
    claimed.extend(bench.claim(&worker, 10).await);
    let ids: Vec<RunId> = claimed.iter().map(|claimed| claimed.run.id).collect();
    assert_eq!(ids, submitted, "in the order of submission");
    for claimed in &claimed {
        assert_eq!((claimed.run.attempt, claimed.run.epoch, claimed.adopted), (1, 1, false));
        bench.succeed(claimed).await;
    }
    assert!(known(&bench, &worker, 3).await.is_empty());
}

pub(super) async fn a_paused_queue_is_left_alone(bench: Bench) {
    let worker = acquainted(&bench).await;
    bench.pause_queue("default").await;
    bench.submit(a_run()).await;
    assert!(known(&bench, &worker, 3).await.is_empty());
}

pub(super) async fn the_limit_of_a_queue_is_kept(bench: Bench) {
    let worker = acquainted(&bench).await;
    bench.limit_queue("default", 1).await;
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = known(&bench, &worker, 3).await.len() + known(&bench, &worker, 3).await.len();
    assert!(claimed + bench.claim(&worker, 3).await.len() <= 1);
}

pub(super) async fn only_the_queues_that_are_served_are_known(bench: Bench) {
    let worker = acquainted(&bench).await;
    bench.submit(a_run()).await;
    let request = ClaimRequest { scope: ClaimScope::KnownStreams, queues: vec![queue("other")], ..worker.asks_for(3) };
    assert!(bench.claim_as(&request).await.runs.is_empty());
}

pub(super) async fn a_blocked_run_is_not_ready_however_well_known(bench: Bench) {
    let worker = acquainted(&bench).await;
    bench.submit_all([a_run().due_in(10), a_run().held()]).await;
    assert!(known(&bench, &worker, 3).await.is_empty());
}
