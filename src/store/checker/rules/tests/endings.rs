//! Endings and attempts.

use super::story::{Story, lease, request};
use super::{Rule, assert_breaks, assert_right};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{NewRun, Status};
use crate::store::SubmitOutcome;

fn failed() -> (NewRun, Story) {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).finish(lease(run.id, 1), Status::Failed);
    (run, story)
}

#[test]
fn a_resumed_run_may_end_again() {
    let (run, mut story) = failed();
    story.command(run.id, Command::Resume, CommandOutcome::Resumed).claim(&run, 2, 2);
    story.finish(lease(run.id, 2), Status::Succeeded).ends(&run, Status::Succeeded, 2);
    assert_right(&story);
}

#[test]
fn a_run_ends_once_in_a_life() {
    let (run, mut story) = failed();
    story.command(run.id, Command::Cancel, CommandOutcome::Cancelled).ends(&run, Status::Cancelled, 1);
    assert_breaks(&story, Rule::OneEnding);
}

#[test]
fn a_cancelled_run_never_starts() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).command(run.id, Command::Cancel, CommandOutcome::Cancelled);
    assert_right(story.ends(&run, Status::Cancelled, 0));
    assert_breaks(story.claim(&run, 1, 1), Rule::StaysEnded);
}

#[test]
fn a_failed_run_starts_only_when_resumed() {
    let (run, mut story) = failed();
    assert_breaks(story.claim(&run, 2, 2).ends(&run, Status::Running, 2), Rule::StaysEnded);
}

#[test]
fn a_succeeded_run_is_not_resumed() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).finish(lease(run.id, 1), Status::Succeeded);
    story.command(run.id, Command::Resume, CommandOutcome::Resumed).ends(&run, Status::Succeeded, 1);
    assert_breaks(&story, Rule::StaysEnded);
}

#[test]
fn the_accepted_outcome_is_the_one_shown() {
    let (run, mut story) = failed();
    assert_breaks(story.ends(&run, Status::Succeeded, 1), Rule::OutcomeKept);
}

#[test]
fn no_more_attempts_than_granted() {
    let run = NewRun { max_attempts: std::num::NonZeroU16::MIN, ..request() };
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).finish(lease(run.id, 1), Status::Retrying);
    let mut again = story.granted(&run, 2, 2);
    // Even where the run itself has forgotten its limit.
    again.max_attempts = 9;
    assert_breaks(story.grant("here", again).ends(&run, Status::Running, 2), Rule::Attempts);
}
