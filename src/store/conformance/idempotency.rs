//! Idempotency keys: the same request made again finds the first run.

use super::prelude::*;

pub(super) async fn the_same_request_again_finds_the_first_run(bench: Bench) {
    let first = bench.submit(a_run().idempotent("order-1", "same")).await;
    let before = bench.everything().await;
    assert_eq!(bench.try_submit(a_run().idempotent("order-1", "same")).await, SubmitOutcome::Existing(first));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn another_request_under_the_same_key_is_refused(bench: Bench) {
    let first = bench.submit(a_run().idempotent("order-1", "one")).await;
    let before = bench.everything().await;
    let outcome = bench.try_submit(a_run().idempotent("order-1", "two")).await;
    assert_eq!(outcome, SubmitOutcome::IdempotencyMismatch(first));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn other_keys_are_other_requests(bench: Bench) {
    bench.submit(a_run().idempotent("order-1", "same")).await;
    assert_eq!(bench.try_submit(a_run().idempotent("order-2", "same")).await, SubmitOutcome::Created);
}

pub(super) async fn a_request_twice_in_a_batch_is_stored_once(bench: Bench) {
    let (first, again) = (a_run().idempotent("k", "f"), a_run().idempotent("k", "f"));
    let id = first.0.id;
    let outcomes = bench.submit_all([first, again, a_run().idempotent("k", "g")]).await;
    let expected = [SubmitOutcome::Created, SubmitOutcome::Existing(id), SubmitOutcome::IdempotencyMismatch(id)];
    assert_eq!(outcomes, expected);
    assert_eq!(bench.list(RunFilter::default()).await, [id]);
}

pub(super) async fn a_key_is_remembered_until_its_time_is_over(bench: Bench) {
    let first = bench.submit(a_run().idempotent("k", "f")).await;
    bench.wait(3599);
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Existing(first));
    bench.wait(1);
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Created);
}

pub(super) async fn a_key_used_again_after_its_time_stands_for_the_new_run(bench: Bench) {
    bench.submit(a_run().idempotent("k", "old")).await;
    bench.wait(3600);
    let second = bench.submit(a_run().idempotent("k", "new")).await;
    bench.wait(3599);
    assert_eq!(bench.try_submit(a_run().idempotent("k", "new")).await, SubmitOutcome::Existing(second));
    assert_eq!(bench.try_submit(a_run().idempotent("k", "old")).await, SubmitOutcome::IdempotencyMismatch(second));
}

pub(super) async fn asking_again_does_not_prolong_the_memory(bench: Bench) {
    let first = bench.submit(a_run().idempotent("k", "f")).await;
    bench.wait(3000);
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Existing(first));
    bench.wait(600);
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Created);
}

pub(super) async fn idempotency_keys_belong_to_a_workspace(bench: Bench) {
    bench.workspace("other").await;
    bench.submit(a_run().idempotent("k", "f")).await;
    assert_eq!(bench.try_submit(a_run().of("other").idempotent("k", "f")).await, SubmitOutcome::Created);
}

pub(super) async fn a_finished_run_is_still_found_by_its_request(bench: Bench) {
    let first = bench.succeeded(a_run().idempotent("k", "f")).await;
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Existing(first));
}

pub(super) async fn a_repeated_request_with_the_same_id_is_recognised(bench: Bench) {
    let request = a_run().idempotent("k", "f");
    let id = bench.submit(request.clone()).await;
    assert_eq!(bench.try_submit(request).await, SubmitOutcome::Existing(id));
}

pub(super) async fn a_refused_request_is_not_remembered(bench: Bench) {
    let taken = bench.submit(a_run()).await;
    let full = bench.submit_into(room_for(1), [a_run().idempotent("k", "f")]).await;
    assert_eq!(full, [SubmitOutcome::QueueFull]);
    let duplicate = bench.try_submit(a_run().id(taken).idempotent("k", "f")).await;
    assert_eq!(duplicate, SubmitOutcome::DuplicateId);
    assert_eq!(bench.try_submit(a_run().idempotent("k", "f")).await, SubmitOutcome::Created);
}

pub(super) async fn a_request_answered_by_a_kept_run_is_remembered_as_that_run(bench: Bench) {
    let kept = bench.submit(a_run().key("nightly", KeyMode::Keep)).await;
    let again = || a_run().key("nightly", KeyMode::Keep).idempotent("k", "f");
    assert_eq!(bench.try_submit(again()).await, SubmitOutcome::Kept(kept));
    assert_eq!(bench.try_submit(again()).await, SubmitOutcome::Existing(kept));
}

pub(super) async fn a_request_that_replaced_a_run_is_remembered_as_that_run(bench: Bench) {
    let old = bench.submit(a_run().key("nightly", KeyMode::Keep)).await;
    let again = || a_run().key("nightly", KeyMode::Replace).payload("2").idempotent("k", "f");
    assert_eq!(bench.try_submit(again()).await, SubmitOutcome::Replaced(old));
    assert_eq!(bench.try_submit(again()).await, SubmitOutcome::Existing(old));
}

pub(super) async fn a_known_request_is_answered_though_the_queue_is_full(bench: Bench) {
    let first = bench.submit(a_run().idempotent("k", "f")).await;
    let outcomes = bench.submit_into(room_for(1), [a_run().idempotent("k", "f")]).await;
    assert_eq!(outcomes, [SubmitOutcome::Existing(first)]);
}
