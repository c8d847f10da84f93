//! What people ask: cancel, pause, resume, enqueue, dismiss, rerun; and upstream runs that fail.

use crate::run::lifecycle::sample::{asked, at, at_its_last, attempted, finished, now, queued, running, upstream};
use crate::run::lifecycle::{Command, CommandOutcome, Step, command, rerun, upstream_failed};
use crate::run::{
    AttemptEnd, BlockedBy, Due, Ending, Json, LaneName, Priority, QueueName, RetryPolicy, Run, RunError, RunId, RunKey,
    State, Status, Stop, WorkspaceName,
};

fn paused(run: Run) -> Run {
    Run { state: State::Paused, ..run }
}

fn resume(run: Run) -> Step {
    command(run, Command::Resume, false, now()).expect("allowed").0
}

fn stop_of(run: &Run) -> Option<Stop> {
    run.execution().and_then(|execution| execution.stop)
}

#[test]
fn a_running_attempt_is_only_asked_to_stop() {
    let (step, outcome) = command(running(), Command::Cancel, false, now()).expect("allowed");
    assert_eq!((stop_of(&step.run), outcome), (Some(Stop::Cancel), CommandOutcome::CancelRequested));
    let (step, outcome) = command(running(), Command::Pause, false, now()).expect("allowed");
    assert_eq!((stop_of(&step.run), outcome), (Some(Stop::Pause), CommandOutcome::PauseRequested));
}

#[test]
fn a_cancel_outranks_a_pause_whichever_was_first() {
    let (step, outcome) = command(asked(Stop::Cancel), Command::Pause, false, now()).expect("allowed");
    assert_eq!((stop_of(&step.run), outcome), (Some(Stop::Cancel), CommandOutcome::CancelRequested));
    let (step, outcome) = command(asked(Stop::Pause), Command::Cancel, false, now()).expect("allowed");
    assert_eq!((stop_of(&step.run), outcome), (Some(Stop::Cancel), CommandOutcome::CancelRequested));
}

#[test]
fn a_run_that_waits_is_cancelled_at_once_by_nobodys_attempt() {
    for run in [queued(), paused(attempted(1)), Run { state: State::Retrying(None), ..attempted(1) }] {
        let (step, outcome) = command(run, Command::Cancel, false, now()).expect("allowed");
        assert_eq!(outcome, CommandOutcome::Cancelled);
        assert_eq!(step.run.state, State::Finished { ending: Ending::Cancelled, at: now(), by: None });
        assert_eq!(step.ended, None);
    }
}

#[test]
fn a_refusal_says_what_the_run_is() {
    let pending = Run { state: State::Pending, ..queued() };
    let refused = |run, word| command(run, word, false, now()).map(|(_, outcome)| outcome);
    let because = |status| Err(CommandOutcome::Refused { status });
    assert_eq!(refused(finished(Ending::Succeeded), Command::Cancel), because(Status::Succeeded));
    assert_eq!(refused(finished(Ending::Cancelled), Command::Resume), because(Status::Cancelled));
    assert_eq!(refused(pending, Command::Pause), because(Status::Pending));
    assert_eq!(refused(running(), Command::Dismiss), because(Status::Running));
    assert_eq!(refused(queued(), Command::Enqueue), because(Status::Queued));
}

#[test]
fn pausing_twice_is_pausing_once() {
    let run = paused(attempted(1));
    let again = command(run.clone(), Command::Pause, false, now());
    assert_eq!(again, Ok((Step { run, ended: None }, CommandOutcome::Paused)));
}

#[test]
fn a_resume_after_a_pause_leaves_room_for_one_more_attempt() {
    assert_eq!(resume(paused(queued())).run.max_attempts, 3);
    assert_eq!(resume(paused(attempted(2))).run.max_attempts, 3);
    assert_eq!(resume(at_its_last(paused(attempted(3)))).run.max_attempts, 4);
}

#[test]
fn a_resume_after_a_failure_leaves_room_for_as_many_as_at_first() {
    for ending in [Ending::Failed, Ending::TimedOut] {
        let run = resume(at_its_last(finished(ending))).run;
        assert_eq!((run.attempt, run.max_attempts, run.attempts_granted), (1, 4, 3));
    }
}

#[test]
fn a_run_that_comes_back_keeps_its_last_attempt_and_nothing_of_its_end() {
    let error = Some(RunError::lost());
    let before = Run { error: error.clone(), output: Some(Json::null()), ..finished(Ending::Failed) };
    let Step { run, ended } = resume(before);
    let ended = ended.expect("the attempt that ended it now needs a row");
    assert_eq!((ended.number, ended.epoch), (1, 1));
    assert_eq!(ended.ended, Some(AttemptEnd { at: at(-5), status: Status::Failed, error }));
    assert_eq!((run.error, run.output, run.available_at), (None, None, now()));
    assert_eq!(run.state, State::Queued(None));
    assert_eq!(resume(paused(attempted(1))).ended, None, "a pause has written its row already");
}

#[test]
fn a_run_that_comes_back_from_history_has_given_up_its_key() {
    let key = RunKey::parse("k").ok();
    assert_eq!(resume(Run { key: key.clone(), ..finished(Ending::Failed) }).run.key, None);
    assert_eq!(resume(Run { key: key.clone(), ..paused(queued()) }).run.key, key, "a live one keeps it");
}

#[test]
fn a_delay_outlives_a_pause_but_a_wait_between_attempts_does_not() {
    let delayed = resume(Run { available_at: at(50), ..paused(queued()) }).run;
    assert_eq!((delayed.available_at, delayed.blocked_by()), (at(50), Some(BlockedBy::AvailableAt)));
    let retried = resume(Run { available_at: at(50), ..paused(attempted(1)) }).run;
    assert_eq!((retried.available_at, retried.is_ready()), (now(), true));
}

#[test]
fn a_run_enters_behind_what_it_waits_for() {
    let pending = Run { state: State::Pending, ..queued() };
    for (run, word) in [(pending, Command::Enqueue), (paused(queued()), Command::Resume)] {
        let (step, _) = command(run, word, true, now()).expect("allowed");
        assert_eq!(step.run.blocked_by(), Some(BlockedBy::Upstream));
    }
}

#[test]
fn a_dismissal_changes_the_lane_and_not_the_run() {
    let run = finished(Ending::TimedOut);
    let dismissed = command(run.clone(), Command::Dismiss, false, now());
    assert_eq!(dismissed, Ok((Step { run, ended: None }, CommandOutcome::Dismissed)));
}

#[test]
fn a_failed_upstream_fails_those_that_wait_and_names_itself() {
    let pending = Run { state: State::Pending, ..queued() };
    let blocked = Run { state: State::Queued(Some(BlockedBy::Upstream)), ..queued() };
    for run in [pending, blocked, paused(queued())] {
        let Step { run, ended } = upstream_failed(run, upstream(), Status::Cancelled, now()).expect("waits");
        let said = format!("run {}, which this run waited for, ended cancelled", upstream());
        assert_eq!(run.error, Some(RunError::new("upstream_failed", said)));
        assert_eq!(run.state, State::Finished { ending: Ending::Failed, at: now(), by: None });
        assert_eq!(ended, None);
    }
}

#[test]
fn a_failed_upstream_leaves_those_alone_that_do_not_wait() {
    let retrying = Run { state: State::Retrying(None), ..attempted(1) };
    let endings = [Ending::Succeeded, Ending::Failed, Ending::TimedOut, Ending::Cancelled].map(finished);
    for run in endings.into_iter().chain([running(), retrying]) {
        assert_eq!(upstream_failed(run, upstream(), Status::Failed, now()), None);
    }
}

#[test]
fn a_rerun_asks_for_the_same_work_as_a_new_run() {
    let old = Run {
        workspace: WorkspaceName::parse("w").expect("short"),
        queue: QueueName::parse("q").expect("short"),
        lane: LaneName::parse("l").ok(),
        priority: Priority::new(7).expect("in range"),
        payload: Json::parse("[1]").expect("JSON"),
        metadata: Json::parse("{}").ok(),
        key: RunKey::parse("k").ok(),
        max_attempts: 9,
        attempts_granted: 5,
        retry: Some(RetryPolicy::default()),
        available_at: at(100),
        ..finished(Ending::Failed)
    };
    let id = RunId::new();
    let new = rerun(&old, id);
    assert_eq!((new.id, &new.workspace, &new.task, &new.queue), (id, &old.workspace, &old.task, &old.queue));
    assert_eq!((&new.lane, new.priority, &new.payload), (&old.lane, old.priority, &old.payload));
    assert_eq!((&new.metadata, new.retry), (&old.metadata, old.retry));
    assert_eq!(new.timeout_seconds.map(u32::from), old.timeout_seconds);
    assert_eq!(new.max_attempts.get(), 5, "what was asked for, not what resumes added");
    assert_eq!((new.key, new.idempotency, new.after, new.hold, new.due), (None, None, vec![], false, Due::Now));
}
