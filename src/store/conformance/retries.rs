//! Retries: when, how often, and how a run ends when they are used up.

use super::prelude::*;

const RETRYING: FinishOutcome = FinishOutcome::Accepted(Status::Retrying);

pub(super) async fn a_failed_attempt_waits_for_the_next_one(bench: Bench) {
    let id = bench.retrying(a_run()).await;
    let run = bench.run(id).await;
    assert_eq!(run.state, State::Retrying(Some(BlockedBy::AvailableAt)));
    assert_eq!(run.error, Some(RunError::new("boom", "it broke")));
    assert_eq!((run.attempt, run.max_attempts, run.finished_at()), (1, 3, None));
    bench.nothing_to_claim().await;
}

pub(super) async fn the_shortest_wait_is_a_second(bench: Bench) {
    let claimed = bench.running().await;
    bench.finish_with(claimed.lease(), boom(), Jitter(0)).await;
    assert_eq!(bench.run(claimed.run.id).await.available_at, bench.ahead(1));
}

pub(super) async fn the_longest_wait_grows_threefold(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(6)).await;
    for longest in [3, 9, 27, 60, 60] {
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(bench.finish_with(claimed.lease(), boom(), Jitter(u32::MAX)).await, RETRYING);
        assert_eq!(bench.run(id).await.available_at, bench.ahead(longest));
        bench.wait_for_retry().await;
    }
}

pub(super) async fn a_run_waits_as_its_own_policy_says(bench: Bench) {
    let claimed = bench.started(a_run().retry(500, 10, 4000)).await;
    bench.finish_with(claimed.lease(), boom(), Jitter(u32::MAX)).await;
    assert_eq!(bench.run(claimed.run.id).await.available_at, bench.ahead(4));
    bench.wait_for_retry().await;
    let claimed = bench.claim_one(&a_worker()).await;
    bench.finish_with(claimed.lease(), boom(), Jitter(0)).await;
    let half_a_second = bench.now() + jiff::SignedDuration::from_millis(500);
    assert_eq!(bench.run(claimed.run.id).await.available_at, half_a_second);
}

pub(super) async fn a_failure_may_name_its_wait(bench: Bench) {
    let claimed = bench.running().await;
    let outcome = Outcome::Failed { error: RunError::new("busy", "come back"), retry: Retry::After(seconds(700)) };
    assert_eq!(bench.finish_with(claimed.lease(), outcome, Jitter(u32::MAX)).await, RETRYING);
    assert_eq!(bench.run(claimed.run.id).await.available_at, bench.ahead(700));
}

pub(super) async fn a_wait_of_nothing_is_over_at_once(bench: Bench) {
    let claimed = bench.running().await;
    let outcome = Outcome::Failed { error: RunError::new("busy", "again"), retry: Retry::After(seconds(0)) };
    assert_eq!(bench.finish(claimed.lease(), outcome).await, RETRYING);
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [claimed.run.id]);
}

pub(super) async fn a_failure_may_forbid_another_attempt(bench: Bench) {
    let claimed = bench.running().await;
    bench.fail_for_good(&claimed).await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.attempt), (Status::Failed, 1));
}

pub(super) async fn a_retry_starts_when_its_time_has_come(bench: Bench) {
    let id = bench.retrying(a_run()).await;
    bench.clock.advance(jiff::SignedDuration::from_millis(999));
    assert_eq!(bench.promote().await, 0);
    bench.clock.advance(jiff::SignedDuration::from_millis(1));
    assert_eq!(bench.promote().await, 1);
    assert_eq!(bench.run(id).await.state, State::Retrying(None));
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [id]);
}

pub(super) async fn there_are_never_more_attempts_than_were_asked_for(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(3)).await;
    for attempt in 1..=3 {
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.attempt, attempt);
        bench.fail(&claimed).await;
        bench.wait_for_retry().await;
    }
    bench.nothing_to_claim().await;
    let run = bench.run(id).await;
    assert_eq!((run.status(), run.attempt), (Status::Failed, 3));
    assert_eq!(run.error, Some(RunError::new("boom", "it broke")));
}

pub(super) async fn with_one_attempt_the_first_failure_ends_the_run(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    assert_eq!(bench.fail(&claimed).await, FinishOutcome::Accepted(Status::Failed));
}

pub(super) async fn a_named_wait_does_not_add_an_attempt(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    let outcome = Outcome::Failed { error: RunError::new("busy", "later"), retry: Retry::After(seconds(5)) };
    assert_eq!(bench.finish(claimed.lease(), outcome).await, FinishOutcome::Accepted(Status::Failed));
}

pub(super) async fn a_lost_attempt_is_tried_again(bench: Bench) {
    bench.running().await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.finish(adopted.lease(), Outcome::Lost).await, RETRYING);
    assert_eq!(bench.error_code(adopted.run.id).await.as_deref(), Some("lost"));
}

pub(super) async fn a_run_lost_at_its_last_attempt_fails(bench: Bench) {
    bench.started(a_run().max_attempts(1)).await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    let outcome = bench.finish(adopted.lease(), Outcome::Lost).await;
    assert_eq!(outcome, FinishOutcome::Accepted(Status::Failed));
    assert_eq!(bench.error_code(adopted.run.id).await.as_deref(), Some("lost"));
}

pub(super) async fn a_run_that_kills_every_worker_ends(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(2)).await;
    for _ in 0..2 {
        assert!(!bench.claim_one(&a_worker()).await.adopted);
        bench.lose_workers().await;
        let adopted = bench.claim_one(&a_worker()).await;
        bench.finish(adopted.lease(), Outcome::Lost).await;
        bench.wait_for_retry().await;
    }
    bench.nothing_to_claim().await;
    assert_eq!(bench.status(id).await, Status::Failed);
}

pub(super) async fn an_attempt_that_took_too_long_is_tried_again(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7)).await;
    assert_eq!(bench.finish(claimed.lease(), Outcome::TimedOut { limit_seconds: None }).await, RETRYING);
    assert_eq!(bench.error_code(claimed.run.id).await.as_deref(), Some("timed_out"));
}

pub(super) async fn a_run_is_timed_out_only_by_its_last_attempt_and_names_the_limit(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7).max_attempts(2)).await;
    bench.finish(claimed.lease(), Outcome::TimedOut { limit_seconds: None }).await;
    bench.wait_for_retry().await;
    let claimed = bench.claim_one(&a_worker()).await;
    let outcome = bench.finish(claimed.lease(), Outcome::TimedOut { limit_seconds: None }).await;
    assert_eq!(outcome, FinishOutcome::Accepted(Status::TimedOut));
    let error = bench.run(claimed.run.id).await.error.expect("it says why");
    assert_eq!(error.code, "timed_out");
    assert!(error.message.contains("7 s"), "{}", error.message);
}

pub(super) async fn a_failure_after_a_timeout_ends_failed(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7).max_attempts(2)).await;
    bench.finish(claimed.lease(), Outcome::TimedOut { limit_seconds: None }).await;
    bench.wait_for_retry().await;
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.fail(&claimed).await, FinishOutcome::Accepted(Status::Failed));
}

pub(super) async fn a_failure_while_a_cancel_is_asked_for_ends_cancelled(bench: Bench) {
    for outcome in [boom(), boom_for_good(), Outcome::TimedOut { limit_seconds: None }, Outcome::Lost] {
        let claimed = bench.started(a_run().timeout(7)).await;
        bench.cancel(claimed.run.id).await;
        let answer = bench.finish(claimed.lease(), outcome).await;
        assert_eq!(answer, FinishOutcome::Accepted(Status::Cancelled));
        assert_ne!(bench.error_code(claimed.run.id).await, None);
    }
}

pub(super) async fn a_failure_while_a_pause_is_asked_for_ends_paused(bench: Bench) {
    let claimed = bench.running().await;
    bench.pause(claimed.run.id).await;
    assert_eq!(bench.fail(&claimed).await, FinishOutcome::Accepted(Status::Paused));
    assert_eq!(bench.error_code(claimed.run.id).await.as_deref(), Some("boom"));
    bench.wait_for_retry().await;
    bench.nothing_to_claim().await;
}

pub(super) async fn a_pause_does_not_save_a_run_from_its_last_failure(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    bench.pause(claimed.run.id).await;
    assert_eq!(bench.fail(&claimed).await, FinishOutcome::Accepted(Status::Failed));
}
