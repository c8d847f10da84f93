//! Cancelling, in each status.

use super::prelude::*;

impl Bench {
    async fn is_cancelled_at_once(&self, run: RunId) {
        assert_eq!(self.cancel(run).await, CommandOutcome::Cancelled);
        let run = self.run(run).await;
        let state = State::Finished { ending: Ending::Cancelled, at: self.now(), by: None };
        assert_eq!(run.state, state);
        assert_eq!(run.error, None);
        self.wait_for_retry().await;
        self.nothing_to_claim().await;
    }

    async fn cancel_is_refused(&self, run: RunId, status: Status) {
        let before = self.everything().await;
        assert_eq!(self.cancel(run).await, CommandOutcome::Refused { status });
        assert_eq!(self.everything().await, before);
    }
}

pub(super) async fn a_queued_run_is_cancelled_at_once(bench: Bench) {
    let id = bench.submit(a_run()).await;
    bench.wait(2);
    bench.is_cancelled_at_once(id).await;
}

pub(super) async fn a_pending_run_is_cancelled_at_once(bench: Bench) {
    let id = bench.submit(a_run().held()).await;
    bench.is_cancelled_at_once(id).await;
}

pub(super) async fn a_delayed_run_is_cancelled_at_once(bench: Bench) {
    let id = bench.submit(a_run().due_in(5)).await;
    bench.is_cancelled_at_once(id).await;
}

pub(super) async fn a_run_behind_another_is_cancelled_at_once(bench: Bench) {
    let upstream = bench.submit(a_run().held()).await;
    let id = bench.submit(a_run().after(&[upstream])).await;
    bench.is_cancelled_at_once(id).await;
}

pub(super) async fn a_retrying_run_is_cancelled_at_once(bench: Bench) {
    let id = bench.retrying(a_run()).await;
    bench.is_cancelled_at_once(id).await;
    assert_eq!(bench.attempts(id).await.len(), 1);
}

pub(super) async fn a_paused_run_is_cancelled_at_once(bench: Bench) {
    let id = bench.paused(a_run()).await;
    bench.is_cancelled_at_once(id).await;
}

pub(super) async fn a_running_run_is_asked_to_stop(bench: Bench) {
    let claimed = bench.running().await;
    assert_eq!(bench.cancel(claimed.run.id).await, CommandOutcome::CancelRequested);
    let run = bench.run(claimed.run.id).await;
    assert_eq!(run.execution().and_then(|execution| execution.stop), Some(Stop::Cancel));
    assert_eq!(run.status(), Status::Running);
}

pub(super) async fn asking_again_changes_nothing(bench: Bench) {
    let claimed = bench.running().await;
    bench.cancel(claimed.run.id).await;
    let before = bench.everything().await;
    assert_eq!(bench.cancel(claimed.run.id).await, CommandOutcome::CancelRequested);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_cancel_outranks_an_earlier_pause(bench: Bench) {
    let claimed = bench.running().await;
    bench.pause(claimed.run.id).await;
    assert_eq!(bench.cancel(claimed.run.id).await, CommandOutcome::CancelRequested);
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
}

pub(super) async fn a_cancel_outranks_a_later_pause(bench: Bench) {
    let claimed = bench.running().await;
    bench.cancel(claimed.run.id).await;
    assert_eq!(bench.pause(claimed.run.id).await, CommandOutcome::CancelRequested);
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
}

pub(super) async fn what_is_over_cannot_be_cancelled(bench: Bench) {
    let succeeded = bench.succeeded(a_run()).await;
    let failed = bench.failed(a_run()).await;
    let timed_out = bench.timed_out(a_run()).await;
    let cancelled = bench.cancelled(a_run()).await;
    bench.cancel_is_refused(succeeded, Status::Succeeded).await;
    bench.cancel_is_refused(failed, Status::Failed).await;
    bench.cancel_is_refused(timed_out, Status::TimedOut).await;
    bench.cancel_is_refused(cancelled, Status::Cancelled).await;
}

pub(super) async fn an_unknown_run_cannot_be_commanded(bench: Bench) {
    let before = bench.everything().await;
    for command in [Command::Cancel, Command::Pause, Command::Resume, Command::Enqueue, Command::Dismiss] {
        assert_eq!(bench.command(RunId::new(), command).await, CommandOutcome::NotFound);
    }
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn commands_are_judged_one_by_one_in_order(bench: Bench) {
    let (queued, unknown) = (bench.submit(a_run().due_in(60)).await, RunId::new());
    let running = bench.running().await.run.id;
    let batch = [running, queued, unknown, queued];
    let outcomes = bench.store.command(&home(), &batch, Command::Cancel, Admission::default()).await;
    let expected = [
        CommandOutcome::CancelRequested,
        CommandOutcome::Cancelled,
        CommandOutcome::NotFound,
        CommandOutcome::Refused { status: Status::Cancelled },
    ];
    assert_eq!(outcomes.expect("command answers"), expected);
}
