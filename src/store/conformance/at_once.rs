//! Callers at the same time: whatever the order, the promises hold.

use futures::future::join_all;

use super::prelude::*;

/// How many call at the same time.
const CALLERS: usize = 8;

pub(super) async fn a_run_is_claimed_by_one_worker(bench: Bench) {
    bench.submit_all((0..40).map(|_| a_run())).await;
    let workers: Vec<AWorker> = (0..CALLERS).map(|_| a_worker()).collect();
    let claims = join_all(workers.iter().map(|worker| bench.claim_ids(worker, 10))).await;
    let mut ids: Vec<RunId> = claims.into_iter().flatten().chain(bench.claim_ids(&a_worker(), 100).await).collect();
    assert_eq!(ids.len(), 40);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 40);
}

pub(super) async fn an_orphan_is_adopted_by_one_worker(bench: Bench) {
    let orphan = bench.running().await;
    bench.lose_workers().await;
    let workers: Vec<AWorker> = (0..CALLERS).map(|_| a_worker()).collect();
    let claims = join_all(workers.iter().map(|worker| bench.claim(worker, 5))).await;
    let adopted: Vec<Claimed> = claims.into_iter().flatten().collect();
    assert!(adopted.len() <= 1);
    let run = bench.run(orphan.run.id).await;
    assert_eq!(run.epoch, orphan.run.epoch + adopted.len() as i64);
}

pub(super) async fn a_lane_never_has_two_running(bench: Bench) {
    bench.submit_all((0..20).map(|_| a_run().lane("l"))).await;
    let mut done_with = 0;
    while done_with < 20 {
        let workers: Vec<AWorker> = (0..CALLERS).map(|_| a_worker()).collect();
        let claims = join_all(workers.iter().map(|worker| bench.claim(worker, 5))).await;
        let claimed: Vec<Claimed> = claims.into_iter().flatten().chain(bench.claim_all().await).collect();
        assert_eq!(claimed.len(), 1);
        bench.succeed(&claimed[0]).await;
        done_with += 1;
    }
}

pub(super) async fn a_queues_limit_holds_for_all_workers(bench: Bench) {
    bench.limit_queue("default", 3).await;
    bench.submit_all((0..20).map(|_| a_run())).await;
    let workers: Vec<AWorker> = (0..CALLERS).map(|_| a_worker()).collect();
    let claims = join_all(workers.iter().map(|worker| bench.claim(worker, 2))).await;
    assert!(claims.iter().flatten().count() <= 3);
    bench.claim_all().await;
    assert_eq!(bench.queue("default").await.map(|queue| queue.running), Some(3));
}

pub(super) async fn a_bounded_queue_is_never_exceeded(bench: Bench) {
    let submit = || bench.submit_into(room_for(10), [a_run(), a_run(), a_run()]);
    let outcomes = join_all((0..CALLERS).map(|_| submit())).await;
    let created = outcomes.iter().flatten().filter(|outcome| **outcome == SubmitOutcome::Created).count();
    assert_eq!((created, bench.list(RunFilter::default()).await.len()), (10, 10));
}

pub(super) async fn the_same_request_is_stored_once(bench: Bench) {
    let outcomes = join_all((0..CALLERS).map(|_| bench.try_submit(a_run().idempotent("k", "f")))).await;
    let runs = bench.list(RunFilter::default()).await;
    assert_eq!(runs.len(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == SubmitOutcome::Created).count(), 1);
    let existing = SubmitOutcome::Existing(runs[0]);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == existing).count(), CALLERS - 1);
}

pub(super) async fn a_run_key_names_one_run(bench: Bench) {
    let outcomes = join_all((0..CALLERS).map(|_| bench.try_submit(a_run().key("k", KeyMode::Replace)))).await;
    let runs = bench.list(RunFilter::default()).await;
    assert_eq!(runs.len(), 1);
    let replaced = SubmitOutcome::Replaced(runs[0]);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == replaced).count(), CALLERS - 1);
}

pub(super) async fn one_of_many_outcomes_is_accepted(bench: Bench) {
    let claimed = bench.running().await;
    let outcomes = join_all((0..CALLERS).map(|_| bench.finish(claimed.lease(), done()))).await;
    let accepted = FinishOutcome::Accepted(Status::Succeeded);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == accepted).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == FinishOutcome::LeaseLost).count(), CALLERS - 1);
}

pub(super) async fn a_cancel_that_races_a_finish_says_who_won(bench: Bench) {
    for _ in 0..CALLERS {
        let claimed = bench.running().await;
        let fail = bench.fail(&claimed);
        let (cancel, finish) = futures::future::join(bench.cancel(claimed.run.id), fail).await;
        let ended = bench.status(claimed.run.id).await;
        match finish {
            FinishOutcome::Accepted(Status::Cancelled) => assert_eq!(cancel, CommandOutcome::CancelRequested),
            FinishOutcome::Accepted(Status::Retrying) => assert_eq!(cancel, CommandOutcome::Cancelled),
            other => panic!("{other:?}"),
        }
        assert_eq!(ended, Status::Cancelled);
    }
}

pub(super) async fn events_of_callers_at_once_leave_no_gap(bench: Bench) {
    let claimed = bench.running().await;
    join_all((0..CALLERS).map(|_| bench.log(claimed.lease(), &["a", "b"]))).await;
    let seqs: Vec<i64> = bench.events(claimed.run.id).await.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=2 * CALLERS as i64).collect::<Vec<_>>());
}

pub(super) async fn an_upstream_that_ends_while_it_is_named_is_not_missed(bench: Bench) {
    for _ in 0..CALLERS {
        let upstream = bench.running().await;
        let run = a_run().after(&[upstream.run.id]);
        let id = run.0.id;
        futures::future::join(bench.succeed(&upstream), bench.submit(run)).await;
        assert!(bench.is_ready(id).await);
        bench.cancel(id).await;
    }
}

pub(super) async fn a_lane_that_is_freed_while_it_is_joined_goes_on(bench: Bench) {
    for _ in 0..CALLERS {
        let running = bench.started(a_run().lane("l")).await;
        let (id, ()) = futures::future::join(bench.submit(a_run().lane("l")), bench.succeed(&running)).await;
        assert!(bench.is_ready(id).await);
        bench.cancel(id).await;
    }
}
