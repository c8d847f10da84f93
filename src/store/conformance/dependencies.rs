//! Runs that wait for other runs.

use super::prelude::*;

impl Bench {
    async fn finish_next(&self, expected: RunId) {
        let claimed = self.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, expected);
        self.succeed(&claimed).await;
    }

    /// The run failed because `upstream` ended `status`, and says so.
    async fn failed_after(&self, run: RunId, upstream: RunId, status: Status) {
        let run = self.run(run).await;
        assert_eq!(run.status(), Status::Failed);
        let error = run.error.expect("it says why");
        assert_eq!(error.code, "upstream_failed");
        assert!(error.message.contains(&upstream.to_string()), "{} does not name {upstream}", error.message);
        assert!(error.message.contains(status.as_str()), "{} does not say {status}", error.message);
    }
}

pub(super) async fn a_run_waits_for_its_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    assert_eq!(bench.blocked_by(run).await, Some(BlockedBy::Upstream));
    assert_eq!((bench.waits(run).await, bench.waits(upstream).await), (vec![upstream], vec![]));
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [upstream]);
}

pub(super) async fn a_run_is_ready_in_the_call_that_ends_its_upstream(bench: Bench) {
    let upstream = bench.running().await;
    let run = bench.submit(a_run().after(&[upstream.run.id])).await;
    bench.succeed(&upstream).await;
    assert!(bench.is_ready(run).await);
    assert_eq!(bench.waits(run).await, []);
}

pub(super) async fn a_chain_runs_link_by_link(bench: Bench) {
    let first = bench.submit(a_run()).await;
    let second = bench.submit(a_run().after(&[first])).await;
    let third = bench.submit(a_run().after(&[second])).await;
    for run in [first, second, third] {
        bench.finish_next(run).await;
    }
}

pub(super) async fn a_diamond_joins_when_both_sides_are_done(bench: Bench) {
    let top = bench.submit(a_run()).await;
    let sides = [bench.submit(a_run().after(&[top])).await, bench.submit(a_run().after(&[top])).await];
    let bottom = bench.submit(a_run().after(&sides)).await;
    bench.finish_next(top).await;
    bench.finish_next(sides[0]).await;
    assert_eq!(bench.blocked_by(bottom).await, Some(BlockedBy::Upstream));
    assert_eq!(bench.waits(bottom).await, [sides[1]]);
    bench.finish_next(sides[1]).await;
    assert!(bench.is_ready(bottom).await);
}

pub(super) async fn two_upstreams_may_end_in_one_call(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    let run = bench.submit(a_run().after(&[claimed[0].run.id, claimed[1].run.id])).await;
    let finish = |claimed: &Claimed| Finish::of(claimed.lease(), done());
    bench.store.finish(&[finish(&claimed[0]), finish(&claimed[1])]).await.expect("finish answers");
    assert!(bench.is_ready(run).await);
}

pub(super) async fn an_upstream_in_the_same_batch_may_come_first(bench: Bench) {
    let upstream = a_run();
    let id = upstream.0.id;
    let run = a_run().after(&[id]);
    let waiting = run.0.id;
    assert_eq!(bench.submit_all([upstream, run]).await, [SubmitOutcome::Created; 2]);
    assert_eq!(bench.waits(waiting).await, [id]);
    bench.finish_next(id).await;
    bench.finish_next(waiting).await;
}

pub(super) async fn an_upstream_later_in_the_batch_is_unknown(bench: Bench) {
    let upstream = a_run();
    let id = upstream.0.id;
    let outcomes = bench.submit_all([a_run().after(&[id]), upstream]).await;
    assert_eq!(outcomes, [SubmitOutcome::UnknownUpstream(id), SubmitOutcome::Created]);
}

pub(super) async fn an_unknown_upstream_is_refused(bench: Bench) {
    let (known, unknown) = (bench.submit(a_run()).await, RunId::new());
    let before = bench.everything().await;
    let outcome = bench.try_submit(a_run().after(&[known, unknown])).await;
    assert_eq!(outcome, SubmitOutcome::UnknownUpstream(unknown));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_run_cannot_wait_for_itself(bench: Bench) {
    let id = RunId::new();
    assert_eq!(bench.try_submit(a_run().id(id).after(&[id])).await, SubmitOutcome::UnknownUpstream(id));
}

pub(super) async fn an_upstream_of_another_workspace_is_unknown(bench: Bench) {
    bench.workspace("other").await;
    let foreign = bench.submit(a_run().of("other")).await;
    let before = bench.everything().await;
    assert_eq!(bench.try_submit(a_run().after(&[foreign])).await, SubmitOutcome::UnknownUpstream(foreign));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn an_upstream_named_twice_is_one_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream, upstream])).await;
    assert_eq!(bench.waits(run).await, [upstream]);
    bench.finish_next(upstream).await;
    assert!(bench.is_ready(run).await);
}

pub(super) async fn an_upstream_that_succeeded_is_not_waited_for(bench: Bench) {
    let upstream = bench.succeeded(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    assert!(bench.is_ready(run).await);
    assert_eq!(bench.waits(run).await, []);
}

pub(super) async fn an_upstream_that_succeeded_leaves_the_others_to_wait_for(bench: Bench) {
    let over = bench.succeeded(a_run()).await;
    let live = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[over, live])).await;
    assert_eq!(bench.waits(run).await, [live]);
    assert_eq!(bench.blocked_by(run).await, Some(BlockedBy::Upstream));
}

pub(super) async fn an_upstream_that_had_failed_fails_the_run_at_once(bench: Bench) {
    let upstream = bench.failed(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    bench.failed_after(run, upstream, Status::Failed).await;
    assert_eq!(bench.run(run).await.finished_at(), Some(bench.now()));
}

pub(super) async fn a_failed_upstream_outweighs_those_that_succeeded_or_still_run(bench: Bench) {
    let (good, bad) = (bench.succeeded(a_run()).await, bench.timed_out(a_run()).await);
    let live = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[good, live, bad])).await;
    bench.failed_after(run, bad, Status::TimedOut).await;
    bench.finish_next(live).await;
    bench.failed_after(run, bad, Status::TimedOut).await;
}

pub(super) async fn a_failure_reaches_everything_downstream(bench: Bench) {
    let first = bench.running().await;
    let second = bench.submit(a_run().after(&[first.run.id])).await;
    let third = bench.submit(a_run().after(&[second])).await;
    let fourth = bench.submit(a_run().after(&[third, first.run.id])).await;
    let apart = bench.submit(a_run()).await;
    bench.wait(2);
    bench.fail_for_good(&first).await;
    bench.failed_after(second, first.run.id, Status::Failed).await;
    bench.failed_after(third, second, Status::Failed).await;
    assert_eq!(bench.status(fourth).await, Status::Failed);
    assert_eq!(bench.run(third).await.finished_at(), Some(bench.now()));
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [apart]);
}

pub(super) async fn of_two_upstreams_the_one_that_ended_the_other_is_named(bench: Bench) {
    // Made first, so that not even its id comes later.
    let between = a_run();
    let cause = bench.submit(a_run()).await;
    let between = bench.submit(between.after(&[cause])).await;
    let run = bench.submit(a_run().after(&[between, cause])).await;
    bench.cancel(cause).await;
    bench.failed_after(between, cause, Status::Cancelled).await;
    bench.failed_after(run, cause, Status::Cancelled).await;
}

pub(super) async fn a_cancelled_upstream_fails_the_run(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    bench.cancel(upstream).await;
    bench.failed_after(run, upstream, Status::Cancelled).await;
}

pub(super) async fn a_timed_out_upstream_fails_the_run(bench: Bench) {
    let upstream = bench.started(a_run().timeout(7).max_attempts(1)).await;
    let run = bench.submit(a_run().after(&[upstream.run.id])).await;
    bench.wait(7);
    assert_eq!(bench.expire().await, [upstream.run.id]);
    bench.failed_after(run, upstream.run.id, Status::TimedOut).await;
}

pub(super) async fn a_retrying_or_paused_upstream_is_waited_for(bench: Bench) {
    let upstream = bench.retrying(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    assert_eq!(bench.blocked_by(run).await, Some(BlockedBy::Upstream));
    bench.pause(upstream).await;
    assert_eq!(bench.blocked_by(run).await, Some(BlockedBy::Upstream));
    bench.resume(upstream).await;
    bench.finish_next(upstream).await;
    assert!(bench.is_ready(run).await);
}

pub(super) async fn a_pending_run_fails_with_its_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().held().after(&[upstream])).await;
    bench.cancel(upstream).await;
    bench.failed_after(run, upstream, Status::Cancelled).await;
}

pub(super) async fn a_pending_run_stays_pending_when_its_upstream_succeeds(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().held().after(&[upstream])).await;
    bench.finish_next(upstream).await;
    assert_eq!(bench.status(run).await, Status::Pending);
    bench.enqueue(run).await;
    assert!(bench.is_ready(run).await);
}

pub(super) async fn a_paused_run_fails_with_its_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.paused(a_run().after(&[upstream])).await;
    bench.cancel(upstream).await;
    bench.failed_after(run, upstream, Status::Cancelled).await;
}

pub(super) async fn a_paused_run_stays_paused_when_its_upstream_succeeds(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.paused(a_run().after(&[upstream])).await;
    bench.finish_next(upstream).await;
    assert_eq!(bench.status(run).await, Status::Paused);
    bench.resume(run).await;
    assert!(bench.is_ready(run).await);
}

pub(super) async fn a_cancelled_run_stays_cancelled_when_its_upstream_fails(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.cancelled(a_run().after(&[upstream])).await;
    bench.cancel(upstream).await;
    assert_eq!((bench.status(run).await, bench.error_code(run).await), (Status::Cancelled, None));
}

pub(super) async fn a_run_that_is_over_waits_for_nothing(bench: Bench) {
    let (bad, live) = (bench.submit(a_run()).await, bench.submit(a_run()).await);
    let cancelled = bench.cancelled(a_run().after(&[live])).await;
    let failed = bench.submit(a_run().after(&[live, bad])).await;
    bench.cancel(bad).await;
    assert_eq!((bench.waits(cancelled).await, bench.waits(failed).await), (vec![], vec![]));
}

pub(super) async fn a_delayed_run_waits_for_its_time_after_its_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream]).due_in(60)).await;
    bench.finish_next(upstream).await;
    assert_eq!(bench.blocked_by(run).await, Some(BlockedBy::AvailableAt));
    bench.wait(60);
    bench.promote().await;
    assert!(bench.is_ready(run).await);
}

pub(super) async fn a_run_whose_time_came_before_its_upstream_ended_waits_for_the_upstream(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream]).due_in(60)).await;
    bench.wait(60);
    assert_eq!(bench.promote().await, 0);
    assert_eq!(bench.blocked_by(run).await, Some(BlockedBy::Upstream));
    bench.finish_next(upstream).await;
    assert!(bench.is_ready(run).await);
}

pub(super) async fn a_run_that_failed_with_its_upstream_can_be_resumed(bench: Bench) {
    let upstream = bench.failed(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    assert_eq!(bench.resume(run).await, CommandOutcome::Resumed);
    let resumed = bench.run(run).await;
    assert_eq!((resumed.state, resumed.attempt, resumed.max_attempts), (State::Queued(None), 0, 3));
    assert_eq!(bench.attempts(run).await, []);
}

pub(super) async fn many_may_wait_for_one(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    bench.submit_all((0..20).map(|_| a_run().after(&[upstream]))).await;
    bench.finish_next(upstream).await;
    assert_eq!(bench.claim_all().await.len(), 20);
}
