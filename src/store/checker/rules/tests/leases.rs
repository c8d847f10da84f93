//! Holders, epochs, stale writes, expiry, takeover.

use super::super::super::Call;
use super::story::{DELAY, MS, Story, TTL, host, lease, request};
use super::{Rule, assert_breaks, assert_right};
use crate::run::Status;
use crate::store::{Renewal, SubmitOutcome};

#[test]
fn a_plain_life_with_a_loss_and_an_adoption_is_right() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).renew(lease(run.id, 1)).pass(TTL);
    story.refused(lease(run.id, 1)).adopt("here", &run, 2, 1).refused(lease(run.id, 1));
    story.finish(lease(run.id, 2), Status::Succeeded).ends(&run, Status::Succeeded, 2);
    assert_right(&story);
}

#[test]
fn nobody_gets_a_run_that_another_holds() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).claim(&run, 2, 2).ends(&run, Status::Running, 2);
    assert_breaks(&story, Rule::OneHolder);
}

#[test]
fn a_renewed_lease_is_held_longer() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL - 100 * MS).renew(lease(run.id, 1));
    story.pass(100 * MS).adopt("here", &run, 2, 1).ends(&run, Status::Running, 2);
    assert_breaks(&story, Rule::OneHolder);
}

#[test]
fn a_lease_that_was_found_locked_is_held_and_not_longer() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL - 100 * MS);
    story.call(Call::Renew { leases: vec![lease(run.id, 1)], ttl: TTL, answers: Some(vec![Renewal::Busy]) });
    assert_right(story.copy().pass(100 * MS).adopt("here", &run, 2, 1).ends(&run, Status::Running, 2));
    assert_breaks(story.adopt("here", &run, 2, 1).ends(&run, Status::Running, 2), Rule::OneHolder);
}

#[test]
fn an_unanswered_finish_may_have_ended_the_lease() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1);
    story.unheard(Call::Finish { leases: vec![lease(run.id, 1)], answers: None });
    story.claim(&run, 2, 2).ends(&run, Status::Running, 2);
    assert_right(&story);
}

#[test]
fn an_epoch_is_given_once() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL).adopt("here", &run, 1, 1);
    assert_breaks(story.ends(&run, Status::Running, 1), Rule::Epochs);
}

#[test]
fn epochs_leave_no_gap_unless_a_claim_went_unheard() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).finish(lease(run.id, 1), Status::Retrying);
    story.claim(&run, 3, 2).ends(&run, Status::Running, 3);
    assert_breaks(&story, Rule::Epochs);
    story.unheard(Call::Claim { host: host("here"), capacity: 1, takeover_delay: DELAY, granted: None });
    assert_right(&story);
}

#[test]
fn an_adoption_is_the_same_attempt() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL).adopt("here", &run, 2, 2);
    assert_breaks(story.ends(&run, Status::Running, 2), Rule::Epochs);
}

#[test]
fn an_old_epoch_has_no_say() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL).adopt("here", &run, 2, 1);
    story.finish(lease(run.id, 1), Status::Succeeded).ends(&run, Status::Succeeded, 2);
    assert_breaks(&story, Rule::StaleEpoch);
}

#[test]
fn an_attempt_is_ended_once() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).finish(lease(run.id, 1), Status::Retrying);
    assert_breaks(story.finish(lease(run.id, 1), Status::Retrying), Rule::StaleEpoch);
}

#[test]
fn a_lease_that_ran_out_has_no_say() {
    let run = request();
    let mut story = Story::default();
    story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL);
    story.finish(lease(run.id, 1), Status::Succeeded).ends(&run, Status::Succeeded, 1);
    assert_breaks(&story, Rule::Expiry);
}

#[test]
fn another_host_waits_before_it_takes_over() {
    let run = request();
    let adopted_after = |wait| {
        let mut story = Story::default();
        story.submit(&run, SubmitOutcome::Created).claim(&run, 1, 1).pass(TTL + wait);
        story.adopt("elsewhere", &run, 2, 1).ends(&run, Status::Running, 2);
        story
    };
    assert_breaks(&adopted_after(DELAY / 2), Rule::Takeover);
    assert_right(&adopted_after(DELAY));
}
