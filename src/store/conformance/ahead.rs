//! Runs that are leased ahead of their start.

use super::prelude::*;
use crate::store::{Ahead, ClaimRequest, ClaimScope, Renew};

/// Leases up to `capacity` runs of the usual task ahead, leaving `spare` of those that are ready.
fn ahead(worker: &AWorker, capacity: usize, spare: usize) -> ClaimRequest {
    let tasks = [a_run().0.task].into();
    ClaimRequest { ahead: Some(Ahead { tasks, spare }), ..worker.asks_for(capacity) }
}

impl Bench {
    async fn claim_ahead(&self, capacity: usize, spare: usize) -> Vec<Claimed> {
        self.claim_as(&ahead(&a_worker(), capacity, spare)).await.runs
    }

    /// The only run there is, leased ahead.
    async fn leased_ahead(&self) -> Claimed {
        self.submit(a_run()).await;
        self.claim_ahead(1, 0).await.pop().expect("it is leased ahead")
    }

    async fn finish_after(&self, claimed: &Claimed, secs: i64) -> FinishOutcome {
        let finish = Finish { ran: seconds(secs), ..Finish::of(claimed.lease(), done()) };
        self.store.finish(&[finish]).await.expect("finish answers")[0]
    }
}

fn ids(claimed: &[Claimed]) -> Vec<RunId> {
    claimed.iter().map(|claimed| claimed.run.id).collect()
}

pub(super) async fn a_run_leased_ahead_is_queued_and_burns_no_attempt(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!(run, claimed.run, "as it is stored");
    assert_eq!((run.status(), run.blocked_by()), (Status::Queued, Some(BlockedBy::Worker)));
    assert_eq!((run.attempt, run.epoch, run.started_at), (0, 1, None));
    assert_eq!(bench.attempts(run.id).await, []);
    bench.nothing_to_claim().await;
    assert_eq!(bench.claim_ahead(10, 0).await, []);
}

pub(super) async fn its_end_says_when_it_began(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    bench.wait(9);
    assert_eq!(bench.finish_after(&claimed, 4).await, FinishOutcome::Accepted(Status::Succeeded));
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.started_at, run.finished_at()), (1, Some(bench.ahead(-4)), Some(bench.now())));
    assert_eq!(bench.attempts(run.id).await[0].by.started_at, bench.ahead(-4));
}

pub(super) async fn it_did_not_begin_before_its_lease(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    bench.wait(9);
    bench.finish_after(&claimed, 3600).await;
    assert_eq!(bench.run(claimed.run.id).await.started_at, Some(bench.ahead(-9)));
}

pub(super) async fn a_failure_of_it_is_tried_again(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    bench.wait(2);
    assert_eq!(bench.fail(&claimed).await, FinishOutcome::Accepted(Status::Retrying));
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.started_at), (1, Some(bench.now())));
    assert_eq!(bench.attempts(run.id).await.len(), 1);
}

pub(super) async fn given_back_it_is_as_if_it_had_not_been_claimed(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    let before = bench.run(claimed.run.id).await;
    bench.wait(1);
    let answer = bench.release(claimed.lease(), Release::Unbegun).await;
    assert_eq!(answer, FinishOutcome::Accepted(Status::Queued));
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.available_at, run.error.clone()), (0, before.available_at, None));
    assert_eq!(bench.attempts(run.id).await, []);
    assert_eq!(bench.finish(claimed.lease(), done()).await, FinishOutcome::LeaseLost);
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!((again.run.id, again.run.attempt, again.run.epoch), (run.id, 1, 2));
}

pub(super) async fn it_is_shown_running_once_its_worker_says_so(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    bench.wait(5);
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::Renewed { stop: None });
    assert_eq!(bench.run(claimed.run.id).await.status(), Status::Queued);
    let renew = Renew { lease: claimed.lease(), began: Some(seconds(2)) };
    for _ in 0..2 {
        let renewals = bench.store.renew(&[renew], LEASE).await.expect("renew answers");
        assert_eq!(renewals, [Renewal::Renewed { stop: None }]);
    }
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.attempt, run.started_at), (Status::Running, 1, Some(bench.ahead(-2))));
    let began = run.execution().map(|execution| execution.by.started_at);
    assert_eq!(began, Some(bench.ahead(-2)));
    bench.succeed(&claimed).await;
    assert_eq!(bench.run(run.id).await.started_at, Some(bench.ahead(-2)));
}

pub(super) async fn whoever_logs_has_begun(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    bench.wait(5);
    bench.log(claimed.lease(), &["hello"]).await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.attempt, run.started_at), (Status::Running, 1, Some(bench.now())));
    assert_eq!(bench.events(run.id).await[0].attempt, 1);
    bench.succeed(&claimed).await;
}

pub(super) async fn a_request_to_stop_it_waits_for_its_worker(bench: Bench) {
    let cancelled = bench.leased_ahead().await;
    assert_eq!(bench.cancel(cancelled.run.id).await, CommandOutcome::CancelRequested);
    assert_eq!(bench.renew(cancelled.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
    let answer = bench.release(cancelled.lease(), Release::Unbegun).await;
    assert_eq!(answer, FinishOutcome::Accepted(Status::Cancelled));
    let paused = bench.leased_ahead().await;
    assert_eq!(bench.pause(paused.run.id).await, CommandOutcome::PauseRequested);
    assert_eq!(bench.release(paused.lease(), Release::Unbegun).await, FinishOutcome::Accepted(Status::Paused));
    for id in [cancelled.run.id, paused.run.id] {
        assert_eq!((bench.run(id).await.attempt, bench.attempts(id).await.len()), (0, 0), "nothing was begun");
    }
    bench.nothing_to_claim().await;
}

pub(super) async fn when_its_worker_is_lost_it_may_have_begun(bench: Bench) {
    let claimed = bench.leased_ahead().await;
    bench.lose_workers().await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.attempt), (Status::Running, 1));
    assert_eq!(bench.finish(claimed.lease(), done()).await, FinishOutcome::LeaseLost);
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!((adopted.adopted, adopted.run.attempt), (true, 1));
    assert_eq!(bench.finish(adopted.lease(), Outcome::Lost).await, FinishOutcome::Accepted(Status::Retrying));
}

pub(super) async fn so_many_ready_runs_are_left_for_others(bench: Bench) {
    let mut all = Vec::new();
    for _ in 0..6 {
        all.push(bench.submit(a_run()).await);
    }
    assert_eq!(ids(&bench.claim_ahead(10, 4).await), all[..2]);
    assert_eq!(bench.claim_ahead(10, 4).await, []);
    assert_eq!(ids(&bench.claim_ahead(1, 3).await), [all[2]]);
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, all[3..]);
}

pub(super) async fn what_must_not_be_leased_ahead_ends_the_claim(bench: Bench) {
    for kept in [a_run().max_attempts(1), a_run().lane("l"), a_run().task("slow")] {
        let first = bench.submit(a_run()).await;
        let second = bench.submit(kept).await;
        let third = bench.submit(a_run()).await;
        assert_eq!(ids(&bench.claim_ahead(10, 0).await), [first]);
        assert_eq!(bench.claim_ahead(10, 0).await, []);
        assert_eq!(ids(&bench.claim_all().await), [second, third]);
    }
}

pub(super) async fn a_run_to_be_retried_is_not_leased_ahead(bench: Bench) {
    bench.retrying(a_run()).await;
    bench.wait_for_retry().await;
    assert_eq!(bench.claim_ahead(10, 0).await, []);
    assert_eq!(bench.claim_all().await.len(), 1);
}

pub(super) async fn a_limited_or_paused_queue_is_left_alone(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    bench.limit_queue("default", 5).await;
    assert_eq!(bench.claim_ahead(10, 0).await, []);
    bench.pause_queue("default").await;
    assert_eq!(bench.claim_ahead(10, 0).await, []);
}

pub(super) async fn runs_leased_ahead_count_towards_no_limit(bench: Bench) {
    bench.submit_all([a_run(), a_run(), a_run()]).await;
    assert_eq!(bench.claim_ahead(2, 0).await.len(), 2);
    bench.limit_queue("default", 1).await;
    assert_eq!(bench.claim_all().await.len(), 1);
}

pub(super) async fn workspaces_take_turns(bench: Bench) {
    let other = bench.workspace("other").await;
    let mut mine = Vec::new();
    for _ in 0..5 {
        mine.push(bench.submit(a_run()).await);
    }
    let theirs = [bench.submit(a_run().of(other.as_str())).await, bench.submit(a_run().of(other.as_str())).await];
    let claim = bench.claim_as(&ahead(&a_worker(), 5, 0)).await;
    assert_eq!(ids(&claim.runs), [mine[0], theirs[0], mine[1], theirs[1], mine[2]]);
    assert_eq!(claim.last_turn, Some(home()));
}

pub(super) async fn runs_of_several_streams_are_leased_ahead_in_one_order(bench: Bench) {
    let low = bench.submit(a_run().queue("a").priority(-1)).await;
    let first = bench.submit(a_run().queue("b")).await;
    let high = bench.submit(a_run().queue("c").priority(1)).await;
    let second = bench.submit(a_run().queue("a")).await;
    assert_eq!(ids(&bench.claim_ahead(10, 1).await), [high, first, second]);
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [low]);
}

pub(super) async fn they_may_come_along_with_the_end_of_others(bench: Bench) {
    let worker = a_worker();
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(bench.submit(a_run()).await);
    }
    let held = bench.claim(&worker, 1).await;
    let next = ClaimRequest { scope: ClaimScope::KnownStreams, ..ahead(&worker, 2, 1) };
    let finish = Finish::of(held[0].lease(), done());
    let (outcomes, claim) = bench.store.finish_and_claim(&[finish], &next).await.expect("finish_and_claim answers");
    assert_eq!(outcomes, [FinishOutcome::Accepted(Status::Succeeded)]);
    let mut leased = claim.runs;
    leased.extend(bench.claim_as(&ahead(&worker, 2 - leased.len(), 1)).await.runs);
    assert_eq!(ids(&leased), all[1..3]);
    assert!(leased.iter().all(|claimed| claimed.run.status() == Status::Queued));
    assert_eq!(bench.claim_ids(&worker, 10).await, all[3..]);
}
