//! Loss, idempotency, queue size, keys.

use super::super::super::Call;
use super::story::{Story, lease, request};
use super::{Rule, assert_breaks, assert_right};
use crate::run::{Idempotency, IdempotencyKey, KeyMode, NewRun, RunKey, Status};
use crate::store::SubmitOutcome;

fn same_request(fingerprint: u8) -> NewRun {
    let key = IdempotencyKey::parse("once").expect("a good name");
    let ttl = jiff::SignedDuration::from_hours(24);
    NewRun { idempotency: Some(Idempotency { key, fingerprint: vec![fingerprint], ttl }), ..request() }
}

fn keyed() -> NewRun {
    NewRun { key: Some((RunKey::parse("key").expect("a good name"), KeyMode::Keep)), ..request() }
}

#[test]
fn what_was_acknowledged_is_there_or_was_pruned() {
    let run = request();
    let mut story = Story::default();
    assert_breaks(story.submit(&run, SubmitOutcome::Created), Rule::Lost);
    assert_right(story.call(Call::Prune { runs: Some(1) }));
}

#[test]
fn one_idempotency_key_leads_to_one_run() {
    let (first, second, other) = (same_request(1), same_request(1), same_request(2));
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Existing(first.id));
    story.submit(&other, SubmitOutcome::IdempotencyMismatch(first.id)).ends(&first, Status::Queued, 0);
    assert_right(&story);
    story.submit(&second, SubmitOutcome::Created).ends(&second, Status::Queued, 0);
    assert_breaks(&story, Rule::Idempotency);
}

#[test]
fn another_request_under_the_same_key_is_not_the_same() {
    let (first, other) = (same_request(1), same_request(2));
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&other, SubmitOutcome::Existing(first.id));
    assert_breaks(story.ends(&first, Status::Queued, 0), Rule::Idempotency);
}

#[test]
fn live_runs_never_exceed_the_queue_size() {
    let (first, second) = (request(), request());
    let mut story = Story::default();
    story.submit_into(&first, SubmitOutcome::Created, Some(1)).submit_into(&second, SubmitOutcome::QueueFull, Some(1));
    story.claim(&first, 1, 1).finish(lease(first.id, 1), Status::Succeeded).ends(&first, Status::Succeeded, 1);
    story.submit_into(&second, SubmitOutcome::Created, Some(1)).ends(&second, Status::Queued, 0);
    assert_right(&story);
    let third = request();
    story.submit_into(&third, SubmitOutcome::Created, Some(1)).ends(&third, Status::Cancelled, 0);
    story.ends(&third, Status::Queued, 0);
    assert_breaks(&story, Rule::QueueSize);
}

#[test]
fn at_most_one_live_run_has_a_key() {
    let (first, second) = (keyed(), keyed());
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Kept(first.id));
    assert_right(story.copy().ends(&first, Status::Queued, 0));
    story.submit(&second, SubmitOutcome::Created).ends(&first, Status::Queued, 0).ends(&second, Status::Queued, 0);
    assert_breaks(&story, Rule::RunKey);
}

#[test]
fn a_key_is_not_given_twice_even_if_one_of_them_ends() {
    let (first, second) = (keyed(), keyed());
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created).claim(&first, 1, 1);
    story.finish(lease(first.id, 1), Status::Succeeded).ends(&first, Status::Succeeded, 1);
    assert_breaks(story.ends(&second, Status::Queued, 0), Rule::RunKey);
}
