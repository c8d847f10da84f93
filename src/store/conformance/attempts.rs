//! The list of a run's attempts, complete whatever became of them.

use super::prelude::*;

impl Bench {
    /// Number, epoch and how it ended, of each attempt.
    async fn tale(&self, run: RunId) -> Vec<(u32, i64, Option<Status>)> {
        let tell = |attempt: &Attempt| (attempt.number, attempt.epoch, attempt.ended.as_ref().map(|end| end.status));
        self.attempts(run).await.iter().map(tell).collect()
    }
}

pub(super) async fn a_run_that_has_not_started_has_no_attempts(bench: Bench) {
    let id = bench.submit(a_run()).await;
    assert_eq!(bench.attempts(id).await, []);
    bench.cancel(id).await;
    assert_eq!(bench.attempts(id).await, []);
}

pub(super) async fn the_attempt_under_way_has_no_end(bench: Bench) {
    let worker = a_worker();
    bench.submit(a_run()).await;
    let claimed = bench.claim_one(&worker).await;
    let attempts = bench.attempts(claimed.run.id).await;
    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].number, attempts[0].epoch, &attempts[0].ended), (1, 1, &None));
    assert_eq!((attempts[0].by.worker, attempts[0].by.started_at), (worker.taker.worker, bench.now()));
}

pub(super) async fn an_attempt_that_succeeds_ends_with_its_run(bench: Bench) {
    let claimed = bench.running().await;
    bench.wait(3);
    bench.succeed(&claimed).await;
    let attempts = bench.attempts(claimed.run.id).await;
    assert_eq!(attempts.len(), 1);
    let end = attempts[0].ended.clone().expect("it ended");
    assert_eq!((end.at, end.status, end.error), (bench.now(), Status::Succeeded, None));
}

pub(super) async fn failed_attempts_are_kept_with_error_worker_and_times(bench: Bench) {
    let worker = a_worker().on("elsewhere");
    let id = bench.submit(a_run()).await;
    let started = bench.now();
    let first = bench.claim_one(&worker).await;
    bench.wait(3);
    let ended = bench.now();
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    bench.succeed(&second).await;
    let attempts = bench.attempts(id).await;
    assert_eq!(bench.tale(id).await, [(1, 1, Some(Status::Retrying)), (2, 2, Some(Status::Succeeded))]);
    assert_eq!((attempts[0].by.worker, &attempts[0].by.host), (worker.taker.worker, &host("elsewhere")));
    let end = attempts[0].ended.clone().expect("it ended");
    assert_eq!((attempts[0].by.started_at, end.at), (started, ended));
    assert_eq!(end.error, Some(RunError::new("boom", "it broke")));
}

pub(super) async fn an_interrupted_attempt_is_kept_and_its_number_comes_again(bench: Bench) {
    let first = bench.running().await;
    bench.release(first.lease(), Release::ToQueue).await;
    assert_eq!(bench.tale(first.run.id).await, [(1, 1, Some(Status::Queued))]);
    let second = bench.claim_one(&a_worker()).await;
    bench.succeed(&second).await;
    let expected = [(1, 1, Some(Status::Queued)), (1, 2, Some(Status::Succeeded))];
    assert_eq!(bench.tale(first.run.id).await, expected);
}

pub(super) async fn an_adopted_attempt_is_one_attempt_of_its_last_worker(bench: Bench) {
    let first = bench.running().await;
    bench.lose_workers().await;
    let adopter = a_worker();
    let adopted = bench.claim_one(&adopter).await;
    bench.succeed(&adopted).await;
    assert_eq!(bench.tale(first.run.id).await, [(1, 2, Some(Status::Succeeded))]);
    assert_eq!(bench.attempts(first.run.id).await[0].by.worker, adopter.taker.worker);
}

pub(super) async fn a_lost_attempt_is_kept(bench: Bench) {
    let first = bench.running().await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    bench.finish(adopted.lease(), Outcome::Lost).await;
    assert_eq!(bench.tale(first.run.id).await, [(1, 2, Some(Status::Retrying))]);
    let end = bench.attempts(first.run.id).await[0].ended.clone().expect("it ended");
    assert_eq!(end.error.map(|error| error.code).as_deref(), Some("lost"));
}

pub(super) async fn a_paused_attempt_is_kept(bench: Bench) {
    let claimed = bench.running().await;
    bench.finish(claimed.lease(), Outcome::Paused).await;
    assert_eq!(bench.tale(claimed.run.id).await, [(1, 1, Some(Status::Paused))]);
    bench.cancel(claimed.run.id).await;
    assert_eq!(bench.tale(claimed.run.id).await, [(1, 1, Some(Status::Paused))]);
}

pub(super) async fn a_run_back_from_history_brings_its_attempts(bench: Bench) {
    let first = bench.started(a_run().max_attempts(1)).await;
    bench.fail_for_good(&first).await;
    let before = bench.attempts(first.run.id).await;
    bench.wait(5);
    bench.resume(first.run.id).await;
    assert_eq!(bench.attempts(first.run.id).await, before);
    let second = bench.claim_one(&a_worker()).await;
    bench.succeed(&second).await;
    let expected = [(1, 1, Some(Status::Failed)), (2, 2, Some(Status::Succeeded))];
    assert_eq!(bench.tale(first.run.id).await, expected);
}

pub(super) async fn a_run_failed_by_its_upstream_has_no_attempts(bench: Bench) {
    let upstream = bench.failed(a_run()).await;
    let run = bench.submit(a_run().after(&[upstream])).await;
    assert_eq!(bench.attempts(run).await, []);
}

pub(super) async fn a_timed_out_attempt_is_kept(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7).max_attempts(2)).await;
    bench.wait(7);
    bench.expire().await;
    assert_eq!(bench.tale(claimed.run.id).await, [(1, 1, Some(Status::Retrying))]);
    bench.wait_for_retry().await;
    bench.claim_one(&a_worker()).await;
    bench.wait(7);
    bench.expire().await;
    let expected = [(1, 1, Some(Status::Retrying)), (2, 2, Some(Status::TimedOut))];
    assert_eq!(bench.tale(claimed.run.id).await, expected);
}
