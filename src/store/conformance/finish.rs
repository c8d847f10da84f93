//! Finishing: the one accepted outcome of an attempt.

use super::prelude::*;

fn accepted(status: Status) -> FinishOutcome {
    FinishOutcome::Accepted(status)
}

pub(super) async fn a_run_that_succeeds_keeps_its_output(bench: Bench) {
    let claimed = bench.running().await;
    bench.wait(3);
    let output = json(r#"{"pages": [1,  2]}"#);
    let outcome = bench.finish(claimed.lease(), Outcome::Succeeded { output: Some(output.clone()) }).await;
    assert_eq!(outcome, accepted(Status::Succeeded));
    let run = bench.run(claimed.run.id).await;
    let by = claimed.run.execution().map(|execution| execution.by.clone());
    assert_eq!(run.state, State::Finished { ending: Ending::Succeeded, at: bench.now(), by });
    assert_eq!((run.output, run.error, run.attempt, run.epoch), (Some(output), None, 1, 1));
}

pub(super) async fn a_run_may_succeed_without_output(bench: Bench) {
    let id = bench.succeeded(a_run()).await;
    assert_eq!(bench.run(id).await.output, None);
}

pub(super) async fn what_a_run_was_is_kept_when_it_is_over(bench: Bench) {
    let mut request = a_run().task("resize").queue("images").lane("disk").priority(7).timeout(90).retry(10, 2, 400);
    request.0.metadata = Some(json("[1]"));
    let id = bench.submit(request.key("k", KeyMode::Keep)).await;
    let claimed = bench.claim_one(&a_worker()).await;
    bench.succeed(&claimed).await;
    let (was, mut is) = (claimed.run, bench.run(id).await);
    is.state = was.state.clone();
    is.awaited = was.awaited;
    assert_eq!(is, was);
}

pub(super) async fn a_run_that_fails_for_good_keeps_its_error(bench: Bench) {
    let claimed = bench.running().await;
    bench.fail_for_good(&claimed).await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!(run.error, Some(RunError::new("boom", "it broke")));
    assert_eq!((run.finished_at(), run.output), (Some(bench.now()), None));
}

pub(super) async fn success_clears_the_error_of_an_earlier_attempt(bench: Bench) {
    let id = bench.retrying(a_run()).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    bench.succeed(&second).await;
    assert_eq!(bench.run(id).await.error, None);
}

pub(super) async fn a_finished_run_is_not_claimed_again(bench: Bench) {
    bench.succeeded(a_run()).await;
    bench.failed(a_run()).await;
    bench.nothing_to_claim().await;
}

pub(super) async fn an_outcome_is_accepted_once(bench: Bench) {
    let claimed = bench.running().await;
    bench.succeed(&claimed).await;
    let before = bench.everything().await;
    assert_eq!(bench.finish(claimed.lease(), boom_for_good()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.finish(claimed.lease(), done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn of_two_outcomes_in_a_batch_the_first_is_accepted(bench: Bench) {
    let claimed = bench.running().await;
    let with = |outcome| Finish::of(claimed.lease(), outcome);
    let outcomes = bench.store.finish(&[with(boom_for_good()), with(done())]).await.expect("finish answers");
    assert_eq!(outcomes, [accepted(Status::Failed), FinishOutcome::LeaseLost]);
    assert_eq!(bench.status(claimed.run.id).await, Status::Failed);
}

pub(super) async fn outcomes_are_judged_one_by_one_in_order(bench: Bench) {
    bench.submit_all([a_run(), a_run(), a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    let finish = |at: usize, epoch: i64, outcome| Finish::of(Lease { run: claimed[at].run.id, epoch }, outcome);
    let batch = [finish(3, 1, boom()), finish(1, 2, done()), finish(0, 1, done()), finish(2, 1, boom_for_good())];
    let outcomes = bench.store.finish(&batch).await.expect("finish answers");
    let expected =
        [accepted(Status::Retrying), FinishOutcome::LeaseLost, accepted(Status::Succeeded), accepted(Status::Failed)];
    assert_eq!(outcomes, expected);
    let ids: Vec<RunId> = claimed.iter().map(|claimed| claimed.run.id).collect();
    let now = [Status::Succeeded, Status::Running, Status::Failed, Status::Retrying];
    assert_eq!(bench.statuses(&ids).await, now);
    assert_eq!(bench.store.finish(&[]).await.expect("finish answers"), []);
}

pub(super) async fn an_expired_lease_cannot_finish_even_before_the_reaper_came(bench: Bench) {
    let claimed = bench.running().await;
    bench.clock.advance(LEASE);
    let before = bench.everything().await;
    assert_eq!(bench.finish(claimed.lease(), done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn an_orphaned_run_cannot_be_finished(bench: Bench) {
    let claimed = bench.running().await;
    bench.lose_workers().await;
    let before = bench.everything().await;
    assert_eq!(bench.finish(claimed.lease(), done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_lost_lease_cannot_finish_the_next_attempt(bench: Bench) {
    let first = bench.running().await;
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.finish(first.lease(), done()).await, FinishOutcome::LeaseLost);
    bench.succeed(&second).await;
}

pub(super) async fn nobody_can_finish_ahead_of_their_epoch(bench: Bench) {
    let claimed = bench.running().await;
    let before = bench.everything().await;
    let ahead = Lease { epoch: claimed.run.epoch + 1, ..claimed.lease() };
    assert_eq!(bench.finish(ahead, done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn an_unknown_run_cannot_be_finished(bench: Bench) {
    let lease = Lease { run: RunId::new(), epoch: 1 };
    assert_eq!(bench.finish(lease, done()).await, FinishOutcome::LeaseLost);
}

pub(super) async fn a_run_that_did_not_start_cannot_be_finished(bench: Bench) {
    let id = bench.submit(a_run()).await;
    assert_eq!(bench.finish(Lease { run: id, epoch: 0 }, done()).await, FinishOutcome::LeaseLost);
    assert!(bench.is_ready(id).await);
}

pub(super) async fn success_outruns_a_cancel_that_was_asked_for(bench: Bench) {
    let claimed = bench.running().await;
    bench.cancel(claimed.run.id).await;
    bench.succeed(&claimed).await;
    assert_eq!(bench.status(claimed.run.id).await, Status::Succeeded);
}

pub(super) async fn a_stopped_run_is_cancelled(bench: Bench) {
    let claimed = bench.running().await;
    bench.cancel(claimed.run.id).await;
    assert_eq!(bench.finish(claimed.lease(), Outcome::Cancelled).await, accepted(Status::Cancelled));
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.finished_at(), run.error), (Status::Cancelled, Some(bench.now()), None));
}

pub(super) async fn a_stopped_run_is_paused(bench: Bench) {
    let claimed = bench.running().await;
    bench.pause(claimed.run.id).await;
    assert_eq!(bench.finish(claimed.lease(), Outcome::Paused).await, accepted(Status::Paused));
    assert_eq!(bench.status(claimed.run.id).await, Status::Paused);
    bench.nothing_to_claim().await;
}

pub(super) async fn a_run_stopped_for_a_pause_is_cancelled_if_that_was_asked_for_too(bench: Bench) {
    let claimed = bench.running().await;
    bench.pause(claimed.run.id).await;
    bench.cancel(claimed.run.id).await;
    assert_eq!(bench.finish(claimed.lease(), Outcome::Paused).await, accepted(Status::Cancelled));
}
