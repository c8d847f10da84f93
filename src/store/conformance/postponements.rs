//! Work that asks to be tried later: it burns no attempt, and may ask so often.

use super::prelude::*;
use crate::run::lifecycle::FREE_POSTPONEMENTS;

fn later(wait: i64) -> Outcome {
    Outcome::Failed { error: RunError::new("busy", "come back"), retry: Retry::Later(Some(seconds(wait))) }
}

pub(super) async fn work_that_asks_for_later_waits_and_burns_no_attempt(bench: Bench) {
    let claimed = bench.running().await;
    let answer = bench.finish(claimed.lease(), later(60)).await;
    assert_eq!(answer, FinishOutcome::Accepted(Status::Retrying));
    let run = bench.run(claimed.run.id).await;
    assert_eq!(run.state, State::Retrying(Some(BlockedBy::AvailableAt)));
    assert_eq!((run.attempt, run.postponements, run.available_at), (0, 1, bench.ahead(60)));
    assert_eq!(run.error, Some(RunError::new("busy", "come back")));
    bench.nothing_to_claim().await;
    bench.wait_for_retry().await;
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!((again.run.id, again.run.attempt, again.run.epoch), (run.id, 1, 2));
    bench.succeed(&again).await;
    assert_eq!(bench.run(run.id).await.postponements, 1);
}

pub(super) async fn postponements_beyond_the_free_ones_count_as_attempts(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(2)).await;
    for _ in 0..=FREE_POSTPONEMENTS {
        let claimed = bench.claim_one(&a_worker()).await;
        bench.finish(claimed.lease(), later(0)).await;
    }
    let run = bench.run(id).await;
    assert_eq!((run.status(), run.attempt, run.postponements), (Status::Retrying, 1, FREE_POSTPONEMENTS));
    let last = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.finish(last.lease(), later(0)).await, FinishOutcome::Accepted(Status::Failed));
    let run = bench.run(id).await;
    assert_eq!((run.attempt, run.postponements), (2, FREE_POSTPONEMENTS));
}

pub(super) async fn a_run_with_a_single_attempt_is_not_postponed(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    assert_eq!(bench.finish(claimed.lease(), later(5)).await, FinishOutcome::Accepted(Status::Failed));
    assert_eq!(bench.run(claimed.run.id).await.postponements, 0);
}

pub(super) async fn a_postponed_run_stays_in_its_lane(bench: Bench) {
    let first = bench.submit(a_run().lane("disk")).await;
    let second = bench.submit(a_run().lane("disk").priority(9)).await;
    let claimed = bench.claim_one(&a_worker()).await;
    bench.finish(claimed.lease(), later(30)).await;
    bench.nothing_to_claim().await;
    bench.wait_for_retry().await;
    assert_eq!(bench.claim_ids(&a_worker(), 2).await, [claimed.run.id]);
    assert!([first, second].contains(&claimed.run.id));
}

pub(super) async fn a_stale_lease_cannot_postpone_a_run(bench: Bench) {
    let claimed = bench.running().await;
    bench.finish(claimed.lease(), later(0)).await;
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.finish(claimed.lease(), later(60)).await, FinishOutcome::LeaseLost);
    let run = bench.run(again.run.id).await;
    assert_eq!((run.status(), run.attempt, run.postponements), (Status::Running, 1, 1));
}
