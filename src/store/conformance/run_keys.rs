//! Run keys: a name for a run that has not started, by which it is kept or replaced.

use super::prelude::*;

fn keyed(mode: KeyMode) -> ARun {
    a_run().key("nightly", mode)
}

pub(super) async fn keep_leaves_the_run_as_it_is(bench: Bench) {
    let first = bench.submit(keyed(KeyMode::Keep)).await;
    let before = bench.everything().await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Keep).payload("2")).await, SubmitOutcome::Kept(first));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn keep_leaves_a_started_run_as_it_is(bench: Bench) {
    let running = bench.started(keyed(KeyMode::Keep)).await.run.id;
    let before = bench.everything().await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Keep)).await, SubmitOutcome::Kept(running));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_finished_run_leaves_its_key_to_the_next(bench: Bench) {
    bench.succeeded(keyed(KeyMode::Keep)).await;
    let second = bench.submit(keyed(KeyMode::Keep)).await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Keep)).await, SubmitOutcome::Kept(second));
}

pub(super) async fn replace_gives_the_run_new_work_in_its_old_place(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Keep)).await;
    let old = bench.run(id).await;
    bench.wait(5);
    let new = keyed(KeyMode::Replace).task("other").payload("2").priority(9).queue("q").max_attempts(8).timeout(4);
    assert_eq!(bench.try_submit(new.clone()).await, SubmitOutcome::Replaced(id));
    let run = bench.run(id).await;
    assert_eq!((run.id, run.seq, run.requested_at, run.key), (old.id, old.seq, old.requested_at, old.key));
    assert_eq!((run.task, run.payload, run.queue), (new.0.task, new.0.payload, new.0.queue));
    assert_eq!((run.priority.get(), run.max_attempts, run.attempts_granted), (9, 8, 8));
    assert_eq!((run.timeout_seconds, run.available_at), (Some(4), bench.now()));
    assert_eq!(bench.find(new.0.id).await, None);
}

pub(super) async fn a_replaced_run_keeps_its_place_in_the_queue(bench: Bench) {
    let first = bench.submit(keyed(KeyMode::Keep)).await;
    let second = bench.submit(a_run()).await;
    bench.try_submit(keyed(KeyMode::Replace)).await;
    assert_eq!(bench.claim_ids(&a_worker(), 5).await, [first, second]);
}

pub(super) async fn replace_moves_the_time_it_is_due(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Replace).due_in(10)).await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Replace).due_in(500)).await, SubmitOutcome::Replaced(id));
    assert_eq!(bench.run(id).await.available_at, bench.ahead(500));
    assert_eq!(bench.try_submit(keyed(KeyMode::Replace)).await, SubmitOutcome::Replaced(id));
    assert!(bench.is_ready(id).await);
}

pub(super) async fn preserve_available_at_keeps_the_time_it_is_due(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Replace).due_in(10)).await;
    let due = bench.ahead(10);
    bench.wait(4);
    let outcome = bench.try_submit(keyed(KeyMode::PreserveAvailableAt).payload("2").due_in(500)).await;
    assert_eq!(outcome, SubmitOutcome::Replaced(id));
    let run = bench.run(id).await;
    assert_eq!((run.available_at, run.payload), (due, json("2")));
    assert_eq!(run.state, State::Queued(Some(BlockedBy::AvailableAt)));
}

pub(super) async fn a_started_run_is_left_alone_and_gives_up_its_key(bench: Bench) {
    let running = bench.started(keyed(KeyMode::Keep)).await;
    let new = bench.submit(keyed(KeyMode::Replace).payload("2")).await;
    let old = bench.run(running.run.id).await;
    assert_eq!((old.key, old.payload), (None, running.run.payload.clone()));
    assert_eq!(bench.try_submit(keyed(KeyMode::Keep)).await, SubmitOutcome::Kept(new));
    bench.succeed(&running).await;
}

pub(super) async fn a_retrying_run_has_started(bench: Bench) {
    let retrying = bench.retrying(keyed(KeyMode::Keep)).await;
    let new = bench.submit(keyed(KeyMode::PreserveAvailableAt)).await;
    assert_eq!(bench.run(retrying).await.key, None);
    assert_eq!(bench.try_submit(keyed(KeyMode::Keep)).await, SubmitOutcome::Kept(new));
}

pub(super) async fn an_interrupted_run_has_started(bench: Bench) {
    let claimed = bench.started(keyed(KeyMode::Keep)).await;
    bench.release(claimed.lease(), Release::ToQueue).await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Replace)).await, SubmitOutcome::Created);
}

pub(super) async fn a_run_is_replaced_within_a_batch(bench: Bench) {
    let (first, second) = (keyed(KeyMode::Replace).payload("1"), keyed(KeyMode::Replace).payload("2"));
    let id = first.0.id;
    let outcomes = bench.submit_all([first, second, keyed(KeyMode::Keep).payload("3")]).await;
    assert_eq!(outcomes, [SubmitOutcome::Created, SubmitOutcome::Replaced(id), SubmitOutcome::Kept(id)]);
    assert_eq!(bench.run(id).await.payload, json("2"));
    assert_eq!(bench.list(RunFilter::default()).await, [id]);
}

pub(super) async fn a_key_given_up_within_a_batch_belongs_to_the_new_run(bench: Bench) {
    bench.started(keyed(KeyMode::Keep)).await;
    let (new, newer) = (keyed(KeyMode::Replace).payload("1"), keyed(KeyMode::Replace).payload("2"));
    let id = new.0.id;
    assert_eq!(bench.submit_all([new, newer]).await, [SubmitOutcome::Created, SubmitOutcome::Replaced(id)]);
    assert_eq!(bench.run(id).await.payload, json("2"));
}

pub(super) async fn run_keys_belong_to_a_workspace(bench: Bench) {
    bench.workspace("other").await;
    bench.submit(keyed(KeyMode::Keep)).await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Keep).of("other")).await, SubmitOutcome::Created);
}

pub(super) async fn a_paused_run_stays_paused_when_replaced(bench: Bench) {
    let id = bench.paused(keyed(KeyMode::Keep)).await;
    assert_eq!(bench.try_submit(keyed(KeyMode::Replace).payload("2")).await, SubmitOutcome::Replaced(id));
    assert_eq!(bench.status(id).await, Status::Paused);
    bench.resume(id).await;
    assert_eq!(bench.claim_one(&a_worker()).await.run.payload, json("2"));
}

pub(super) async fn a_pending_run_is_replaced_as_the_new_request_says(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Keep).held()).await;
    bench.try_submit(keyed(KeyMode::Replace).held()).await;
    assert_eq!(bench.status(id).await, Status::Pending);
    bench.try_submit(keyed(KeyMode::Replace)).await;
    assert!(bench.is_ready(id).await);
    bench.try_submit(keyed(KeyMode::Replace).held()).await;
    assert_eq!(bench.status(id).await, Status::Pending);
}

pub(super) async fn a_replaced_run_waits_for_what_the_new_request_names(bench: Bench) {
    let (old, new) = (bench.submit(a_run().held()).await, bench.submit(a_run().held()).await);
    let id = bench.submit(keyed(KeyMode::Keep).after(&[old])).await;
    bench.try_submit(keyed(KeyMode::Replace).after(&[new])).await;
    assert_eq!(bench.waits(id).await, [new]);
    bench.cancel(old).await;
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::Upstream));
    bench.try_submit(keyed(KeyMode::Replace)).await;
    assert_eq!(bench.waits(id).await, []);
    assert!(bench.is_ready(id).await);
}

pub(super) async fn who_waits_for_a_replaced_run_waits_on(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Keep)).await;
    let waiting = bench.submit(a_run().after(&[id])).await;
    bench.try_submit(keyed(KeyMode::Replace).payload("2")).await;
    assert_eq!(bench.waits(waiting).await, [id]);
    let claimed = bench.claim_one(&a_worker()).await;
    bench.succeed(&claimed).await;
    assert!(bench.is_ready(waiting).await);
}

pub(super) async fn a_run_is_not_made_to_wait_for_itself(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Keep)).await;
    let outcome = bench.try_submit(keyed(KeyMode::Replace).after(&[id])).await;
    assert_eq!(outcome, SubmitOutcome::CircularWait(id));
    assert!(bench.is_ready(id).await);
}

pub(super) async fn a_run_that_others_wait_for_is_not_made_to_wait(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Keep)).await;
    let waiting = bench.submit(a_run().after(&[id])).await;
    let outcome = bench.try_submit(keyed(KeyMode::Replace).after(&[waiting])).await;
    assert_eq!(outcome, SubmitOutcome::CircularWait(waiting));
    assert_eq!(bench.waits(id).await, []);
}

pub(super) async fn a_run_replaced_into_another_lane_leaves_the_old_one(bench: Bench) {
    let id = bench.submit(keyed(KeyMode::Keep).lane("a")).await;
    let next = bench.submit(a_run().lane("a")).await;
    let other = bench.submit(a_run().lane("b")).await;
    bench.try_submit(keyed(KeyMode::Replace).lane("b")).await;
    assert!(bench.is_ready(next).await);
    // It is older than the one that was first in its new lane.
    assert!(bench.is_ready(id).await);
    assert_eq!(bench.blocked_by(other).await, Some(BlockedBy::Lane));
}

pub(super) async fn a_run_back_from_history_leaves_its_key_to_the_next(bench: Bench) {
    let old = bench.failed(keyed(KeyMode::Keep)).await;
    let new = bench.submit(keyed(KeyMode::Keep).due_in(60)).await;
    assert_eq!(bench.resume(old).await, CommandOutcome::Resumed);
    assert_eq!(bench.try_submit(keyed(KeyMode::Replace).payload("2")).await, SubmitOutcome::Replaced(new));
    assert_eq!((bench.run(old).await.key, bench.run(new).await.payload), (None, json("2")));
}
