//! Ending attempts that are past their time, whoever holds them.

use super::prelude::*;

pub(super) async fn an_attempt_past_its_time_is_ended(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7)).await;
    bench.wait(6);
    assert_eq!(bench.expire().await, []);
    bench.wait(1);
    assert_eq!(bench.expire().await, [claimed.run.id]);
    let run = bench.run(claimed.run.id).await;
    assert_eq!(run.state, State::Retrying(Some(BlockedBy::AvailableAt)));
    assert_eq!(run.error.map(|error| error.code).as_deref(), Some("timed_out"));
}

pub(super) async fn the_last_attempt_past_its_time_ends_the_run(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7).max_attempts(1)).await;
    bench.wait(8);
    bench.expire().await;
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.status(), run.finished_at()), (Status::TimedOut, Some(bench.now())));
    let message = run.error.expect("it says why").message;
    assert!(message.contains("7 s"), "{message}");
}

pub(super) async fn grace_is_given(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7)).await;
    let expire = async || bench.store.expire(seconds(5), Jitter(0), 10).await.expect("expire answers");
    bench.wait(11);
    assert_eq!(expire().await, []);
    bench.wait(1);
    assert_eq!(expire().await, [claimed.run.id]);
}

pub(super) async fn without_a_limit_nothing_expires(bench: Bench) {
    bench.running().await;
    bench.wait(1_000_000);
    assert_eq!(bench.expire().await, []);
}

pub(super) async fn the_time_counts_from_the_start_of_the_attempt(bench: Bench) {
    let id = bench.submit(a_run().timeout(7)).await;
    bench.wait(100);
    let first = bench.claim_one(&a_worker()).await;
    bench.wait(6);
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    bench.claim_one(&a_worker()).await;
    bench.wait(6);
    assert_eq!(bench.expire().await, []);
    bench.wait(1);
    assert_eq!(bench.expire().await, [id]);
}

pub(super) async fn renewing_and_adoption_give_no_more_time(bench: Bench) {
    let claimed = bench.started(a_run().timeout(50)).await;
    bench.wait(10);
    bench.renew(claimed.lease()).await;
    bench.lose_workers().await;
    bench.claim_one(&a_worker()).await;
    bench.wait(9);
    assert_eq!(bench.expire().await, []);
    bench.wait(1);
    assert_eq!(bench.expire().await, [claimed.run.id]);
}

pub(super) async fn an_orphan_expires_too(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7).max_attempts(1)).await;
    bench.lose_workers().await;
    assert_eq!(bench.expire().await, [claimed.run.id]);
    assert_eq!(bench.status(claimed.run.id).await, Status::TimedOut);
    bench.nothing_to_claim().await;
}

pub(super) async fn an_expired_attempt_has_no_say_any_more(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7)).await;
    bench.wait(7);
    bench.expire().await;
    let before = bench.everything().await;
    assert_eq!(bench.renew(claimed.lease()).await, Renewal::LeaseLost);
    assert_eq!(bench.finish(claimed.lease(), done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn an_attempt_expires_once(bench: Bench) {
    bench.started(a_run().timeout(7)).await;
    bench.wait(7);
    assert_eq!(bench.expire().await.len(), 1);
    bench.wait(100);
    assert_eq!(bench.expire().await, []);
}

pub(super) async fn an_expired_attempt_that_was_to_stop_does(bench: Bench) {
    let cancelled = bench.started(a_run().timeout(7)).await.run.id;
    let paused = bench.started(a_run().timeout(7)).await.run.id;
    bench.cancel(cancelled).await;
    bench.pause(paused).await;
    bench.wait(7);
    bench.expire().await;
    assert_eq!(bench.statuses(&[cancelled, paused]).await, [Status::Cancelled, Status::Paused]);
}

pub(super) async fn an_expired_run_leaves_its_lane(bench: Bench) {
    bench.started(a_run().lane("l").timeout(7).max_attempts(1)).await;
    let next = bench.submit(a_run().lane("l")).await;
    bench.wait(7);
    bench.expire().await;
    assert!(bench.is_ready(next).await);
}

pub(super) async fn the_wait_after_expiry_is_drawn_like_any_other(bench: Bench) {
    let claimed = bench.started(a_run().timeout(7)).await;
    bench.wait(7);
    bench.store.expire(seconds(0), Jitter(u32::MAX), 10).await.expect("expire answers");
    assert_eq!(bench.run(claimed.run.id).await.available_at, bench.ahead(3));
}

pub(super) async fn no_more_expire_than_the_limit(bench: Bench) {
    bench.submit_all((0..3).map(|_| a_run().timeout(7).max_attempts(1))).await;
    bench.claim_all().await;
    bench.wait(7);
    let expire = async || bench.store.expire(seconds(0), Jitter(0), 2).await.expect("expire answers").len();
    assert_eq!((expire().await, expire().await, expire().await), (2, 1, 0));
}
