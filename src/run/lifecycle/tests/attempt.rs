//! How attempts end: errors, retries, requests to stop, releases, time limits.

use jiff::SignedDuration;

use crate::run::lifecycle::sample::{
    asked, at, at_its_last, at_most_once, by, executed, finished, leased_ahead, now, running,
};
use crate::run::lifecycle::{
    FREE_INTERRUPTIONS, FREE_POSTPONEMENTS, LeaseLost, Outcome, Release, Retry, Step, finish, overdue, release,
};
use crate::run::{
    AttemptEnd, BlockedBy, Ending, Jitter, Json, LaneName, RetryPolicy, Run, RunError, State, Status, Stop, Tenure,
};

fn end(run: Run, outcome: Outcome) -> Step {
    let epoch = run.epoch;
    finish(run, epoch, outcome, Jitter(0), now(), now()).expect("the lease is held")
}

fn failed(retry: Retry) -> Outcome {
    Outcome::Failed { error: RunError::new("exit", "exit code 1"), retry }
}

fn give_back(run: Run, how: Release) -> Step {
    let epoch = run.epoch;
    release(run, epoch, how, now()).expect("the lease is held")
}

fn code(run: &Run) -> Option<&str> {
    run.error.as_ref().map(|error| error.code.as_str())
}

fn message(run: &Run) -> &str {
    run.error.as_ref().map_or("", |error| error.message.as_str())
}

#[test]
fn a_success_keeps_the_output_and_forgets_earlier_errors() {
    let output = Json::parse("[1]").ok();
    let before = Run { error: Some(RunError::lost()), ..running() };
    let step = end(before, Outcome::Succeeded { output: output.clone() });
    assert_eq!((step.run.output, step.run.error), (output, None));
    assert_eq!(step.run.state, State::Finished { ending: Ending::Succeeded, at: now(), by: Some(by(at(-10))) });
    assert_eq!(step.ended, None, "the attempt that ends a run has no row of its own");
}

#[test]
fn every_loss_has_its_code_and_says_what_happened() {
    let lost = end(at_its_last(running()), Outcome::Lost).run;
    assert_eq!((lost.status(), code(&lost)), (Status::Failed, Some("lost")));
    assert_eq!(message(&lost), "the worker was lost and its work could not be found again");
    let late = end(at_its_last(running()), Outcome::TimedOut { limit_seconds: None }).run;
    assert_eq!((late.status(), code(&late)), (Status::TimedOut, Some("timed_out")));
    assert_eq!(message(&late), "the attempt exceeded its time limit of 60 s");
    let wrong = end(at_its_last(running()), failed(Retry::Backoff)).run;
    assert_eq!((wrong.status(), code(&wrong), message(&wrong)), (Status::Failed, Some("exit"), "exit code 1"));
}

#[test]
fn an_attempt_that_does_not_end_the_run_is_kept() {
    let Step { run, ended } = end(running(), failed(Retry::Backoff));
    let kept = ended.expect("a row");
    assert_eq!((kept.number, kept.epoch, kept.by), (1, 1, by(at(-10))));
    assert_eq!(kept.ended, Some(AttemptEnd { at: now(), status: Status::Retrying, error: run.error.clone() }));
    for outcome in [Outcome::Lost, Outcome::TimedOut { limit_seconds: None }, Outcome::Paused] {
        assert!(end(running(), outcome.clone()).ended.is_some(), "{outcome:?}");
    }
    for how in [Release::ToQueue, Release::ToPaused] {
        assert!(give_back(running(), how).ended.is_some(), "{how:?}");
    }
}

#[test]
fn an_attempt_that_goes_on_or_ends_the_run_has_no_row() {
    assert_eq!(give_back(running(), Release::ForAdoption).ended, None);
    assert_eq!(end(running(), Outcome::Cancelled).ended, None);
    assert_eq!(end(at_its_last(running()), failed(Retry::Backoff)).ended, None);
}

#[test]
fn a_failure_may_say_when_to_try_again_or_that_there_is_no_point() {
    let soon = end(running(), failed(Retry::Backoff)).run;
    assert_eq!((soon.available_at, soon.blocked_by()), (at(1), Some(BlockedBy::AvailableAt)));
    let later = end(running(), failed(Retry::After(SignedDuration::from_secs(90)))).run;
    assert_eq!((later.available_at, later.attempt), (at(90), 1));
    let at_once = end(running(), failed(Retry::After(SignedDuration::ZERO))).run;
    assert!(at_once.is_ready());
    assert_eq!(end(running(), failed(Retry::Never)).run.status(), Status::Failed);
}

#[test]
fn no_wait_goes_past_the_end_of_time() {
    let run = end(running(), failed(Retry::After(SignedDuration::MAX))).run;
    assert_eq!((run.status(), run.available_at), (Status::Retrying, crate::clock::to_micros(jiff::Timestamp::MAX)));
}

#[test]
fn the_wait_follows_the_policy_of_the_run_and_its_cap() {
    let retry = Some(RetryPolicy { base_ms: 2_000, factor: 10, cap_ms: 5_000 });
    let run = Run { retry, attempt: 400, epoch: 400, max_attempts: 1_000, ..running() };
    let waits = [0, u32::MAX].map(|draw| finish(run.clone(), 400, failed(Retry::Backoff), Jitter(draw), now(), now()));
    assert_eq!(waits.map(|step| step.map(|step| step.run.available_at)), [Ok(at(2)), Ok(at(5))]);
}

#[test]
fn a_retrying_run_keeps_its_lane() {
    let run = Run { lane: LaneName::parse("l").ok(), ..running() };
    assert!(end(run, failed(Retry::After(SignedDuration::ZERO))).run.is_ready());
}

#[test]
fn nothing_that_was_asked_to_stop_starts_again() {
    let cancelled = end(asked(Stop::Cancel), failed(Retry::Backoff)).run;
    assert_eq!((cancelled.status(), code(&cancelled)), (Status::Cancelled, Some("exit")));
    let paused = end(asked(Stop::Pause), failed(Retry::Backoff)).run;
    assert_eq!((paused.status(), code(&paused)), (Status::Paused, Some("exit")));
    let over = end(at_its_last(asked(Stop::Pause)), failed(Retry::Backoff)).run;
    assert_eq!(over.status(), Status::Failed, "there was nothing left to pause");
    assert_eq!(end(asked(Stop::Pause), failed(Retry::Never)).run.status(), Status::Failed);
}

#[test]
fn a_success_outruns_a_request_to_stop() {
    for stop in [Stop::Cancel, Stop::Pause] {
        assert_eq!(end(asked(stop), Outcome::Succeeded { output: None }).run.status(), Status::Succeeded);
    }
}

#[test]
fn a_cancel_that_comes_while_the_work_is_paused_is_not_forgotten() {
    let Step { run, ended } = end(asked(Stop::Cancel), Outcome::Paused);
    assert_eq!((run.status(), ended), (Status::Cancelled, None));
}

#[test]
fn a_run_released_to_the_queue_gets_its_attempt_back() {
    let Step { run, ended } = give_back(running(), Release::ToQueue);
    assert_eq!((run.status(), run.attempt, run.epoch, run.interruptions), (Status::Queued, 0, 1, 1));
    assert_eq!((run.available_at, run.is_ready()), (now(), true));
    assert_eq!((code(&run), message(&run)), (Some("interrupted"), "interrupted by shutdown"));
    assert_eq!(ended.map(|attempt| attempt.number), Some(1));
    let in_lane = Run { lane: LaneName::parse("l").ok(), ..running() };
    assert_eq!(give_back(in_lane, Release::ToQueue).run.blocked_by(), Some(BlockedBy::Lane));
}

#[test]
fn interruptions_are_free_up_to_a_number_and_then_count() {
    let tired = |interruptions| Run { interruptions, ..running() };
    let last_free = give_back(tired(FREE_INTERRUPTIONS - 1), Release::ToQueue).run;
    assert_eq!((last_free.status(), last_free.attempt), (Status::Queued, 0));
    let counted = give_back(tired(FREE_INTERRUPTIONS), Release::ToQueue).run;
    assert_eq!((counted.status(), counted.attempt, counted.available_at), (Status::Retrying, 1, at(1)));
    assert_eq!(message(&counted), "interrupted by shutdown 11 times; the attempt now counts");
    let over = give_back(at_its_last(tired(FREE_INTERRUPTIONS)), Release::ToQueue).run;
    assert_eq!((over.status(), code(&over)), (Status::Failed, Some("interrupted")));
}

#[test]
fn a_run_that_may_start_only_once_is_paused_rather_than_requeued() {
    let run = give_back(at_most_once(running()), Release::ToQueue).run;
    assert_eq!((run.status(), run.attempt, code(&run)), (Status::Paused, 1, Some("interrupted")));
    let resumed = Run { attempt: 2, max_attempts: 2, ..at_most_once(running()) };
    assert_eq!(give_back(resumed, Release::ToQueue).run.status(), Status::Paused, "nor after a resume");
}

#[test]
fn a_run_given_back_before_it_began_is_as_if_it_had_not_been_claimed() {
    for run in [running(), at_most_once(running()), Run { interruptions: FREE_INTERRUPTIONS, ..running() }] {
        let Step { run: after, ended } = give_back(run.clone(), Release::Unbegun);
        assert_eq!((after.status(), after.attempt, after.interruptions), (Status::Queued, 0, run.interruptions));
        assert_eq!((after.available_at, after.is_ready(), code(&after)), (now(), true, Some("not_begun")));
        assert!(ended.is_some());
    }
}

#[test]
fn a_run_leased_ahead_is_given_back_as_if_nothing_had_been() {
    let Step { run, ended } = give_back(leased_ahead(None), Release::Unbegun);
    assert_eq!((run.attempt, run.is_ready(), run.error, ended), (0, true, None, None));
    assert_eq!((run.available_at, run.epoch), (at(-1000), 1), "an answer to the lease that it had would come too late");
    let cancelled = give_back(leased_ahead(Some(Stop::Cancel)), Release::Unbegun).run;
    assert_eq!((cancelled.status(), cancelled.attempt), (Status::Cancelled, 0));
    let paused = give_back(leased_ahead(Some(Stop::Pause)), Release::Unbegun).run;
    assert_eq!((paused.status(), paused.attempt), (Status::Paused, 0));
}

#[test]
fn a_run_leased_ahead_began_when_its_worker_says_but_not_before_its_lease() {
    for (said, began) in [(at(-3), at(-3)), (at(-3600), at(-10))] {
        let run = leased_ahead(None);
        let done = Outcome::Succeeded { output: None };
        let run = finish(run.clone(), run.epoch, done, Jitter(0), said, now()).expect("the lease is held").run;
        assert_eq!((run.attempt, run.started_at), (1, Some(began)));
        assert_eq!(run.state, State::Finished { ending: Ending::Succeeded, at: now(), by: Some(by(began)) });
    }
    let stopped = give_back(leased_ahead(None), Release::ToQueue);
    assert_eq!((stopped.run.attempt, stopped.run.interruptions), (0, 1), "interrupted like any other");
}

#[test]
fn work_that_is_missing_is_not_tried_again_before_it_must_have_stopped() {
    let missing = |after| end(running(), Outcome::Missing { stopped_by: at(after) }).run;
    assert_eq!((missing(60).available_at, missing(60).blocked_by()), (at(60), Some(BlockedBy::AvailableAt)));
    assert_eq!(code(&missing(60)), Some("lost"));
    let lost = end(running(), Outcome::Lost).run;
    assert_eq!(
        (missing(-60).available_at, missing(-60).state),
        (lost.available_at, lost.state),
        "as long as the retry policy says, at least"
    );
    let last = end(at_its_last(running()), Outcome::Missing { stopped_by: at(60) }).run;
    assert_eq!((last.status(), code(&last)), (Status::Failed, Some("lost")));
    let cancelled = end(asked(Stop::Cancel), Outcome::Missing { stopped_by: at(60) }).run;
    assert_eq!(cancelled.status(), Status::Cancelled);
}

#[test]
fn a_release_honours_what_was_asked() {
    for how in [Release::ToQueue, Release::ToPaused, Release::Unbegun] {
        assert_eq!(give_back(asked(Stop::Cancel), how).run.status(), Status::Cancelled);
        let paused = give_back(asked(Stop::Pause), how).run;
        assert_eq!((paused.status(), code(&paused)), (Status::Paused, None), "paused by a person, not a shutdown");
    }
    let adoptable = give_back(asked(Stop::Cancel), Release::ForAdoption).run;
    let expected = executed(Tenure::Orphaned { since: at(30) }, Some(Stop::Cancel)).state;
    assert_eq!(adoptable.state, expected, "whoever adopts it will see");
}

#[test]
fn a_word_by_another_epoch_or_after_the_lease_is_refused() {
    for epoch in [0, 2] {
        assert_eq!(finish(running(), epoch, Outcome::Lost, Jitter(0), now(), now()), Err(LeaseLost));
        assert_eq!(release(running(), epoch, Release::ToQueue, now()), Err(LeaseLost));
    }
    assert_eq!(finish(running(), 1, Outcome::Lost, Jitter(0), now(), at(30)), Err(LeaseLost));
    assert_eq!(finish(finished(Ending::Failed), 1, Outcome::Lost, Jitter(0), now(), now()), Err(LeaseLost));
}

#[test]
fn an_attempt_past_its_time_and_the_grace_ends_whoever_holds_it() {
    let grace = SignedDuration::from_secs(5);
    let found = |run: Run, seconds| overdue(run, grace, Jitter(0), at(seconds)).map(|step| step.run.status());
    let orphaned = executed(Tenure::Orphaned { since: at(-1) }, None);
    // Begun 10 s ago with 60 s to go and 5 s of grace.
    assert_eq!(found(running(), 54), None);
    assert_eq!(found(running(), 55), Some(Status::Retrying));
    assert_eq!(found(at_its_last(orphaned), 55), Some(Status::TimedOut));
    assert_eq!(found(asked(Stop::Cancel), 55), Some(Status::Cancelled));
}

#[test]
fn an_attempt_without_a_limit_is_never_overdue() {
    let run = Run { timeout_seconds: None, ..running() };
    assert_eq!(overdue(run, SignedDuration::ZERO, Jitter(0), jiff::Timestamp::MAX), None);
    assert_eq!(overdue(finished(Ending::Failed), SignedDuration::ZERO, Jitter(0), at(9_999)), None);
    assert_eq!(overdue(running(), SignedDuration::MAX, Jitter(0), at(9_999)), None, "and no grace overflows");
}

#[test]
fn work_that_asks_for_later_waits_and_keeps_its_attempt() {
    let later = |wait| failed(Retry::Later(wait));
    let Step { run, ended } = end(at_its_last(running()), later(Some(SignedDuration::from_secs(90))));
    assert_eq!((run.status(), run.attempt, run.postponements), (Status::Retrying, 0, 1));
    assert_eq!((run.available_at, code(&run)), (at(90), Some("exit")));
    assert_eq!(ended.map(|attempt| attempt.number), Some(1));
    let policy = Some(RetryPolicy { base_ms: 1_000, factor: 2, cap_ms: 60_000 });
    let before = Run { postponements: 3, retry: policy, ..running() };
    let run = finish(before, 1, later(None), Jitter(u32::MAX), now(), now()).expect("the lease is held").run;
    assert_eq!((run.available_at, run.postponements), (at(16), 4), "the wait grows with the postponements");
}

#[test]
fn asking_for_later_too_often_or_with_a_single_attempt_counts_as_a_failure() {
    let later = || failed(Retry::Later(Some(SignedDuration::from_secs(90))));
    let exhausted = Run { postponements: FREE_POSTPONEMENTS, ..running() };
    let run = end(exhausted.clone(), later()).run;
    assert_eq!((run.status(), run.attempt, run.postponements), (Status::Retrying, 1, FREE_POSTPONEMENTS));
    assert_eq!(end(at_its_last(exhausted), later()).run.status(), Status::Failed);
    assert_eq!(end(at_most_once(running()), later()).run.status(), Status::Failed);
}

#[test]
fn asking_for_later_does_not_undo_a_request_to_stop() {
    let later = || failed(Retry::Later(None));
    assert_eq!(end(asked(Stop::Cancel), later()).run.status(), Status::Cancelled);
    let paused = end(asked(Stop::Pause), later()).run;
    assert_eq!((paused.status(), paused.attempt, paused.postponements), (Status::Paused, 0, 1));
}
