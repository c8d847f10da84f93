//! Runs that a worker which lacks their task was handed, and work that it may not adopt.

use jiff::SignedDuration;

use super::prelude::*;
use crate::store::ClaimRequest;

const WAIT: SignedDuration = SignedDuration::from_secs(4);

impl Bench {
    async fn give_back(&self, claimed: &Claimed) {
        let answer = self.release(claimed.lease(), Release::Unrouted { wait: WAIT }).await;
        assert_eq!(answer, FinishOutcome::Accepted(Status::Queued));
    }
}

/// What a worker that lacks the task of all these runs asks for.
fn without_the_task(worker: &AWorker) -> ClaimRequest {
    ClaimRequest { tasks: Some([task("other")].into()), ..worker.asks_for(10) }
}

/// What a worker that has it asks for.
fn with_the_task(worker: &AWorker, run: &Run) -> ClaimRequest {
    ClaimRequest { tasks: Some([run.task.clone()].into()), ..worker.asks_for(10) }
}

pub(super) async fn a_run_whose_task_is_lacking_waits_and_burns_no_attempt(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    bench.give_back(&claimed).await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.interruptions, run.epoch), (0, 0, 1));
    assert_eq!(run.state, State::Queued(Some(BlockedBy::AvailableAt)));
    assert_eq!(run.available_at, bench.now() + WAIT);
    let error = run.error.expect("it says why");
    assert_eq!(error.code, RunError::UNROUTED);
    assert!(error.message.contains("has no task"), "{}", error.message);
    assert_eq!(bench.attempts(claimed.run.id).await, [], "nothing was tried");
    bench.nothing_to_claim().await;
}

pub(super) async fn a_run_whose_task_is_lacking_is_offered_again(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    bench.give_back(&claimed).await;
    bench.wait(3);
    assert_eq!(bench.promote().await, 0);
    bench.wait(1);
    assert_eq!(bench.promote().await, 1);
    let again = bench.claim_one(&a_worker().on("elsewhere")).await;
    assert_eq!((again.adopted, again.run.attempt, again.run.epoch), (false, 1, 2));
    bench.succeed(&again).await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.error), (Status::Succeeded, None));
}

pub(super) async fn others_go_while_the_task_of_one_is_lacking(bench: Bench) {
    let claimed = bench.started(a_run()).await;
    let other = bench.submit(a_run()).await;
    bench.give_back(&claimed).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [other]);
}

pub(super) async fn a_run_whose_task_is_lacking_keeps_its_lane(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.give_back(&first).await;
    let third = bench.submit(a_run().lane("l")).await;
    bench.nothing_to_claim().await;
    bench.wait(4);
    assert_eq!(bench.promote().await, 1);
    for expected in [first.run.id, second, third] {
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, expected);
        bench.nothing_to_claim().await;
        bench.succeed(&claimed).await;
    }
}

pub(super) async fn a_lane_goes_on_when_the_run_whose_task_is_lacking_goes_away(bench: Bench) {
    for command in [Command::Cancel, Command::Pause] {
        let first = bench.started(a_run().lane("l")).await;
        let second = bench.submit(a_run().lane("l")).await;
        bench.give_back(&first).await;
        bench.command(first.run.id, command).await;
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, second);
        bench.succeed(&claimed).await;
    }
}

pub(super) async fn work_is_adopted_by_workers_that_have_its_task(bench: Bench) {
    let orphan = bench.running().await;
    bench.lose_workers().await;
    assert_eq!(bench.claim_as(&without_the_task(&a_worker())).await.runs, []);
    let adopted = bench.claim_as(&with_the_task(&a_worker(), &orphan.run)).await.runs;
    assert_eq!(adopted.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [orphan.run.id]);
}

pub(super) async fn work_that_nobody_adopts_for_long_may_be_declared_lost_by_anybody(bench: Bench) {
    let orphan = bench.running().await;
    bench.lose_workers().await;
    // Ten takeover delays, from the end of the lease, which is now.
    bench.wait(599);
    for worker in [a_worker(), a_worker().on("elsewhere")] {
        assert_eq!(bench.claim_as(&without_the_task(&worker)).await.runs, []);
    }
    bench.wait(1);
    let adopted = bench.claim_as(&without_the_task(&a_worker())).await.runs;
    assert_eq!(adopted.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [orphan.run.id]);
}

pub(super) async fn whoever_adopts_learns_since_when_nobody_held_the_run(bench: Bench) {
    let claimed = bench.running().await;
    let Some(Tenure::Leased { until }) = claimed.run.execution().map(|execution| execution.tenure) else {
        panic!("not leased: {claimed:?}");
    };
    assert_eq!(claimed.orphaned_at, None);
    bench.lose_workers().await;
    bench.wait(7);
    assert_eq!(bench.claim_one(&a_worker()).await.orphaned_at, Some(until));
}

pub(super) async fn work_that_is_missing_is_not_tried_again_before_it_must_have_stopped(bench: Bench) {
    bench.running().await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    let stopped_by = bench.now() + seconds(60);
    let answer = bench.finish(adopted.lease(), Outcome::Missing { stopped_by }).await;
    assert_eq!(answer, FinishOutcome::Accepted(Status::Retrying));
    assert_eq!(bench.error_code(adopted.run.id).await.as_deref(), Some("lost"));
    bench.wait(59);
    assert_eq!(bench.promote().await, 0);
    bench.wait(1);
    assert_eq!(bench.promote().await, 1);
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!((again.adopted, again.run.attempt), (false, 2));
}

pub(super) async fn work_that_is_missing_fails_at_its_last_attempt(bench: Bench) {
    bench.started(a_run().max_attempts(1)).await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    let outcome = Outcome::Missing { stopped_by: bench.now() + seconds(60) };
    assert_eq!(bench.finish(adopted.lease(), outcome).await, FinishOutcome::Accepted(Status::Failed));
}
