//! Runs to try transitions on. Each shows only what matters; the rest is plain.

use jiff::{SignedDuration, Timestamp};

use super::submit;
use crate::clock::later;
use crate::run::{
    AttemptedBy, Ending, Execution, HostName, Json, NewRun, Run, RunId, State, Stop, TaskName, Tenure, WorkerId,
};

/// The time, as seconds after the present of all samples.
pub(super) fn at(seconds: i64) -> Timestamp {
    let present = Timestamp::from_second(1_800_000_000).expect("a time of this century");
    later(present, SignedDuration::from_secs(seconds))
}

/// The present.
pub(super) fn now() -> Timestamp {
    at(0)
}

pub(super) fn host(name: &str) -> HostName {
    HostName::parse(name).expect("a short name")
}

/// A request with a time limit of 60 s and three attempts.
pub(super) fn a_request() -> NewRun {
    let mut request = NewRun::of(TaskName::parse("sample").expect("a short name"), Json::null());
    request.timeout_seconds = std::num::NonZeroU32::new(60);
    request
}

/// Queued and ready, submitted 1000 s ago.
pub(super) fn queued() -> Run {
    submit(&a_request(), 1, false, at(-1000))
}

/// At its first attempt of three, begun 10 s ago on `here` and leased for 30 s more.
pub(super) fn running() -> Run {
    executed(Tenure::Leased { until: at(30) }, None)
}

/// As [`running`], but asked to stop.
pub(super) fn asked(stop: Stop) -> Run {
    executed(Tenure::Leased { until: at(30) }, Some(stop))
}

/// At its first attempt of three, in whosever hands.
pub(super) fn executed(tenure: Tenure, stop: Option<Stop>) -> Run {
    Run { state: State::Running(Execution { by: by(at(-10)), tenure, stop }), ..attempted(1) }
}

/// Leased ahead of its first attempt, 10 s ago on `here` and for 30 s more.
pub(super) fn leased_ahead(stop: Option<Stop>) -> Run {
    let execution = Execution { by: by(at(-10)), tenure: Tenure::Leased { until: at(30) }, stop };
    Run { state: State::Leased(execution), epoch: 1, ..queued() }
}

/// Ended by its first attempt.
pub(super) fn finished(ending: Ending) -> Run {
    Run { state: State::Finished { ending, at: at(-5), by: Some(by(at(-10))) }, ..attempted(1) }
}

/// Queued again after so many attempts.
pub(super) fn attempted(times: u32) -> Run {
    Run { attempt: times, epoch: times.into(), started_at: Some(at(-500)), ..queued() }
}

/// As the run, with no attempt left after those it had.
pub(super) fn at_its_last(run: Run) -> Run {
    Run { max_attempts: run.attempt, ..run }
}

/// As the run, promised to start at most once.
pub(super) fn at_most_once(run: Run) -> Run {
    Run { max_attempts: 1, attempts_granted: 1, ..run }
}

/// The worker of every sample, on the host `here`.
pub(super) fn by(started_at: Timestamp) -> AttemptedBy {
    AttemptedBy { worker: WorkerId(uuid::Uuid::from_u128(7)), host: host("here"), started_at }
}

/// The run that others wait for.
pub(super) fn upstream() -> RunId {
    RunId(uuid::Uuid::from_u128(9))
}
