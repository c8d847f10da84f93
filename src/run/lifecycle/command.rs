//! What a person or program outside may ask of a run.

use jiff::Timestamp;

use super::{Step, enter};
use crate::run::{Due, Ending, Execution, NewRun, Run, RunError, RunId, Scheduled, State, Status, Stop};

/// A request about one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Command {
    /// Stop it for good.
    Cancel,
    /// Stop it until it is resumed.
    Pause,
    /// Let a paused, failed or timed-out run go on.
    Resume,
    /// Let a pending run go.
    Enqueue,
    /// Let its lane go on without it.
    Dismiss,
}

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CommandOutcome {
    /// It had not started or was paused, and is cancelled.
    Cancelled,
    /// It is running; its worker will stop it.
    CancelRequested,
    /// It waited, and is paused (or was already).
    Paused,
    /// It is running; its worker will stop it.
    PauseRequested,
    /// It is queued again.
    Resumed,
    /// It is queued.
    Enqueued,
    /// Its lane goes on without it.
    Dismissed,
    /// It does not hold its lane, so there was nothing to dismiss.
    NotHolding,
    /// Its status does not allow this.
    Refused {
        /// What it is.
        status: Status,
    },
    /// As many runs are live as may be, so a finished one cannot come back.
    QueueFull,
    /// There is no such run in this workspace.
    NotFound,
}

/// Carries out `command`, as far as the run alone decides; `waits` says whether runs it waits for are unfinished.
///
/// Dismissing changes the lane, not the run, so the step leaves the run as it is.
pub fn command(
    run: Run,
    command: Command,
    waits: bool,
    now: Timestamp,
) -> Result<(Step, CommandOutcome), CommandOutcome> {
    let refused = CommandOutcome::Refused { status: run.status() };
    match (command, &run.state) {
        (Command::Cancel, State::Running(_) | State::Leased(_)) => Ok(ask(run, Stop::Cancel)),
        (Command::Pause, State::Running(_) | State::Leased(_)) => Ok(ask(run, Stop::Pause)),
        (Command::Cancel, State::Finished { .. }) => Err(refused),
        (Command::Cancel, _) => Ok((ended(run, Ending::Cancelled, None, now), CommandOutcome::Cancelled)),
        (Command::Pause, State::Paused) => Ok((Step::to(run), CommandOutcome::Paused)),
        (Command::Pause, State::Queued(_) | State::Retrying(_)) => {
            Ok((Step::to(Run { state: State::Paused, ..run }), CommandOutcome::Paused))
        }
        (Command::Resume, State::Paused) => Ok((resumed(run, 1, waits, now), CommandOutcome::Resumed)),
        (Command::Resume, State::Finished { ending: Ending::Failed | Ending::TimedOut, .. }) => {
            let more = run.attempts_granted;
            Ok((resumed(run, more, waits, now), CommandOutcome::Resumed))
        }
        (Command::Enqueue, State::Pending) => Ok((enqueued(run, waits, now), CommandOutcome::Enqueued)),
        (Command::Dismiss, _) if dismissable(&run) => Ok((Step::to(run), CommandOutcome::Dismissed)),
        _ => Err(refused),
    }
}

/// Whether it is of a kind that can hold a lane.
pub fn dismissable(run: &Run) -> bool {
    run.status().holds_lane()
}

/// An attempt that runs, or may have begun, is only asked: its worker stops it and says so. A cancel outranks a pause, whichever was first.
fn ask(mut run: Run, stop: Stop) -> (Step, CommandOutcome) {
    let mut asked = stop;
    if let State::Running(Execution { stop: request, .. }) | State::Leased(Execution { stop: request, .. }) =
        &mut run.state
    {
        asked = if *request == Some(Stop::Cancel) { Stop::Cancel } else { stop };
        *request = Some(asked);
    }
    let outcome = match asked {
        Stop::Cancel => CommandOutcome::CancelRequested,
        Stop::Pause => CommandOutcome::PauseRequested,
    };
    (Step::to(run), outcome)
}

fn resumed(mut run: Run, more_attempts: u32, waits: bool, now: Timestamp) -> Step {
    let ended = run.last_attempt();
    // Another live run may have the key by now.
    if run.status().is_terminal() {
        run.key = None;
    }
    run.max_attempts = run.max_attempts.max(run.attempt + more_attempts);
    run.error = None;
    run.output = None;
    // A delay that was asked for still stands; a wait between attempts has served its purpose.
    if run.started_at.is_some() {
        run.available_at = now;
    }
    let mut step = enqueued(run, waits, now);
    step.ended = ended;
    step
}

fn enqueued(mut run: Run, waits: bool, now: Timestamp) -> Step {
    run.state = State::Queued(enter(&run, waits, now));
    Step::to(run)
}

fn ended(mut run: Run, ending: Ending, error: Option<RunError>, now: Timestamp) -> Step {
    run.error = error;
    run.state = State::Finished { ending, at: now, by: None };
    Step::to(run)
}

/// Ends a run that waited for `upstream`, which ended otherwise than succeeded; `None` if it is not waiting.
pub fn upstream_failed(run: Run, upstream: RunId, status: Status, now: Timestamp) -> Option<Step> {
    match run.state {
        State::Pending | State::Queued(_) | State::Paused => {
            Some(ended(run, Ending::Failed, Some(RunError::upstream_failed(upstream, status)), now))
        }
        _ => None,
    }
}

/// The request that runs an old run's work again, as a new run. Its key and what it waited for stay behind.
pub fn rerun(run: &Run, id: RunId) -> NewRun {
    let mut request = NewRun::of(run.task.clone(), run.payload.clone());
    request.id = id;
    request.workspace = run.workspace.clone();
    request.queue = run.queue.clone();
    request.lane = run.lane.clone();
    request.priority = run.priority;
    request.metadata = run.metadata.clone();
    request.due = Due::Now;
    request.max_attempts =
        u16::try_from(run.attempts_granted).ok().and_then(std::num::NonZeroU16::new).unwrap_or(request.max_attempts);
    request.timeout_seconds = run.timeout_seconds.and_then(std::num::NonZeroU32::new);
    request.retry = run.retry;
    // Its slot has had its run; the permission is asked for again.
    request.scheduled = run.scheduled.map(|scheduled| Scheduled { slot: None, ..scheduled });
    request
}
