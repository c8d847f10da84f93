//! How an attempt ends, and what the run becomes by it.

use jiff::{SignedDuration, Timestamp};

use super::{LeaseLost, Step, begin, holds, is_too_late};
use crate::clock::later;
use crate::run::{
    AttemptEnd, AttemptedBy, BlockedBy, Ending, Execution, Jitter, Json, Run, RunError, State, Stop, Tenure,
};

/// What a worker says of an attempt it held to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The work is done.
    Succeeded {
        /// What it returned.
        output: Option<Json>,
    },
    /// The work failed.
    Failed {
        /// Why.
        error: RunError,
        /// Whether and when to try again.
        retry: Retry,
    },
    /// The work exceeded its time and was stopped.
    TimedOut {
        /// Of so many seconds, if it was not the run's own.
        limit_seconds: Option<u32>,
    },
    /// The work was stopped for good.
    Cancelled,
    /// The work was stopped until resumed.
    Paused,
    /// The attempt was adopted, but nothing of the work could be found.
    Lost,
    /// As [`Lost`](Self::Lost), but the work can go on without its worker, and may do so in a place that this worker took
    /// for its own: the next attempt waits until such work must have stopped.
    Missing {
        /// By then it has: the end of the last lease and the takeover delay.
        stopped_by: Timestamp,
    },
}

impl Outcome {
    /// What the work returned.
    pub fn output(&self) -> Option<&Json> {
        match self {
            Outcome::Succeeded { output } => output.as_ref(),
            _ => None,
        }
    }
}

/// What a failure says of the next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Wait as the run's retry policy says.
    Backoff,
    /// Wait exactly so long.
    After(SignedDuration),
    /// The work could not be done now and asks to be tried later, which burns no attempt: after so long, or as the
    /// run's retry policy says.
    Later(Option<SignedDuration>),
    /// There is no point.
    Never,
}

/// How a worker that shuts down gives an attempt back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The work goes on without the worker; another one adopts it.
    ForAdoption,
    /// The work was stopped and starts again from the queue.
    ToQueue,
    /// The work was stopped and waits for a person.
    ToPaused,
    /// The work had not begun yet; all is as if it had not been claimed. Of a run that was leased ahead, nothing is left at all.
    Unbegun,
}

/// How many interruptions by shutdown are free. Beyond it they count as attempts, so that a run which never
/// survives a deployment ends.
pub const FREE_INTERRUPTIONS: u32 = 10;

/// How often work may ask to be tried later for free. Beyond it such an attempt counts like any that failed, so that a
/// run which always asks for it ends.
pub const FREE_POSTPONEMENTS: u32 = 100;

/// Ends the attempt held by `epoch`. If the run was leased ahead, it `began` then.
pub fn finish(
    run: Run,
    epoch: i64,
    outcome: Outcome,
    jitter: Jitter,
    began: Timestamp,
    now: Timestamp,
) -> Result<Step, LeaseLost> {
    if holds(&run, epoch, now) { Ok(end(begin(run, began), outcome, jitter, now)) } else { Err(LeaseLost) }
}

/// Ends an attempt that is past its time by more than `grace`, whoever holds it; `None` if it is not.
pub fn overdue(run: Run, grace: SignedDuration, jitter: Jitter, now: Timestamp) -> Option<Step> {
    let limit = run.timeout_seconds?;
    let State::Running(Execution { by: AttemptedBy { started_at: started, .. }, .. }) = run.state else { return None };
    let deadline = later(later(started, SignedDuration::from_secs(limit.into())), grace);
    (deadline <= now).then(|| end(run, Outcome::TimedOut { limit_seconds: None }, jitter, now))
}

/// Ends a run whose start deadline has passed; `None` if it has begun or need not have.
pub fn end_if_too_late(run: Run, now: Timestamp) -> Option<Step> {
    let waits = matches!(run.state, State::Pending | State::Queued(_) | State::Paused);
    let start_by = run.start_by.filter(|_| waits && is_too_late(&run, now))?;
    Some(finished(run, Ending::Cancelled, Some(RunError::start_deadline_passed(start_by)), now))
}

/// Ends an attempt that was claimed and must not start.
pub fn refuse(run: Run, error: RunError, now: Timestamp) -> Run {
    finished(run, Ending::Failed, Some(error), now).run
}

/// Gives the attempt held by `epoch` back without an outcome.
pub fn release(run: Run, epoch: i64, how: Release, now: Timestamp) -> Result<Step, LeaseLost> {
    if !holds(&run, epoch, now) {
        return Err(LeaseLost);
    }
    let stop = run.execution().and_then(|execution| execution.stop);
    if let (State::Leased(_), Release::Unbegun) = (&run.state, how) {
        return Ok(unleased(run, stop, now));
    }
    // Anything else that is said of a run leased ahead means that its attempt has begun.
    let run = begin(run, now);
    Ok(match (how, stop) {
        (Release::ForAdoption, _) => orphaned(run, now),
        (_, Some(Stop::Cancel)) => end(run, Outcome::Cancelled, Jitter(0), now),
        (_, Some(Stop::Pause)) => end(run, Outcome::Paused, Jitter(0), now),
        // With a single attempt the caller was promised that the work starts at most once.
        (Release::ToQueue, None) if run.attempts_granted > 1 => interrupted(run, now),
        (Release::Unbegun, None) => requeued(run, RunError::new("not_begun", "given back before it began"), now),
        _ => paused(run, Some(RunError::new("interrupted", "interrupted by shutdown")), now),
    })
}

/// Takes a run back whose worker was never told that it holds it. Its attempt has not begun, unless it was under way when the worker
/// adopted it.
pub fn take_back(run: Run, now: Timestamp) -> Result<Step, LeaseLost> {
    let epoch = run.epoch;
    let how = if may_be_adopted_work(&run) { Release::ForAdoption } else { Release::Unbegun };
    release(run, epoch, how, now)
}

/// Whether this attempt was perhaps adopted. Each claim and each adoption raises the epoch, and each claim the attempt, unless that was
/// given back for free.
fn may_be_adopted_work(run: &Run) -> bool {
    let claims = run.attempt + run.interruptions.min(FREE_INTERRUPTIONS) + run.postponements;
    matches!(run.state, State::Running(_)) && run.epoch != i64::from(claims)
}

/// As if it had never been leased ahead, but for what was asked of it meanwhile.
fn unleased(run: Run, stop: Option<Stop>, now: Timestamp) -> Step {
    let state = match stop {
        Some(Stop::Cancel) => State::Finished { ending: Ending::Cancelled, at: now, by: None },
        Some(Stop::Pause) => State::Paused,
        None => State::Queued(None),
    };
    Step::to(Run { state, ..run })
}

fn orphaned(mut run: Run, now: Timestamp) -> Step {
    if let State::Running(Execution { tenure, .. }) = &mut run.state {
        // The work goes on as long as the lease allows, and the wait of other machines begins when that ends.
        let since = if let Tenure::Leased { until } = *tenure { until } else { now };
        *tenure = Tenure::Orphaned { since };
    }
    Step::to(run)
}

fn interrupted(mut run: Run, now: Timestamp) -> Step {
    run.interruptions += 1;
    if run.interruptions > FREE_INTERRUPTIONS {
        let error = RunError::interrupted(run.interruptions);
        return end(run, Outcome::Failed { error, retry: Retry::Backoff }, Jitter(0), now);
    }
    requeued(run, RunError::new("interrupted", "interrupted by shutdown"), now)
}

/// Back in line, with its attempt.
fn requeued(run: Run, error: RunError, now: Timestamp) -> Step {
    let blocked_by = run.lane.is_some().then_some(BlockedBy::Lane);
    let mut step = leave(run, State::Queued(blocked_by), Some(error), now);
    step.run.attempt -= 1;
    step.run.available_at = now;
    step
}

fn end(run: Run, outcome: Outcome, jitter: Jitter, now: Timestamp) -> Step {
    let stop = run.execution().and_then(|execution| execution.stop);
    let (error, retry, ending) = match outcome {
        Outcome::Succeeded { output } => return succeeded(run, output, now),
        Outcome::Missing { stopped_by } => return missing(run, stopped_by, jitter, now),
        Outcome::Cancelled => return finished(run, Ending::Cancelled, None, now),
        // The cancel came while the work was being stopped for the pause.
        Outcome::Paused if stop == Some(Stop::Cancel) => return finished(run, Ending::Cancelled, None, now),
        Outcome::Paused => return paused(run, None, now),
        Outcome::Failed { error, retry } => (error, retry, Ending::Failed),
        Outcome::TimedOut { limit_seconds } => {
            let limit = run.timeout_seconds.or(limit_seconds).unwrap_or_default();
            (RunError::timed_out(limit), Retry::Backoff, Ending::TimedOut)
        }
        Outcome::Lost => (RunError::lost(), Retry::Backoff, Ending::Failed),
    };
    if let Retry::Later(wait) = retry
        && may_be_postponed(&run)
    {
        return postponed(run, error, wait, jitter, now);
    }
    let wait = match retry {
        Retry::Never => None,
        _ if run.attempt >= run.max_attempts => None,
        Retry::Backoff | Retry::Later(None) => Some(run.retry.unwrap_or_default().wait(run.attempt, jitter)),
        Retry::After(wait) | Retry::Later(Some(wait)) => Some(wait),
    };
    match (stop, wait) {
        // Nothing that was asked to stop may start again.
        (Some(Stop::Cancel), _) => finished(run, Ending::Cancelled, Some(error), now),
        (Some(Stop::Pause), Some(_)) => paused(run, Some(error), now),
        (_, Some(wait)) => retrying(run, error, wait, now),
        (_, None) => finished(run, ending, Some(error), now),
    }
}

/// Lost, with no other attempt before `stopped_by`.
fn missing(run: Run, stopped_by: Timestamp, jitter: Jitter, now: Timestamp) -> Step {
    let mut step = end(run, Outcome::Lost, jitter, now);
    if let State::Retrying(blocked_by) = &mut step.run.state {
        step.run.available_at = step.run.available_at.max(stopped_by);
        *blocked_by = (step.run.available_at > now).then_some(BlockedBy::AvailableAt);
    }
    step
}

/// With a single attempt the caller was promised that the work starts at most once, whatever it says.
fn may_be_postponed(run: &Run) -> bool {
    run.attempts_granted > 1 && run.postponements < FREE_POSTPONEMENTS
}

/// Waits for another try of the same attempt, unless it was asked to stop. Like one that is retried, it stays in its lane.
fn postponed(mut run: Run, error: RunError, wait: Option<SignedDuration>, jitter: Jitter, now: Timestamp) -> Step {
    let stop = run.execution().and_then(|execution| execution.stop);
    if stop == Some(Stop::Cancel) {
        return finished(run, Ending::Cancelled, Some(error), now);
    }
    run.postponements += 1;
    // The attempt's number does not grow, so the wait grows with the number of postponements.
    let wait = wait.unwrap_or_else(|| run.retry.unwrap_or_default().wait(run.postponements, jitter));
    let mut step = match stop {
        Some(_) => paused(run, Some(error), now),
        None => retrying(run, error, wait, now),
    };
    step.run.attempt -= 1;
    step
}

fn succeeded(mut run: Run, output: Option<Json>, now: Timestamp) -> Step {
    run.output = output;
    finished(run, Ending::Succeeded, None, now)
}

fn finished(mut run: Run, ending: Ending, error: Option<RunError>, now: Timestamp) -> Step {
    let by = run.execution().map(|execution| execution.by.clone());
    run.error = error;
    run.state = State::Finished { ending, at: now, by };
    Step::to(run)
}

fn paused(run: Run, error: Option<RunError>, now: Timestamp) -> Step {
    leave(run, State::Paused, error, now)
}

fn retrying(mut run: Run, error: RunError, wait: SignedDuration, now: Timestamp) -> Step {
    run.available_at = later(now, wait);
    let blocked_by = (run.available_at > now).then_some(BlockedBy::AvailableAt);
    leave(run, State::Retrying(blocked_by), Some(error), now)
}

/// Leaves `running` without ending: the attempt gets a row of its own.
fn leave(mut run: Run, state: State, error: Option<RunError>, now: Timestamp) -> Step {
    let State::Running(Execution { .. }) = run.state else { return Step::to(run) };
    let mut attempt = run.last_attempt();
    run.state = state;
    if let Some(attempt) = &mut attempt {
        attempt.ended = Some(AttemptEnd { at: now, status: run.status(), error: error.clone() });
    }
    run.error = error;
    Step { run, ended: attempt }
}
