//! Pausing and resuming, also from history.

use super::prelude::*;

impl Bench {
    async fn refused(&self, run: RunId, command: Command) {
        let before = self.everything().await;
        let status = self.status(run).await;
        assert_eq!(self.command(run, command).await, CommandOutcome::Refused { status });
        assert_eq!(self.everything().await, before);
    }
}

pub(super) async fn a_waiting_run_is_paused_at_once(bench: Bench) {
    let upstream = bench.submit(a_run().held()).await;
    let queued = bench.submit(a_run()).await;
    let delayed = bench.submit(a_run().due_in(5)).await;
    let behind = bench.submit(a_run().after(&[upstream])).await;
    for run in [queued, delayed, behind] {
        assert_eq!(bench.pause(run).await, CommandOutcome::Paused);
        assert_eq!(bench.status(run).await, Status::Paused);
    }
    bench.wait_for_retry().await;
    bench.nothing_to_claim().await;
}

pub(super) async fn a_retrying_run_is_paused_at_once(bench: Bench) {
    let id = bench.retrying(a_run()).await;
    assert_eq!(bench.pause(id).await, CommandOutcome::Paused);
    bench.wait_for_retry().await;
    bench.nothing_to_claim().await;
}

pub(super) async fn a_running_run_is_asked_to_pause(bench: Bench) {
    let claimed = bench.running().await;
    assert_eq!(bench.pause(claimed.run.id).await, CommandOutcome::PauseRequested);
    assert_eq!(bench.status(claimed.run.id).await, Status::Running);
    let run = bench.run(claimed.run.id).await;
    assert_eq!(run.execution().and_then(|execution| execution.stop), Some(Stop::Pause));
}

pub(super) async fn pausing_a_paused_run_changes_nothing(bench: Bench) {
    let id = bench.paused(a_run()).await;
    let before = bench.everything().await;
    assert_eq!(bench.pause(id).await, CommandOutcome::Paused);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn what_is_pending_or_over_cannot_be_paused(bench: Bench) {
    let pending = bench.submit(a_run().held()).await;
    bench.refused(pending, Command::Pause).await;
    for over in [bench.succeeded(a_run()).await, bench.failed(a_run()).await, bench.cancelled(a_run()).await] {
        bench.refused(over, Command::Pause).await;
    }
}

pub(super) async fn a_resumed_run_is_ready(bench: Bench) {
    let id = bench.paused(a_run()).await;
    assert_eq!(bench.resume(id).await, CommandOutcome::Resumed);
    assert_eq!(bench.run(id).await.state, State::Queued(None));
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [id]);
}

pub(super) async fn a_resumed_run_still_waits_for_the_time_it_is_due(bench: Bench) {
    let id = bench.paused(a_run().due_in(60)).await;
    let due = bench.ahead(60);
    bench.resume(id).await;
    let run = bench.run(id).await;
    assert_eq!((run.blocked_by(), run.available_at), (Some(BlockedBy::AvailableAt), due));
}

pub(super) async fn a_run_whose_time_came_while_paused_is_ready_when_resumed(bench: Bench) {
    let id = bench.paused(a_run().due_in(60)).await;
    bench.wait(60);
    bench.resume(id).await;
    assert!(bench.is_ready(id).await);
}

pub(super) async fn a_resumed_run_does_not_wait_for_its_retry(bench: Bench) {
    let id = bench.retrying(a_run()).await;
    bench.pause(id).await;
    bench.resume(id).await;
    assert_eq!(bench.run(id).await.available_at, bench.now());
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!((claimed.run.id, claimed.run.attempt), (id, 2));
}

pub(super) async fn a_resumed_run_still_waits_for_its_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let id = bench.paused(a_run().after(&[upstream])).await;
    bench.resume(id).await;
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::Upstream));
    let claimed = bench.claim_one(&a_worker()).await;
    bench.succeed(&claimed).await;
    assert!(bench.is_ready(id).await);
}

pub(super) async fn a_run_paused_at_its_last_attempt_gets_one_more(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    bench.finish(claimed.lease(), Outcome::Paused).await;
    assert_eq!(bench.resume(claimed.run.id).await, CommandOutcome::Resumed);
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.max_attempts), (1, 2));
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!((again.run.attempt, again.run.epoch), (2, 2));
    assert_eq!(bench.fail(&again).await, FinishOutcome::Accepted(Status::Failed));
}

pub(super) async fn a_run_paused_with_attempts_left_gets_no_more(bench: Bench) {
    let claimed = bench.running().await;
    bench.finish(claimed.lease(), Outcome::Paused).await;
    bench.resume(claimed.run.id).await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.max_attempts), (1, 3));
}

pub(super) async fn a_failed_run_comes_back_with_as_many_attempts_as_it_was_given(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(2)).await;
    for _ in 0..2 {
        let claimed = bench.claim_one(&a_worker()).await;
        bench.fail(&claimed).await;
        bench.wait_for_retry().await;
    }
    assert_eq!(bench.status(id).await, Status::Failed);
    assert_eq!(bench.resume(id).await, CommandOutcome::Resumed);
    let run = bench.run(id).await;
    assert_eq!((run.attempt, run.max_attempts, run.attempts_granted), (2, 4, 2));
    assert_eq!((run.state, run.error, run.available_at), (State::Queued(None), None, bench.now()));
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!((claimed.run.attempt, claimed.run.epoch), (3, 3));
}

pub(super) async fn a_run_that_failed_early_comes_back_with_room_too(bench: Bench) {
    let id = bench.failed(a_run().max_attempts(3)).await;
    bench.resume(id).await;
    let run = bench.run(id).await;
    assert_eq!((run.attempt, run.max_attempts), (1, 4));
}

pub(super) async fn a_timed_out_run_comes_back(bench: Bench) {
    let id = bench.timed_out(a_run()).await;
    assert_eq!(bench.resume(id).await, CommandOutcome::Resumed);
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!((claimed.run.id, claimed.run.attempt, claimed.run.max_attempts), (id, 2, 2));
    bench.succeed(&claimed).await;
}

pub(super) async fn a_run_may_fail_and_come_back_again_and_again(bench: Bench) {
    let id = bench.failed(a_run().max_attempts(1)).await;
    for attempt in 2..=4 {
        assert_eq!(bench.resume(id).await, CommandOutcome::Resumed);
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!((claimed.run.attempt, claimed.run.max_attempts), (attempt, attempt));
        bench.fail_for_good(&claimed).await;
    }
    assert_eq!(bench.attempts(id).await.len(), 4);
}

pub(super) async fn a_run_back_from_history_keeps_its_age(bench: Bench) {
    let old = bench.failed(a_run()).await;
    let started = bench.run(old).await.started_at;
    let seq = bench.run(old).await.seq;
    bench.wait(5);
    let young = bench.submit(a_run()).await;
    bench.resume(old).await;
    let run = bench.run(old).await;
    assert_eq!((run.seq, run.started_at, run.finished_at()), (seq, started, None));
    assert_eq!(bench.claim_ids(&a_worker(), 2).await, [old, young]);
}

pub(super) async fn what_waits_or_runs_cannot_be_resumed(bench: Bench) {
    let running = bench.running().await.run.id;
    let retrying = bench.retrying(a_run()).await;
    let queued = bench.submit(a_run()).await;
    let pending = bench.submit(a_run().held()).await;
    for run in [running, retrying, queued, pending] {
        bench.refused(run, Command::Resume).await;
    }
}

pub(super) async fn what_succeeded_or_was_cancelled_cannot_be_resumed(bench: Bench) {
    for over in [bench.succeeded(a_run()).await, bench.cancelled(a_run()).await] {
        bench.refused(over, Command::Resume).await;
    }
}
