//! Lanes and queues.

use super::super::super::{Call, SubmittedRun};
use super::story::{MS, Story, in_lane, lease, request};
use super::{Rule, assert_breaks, assert_right};
use crate::run::{Priority, Status};
use crate::store::SubmitOutcome;

#[test]
fn a_lane_runs_one_after_the_other() {
    let (first, second) = (in_lane("lane"), in_lane("lane"));
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created).claim(&first, 1, 1);
    story.finish(lease(first.id, 1), Status::Succeeded).claim(&second, 1, 1);
    assert_right(story.ends(&first, Status::Succeeded, 1).ends(&second, Status::Running, 1));
}

#[test]
fn two_runs_of_a_lane_never_run_at_once() {
    let (first, second) = (in_lane("lane"), in_lane("lane"));
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created).claim(&first, 1, 1);
    story.claim(&second, 1, 1).ends(&first, Status::Running, 1).ends(&second, Status::Running, 1);
    assert_breaks(&story, Rule::LaneOverlap);
}

#[test]
fn a_lane_keeps_the_order_of_submission() {
    let (first, second) = (in_lane("lane"), in_lane("lane"));
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created).claim(&second, 1, 1);
    story.finish(lease(second.id, 1), Status::Succeeded).claim(&first, 1, 1);
    assert_breaks(story.ends(&second, Status::Succeeded, 1).ends(&first, Status::Running, 1), Rule::LaneOrder);
}

#[test]
fn a_lane_keeps_the_order_of_a_batch() {
    let (first, second) = (in_lane("lane"), in_lane("lane"));
    let mut story = Story::default();
    let runs = vec![SubmittedRun::of(&first), SubmittedRun::of(&second)];
    let answers = Some(vec![SubmitOutcome::Created; 2]);
    story.call(Call::Submit { runs, queue_size: None, answers }).claim(&second, 1, 1);
    assert_breaks(story.ends(&second, Status::Running, 1).ends(&first, Status::Queued, 0), Rule::LaneOrder);
}

#[test]
fn a_more_urgent_run_goes_first() {
    let (first, mut second) = (in_lane("lane"), in_lane("lane"));
    second.priority = Priority::new(5).expect("in range");
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created).claim(&second, 1, 1);
    assert_right(story.ends(&second, Status::Running, 1).ends(&first, Status::Queued, 0));
}

#[test]
fn submissions_at_the_same_time_have_no_order() {
    let (first, second) = (in_lane("lane"), in_lane("lane"));
    let mut story = Story::default();
    let answers = Some(vec![SubmitOutcome::Created]);
    story.overlapping(Call::Submit { runs: vec![SubmittedRun::of(&first)], queue_size: None, answers }, 50 * MS);
    story.submit(&second, SubmitOutcome::Created).pass(50 * MS).claim(&second, 1, 1);
    assert_right(story.ends(&second, Status::Running, 1).ends(&first, Status::Queued, 0));
}

#[test]
fn a_limit_holds_at_every_instant() {
    let (first, second) = (request(), request());
    let mut story = Story::default();
    story.set_queue(false, Some(1)).submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created);
    story.claim(&first, 1, 1).claim(&second, 1, 1);
    story.ends(&first, Status::Running, 1).ends(&second, Status::Running, 1);
    assert_breaks(&story, Rule::QueueLimit);
}

#[test]
fn a_limit_set_later_stops_nobody() {
    let (first, second) = (request(), request());
    let mut story = Story::default();
    story.submit(&first, SubmitOutcome::Created).submit(&second, SubmitOutcome::Created);
    story.claim(&first, 1, 1).claim(&second, 1, 1).set_queue(false, Some(1));
    assert_right(story.ends(&first, Status::Running, 1).ends(&second, Status::Running, 1));
}

#[test]
fn nothing_starts_in_a_paused_queue() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).set_queue(true, None);
    assert_right(story.copy().set_queue(false, None).claim(&run, 1, 1).ends(&run, Status::Running, 1));
    assert_breaks(story.claim(&run, 1, 1).ends(&run, Status::Running, 1), Rule::QueuePaused);
}
