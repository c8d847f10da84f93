//! Who may execute a run: claim, adopt, renew, and what happens when nobody renews.

use jiff::{SignedDuration, Timestamp};

use super::{LeaseLost, Step, is_too_late};
use crate::clock::later;
use crate::run::{AttemptedBy, Execution, HostName, Run, State, Stop, Tenure, WorkerId};

/// A worker that asks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taker {
    /// Who it is.
    pub worker: WorkerId,
    /// Where it is.
    pub host: HostName,
}

/// Starts an attempt of a ready run; `None` if it is not ready, or its start deadline has passed. The attempt counts from here on,
/// whatever becomes of the worker.
pub fn claim(mut run: Run, taker: &Taker, until: Timestamp, now: Timestamp) -> Option<Step> {
    if !run.is_ready() || is_too_late(&run, now) {
        return None;
    }
    run.attempt += 1;
    run.epoch += 1;
    run.started_at.get_or_insert(now);
    run.state = State::Running(Execution {
        by: AttemptedBy { worker: taker.worker, host: taker.host.clone(), started_at: now },
        tenure: Tenure::Leased { until },
        stop: None,
    });
    Some(Step::to(run))
}

/// Whether the run may be leased ahead of its start. If the worker vanishes, nobody knows whether the work had begun, so the
/// attempt counts: this must not be the last one. Whatever a start has to check first, or must keep in order, is not claimed ahead.
pub fn may_be_claimed_ahead(run: &Run) -> bool {
    matches!(run.state, State::Queued(None))
        && run.attempt.saturating_add(1) < run.max_attempts
        && run.lane.is_none()
        && run.scheduled.is_none()
        && run.start_by.is_none()
}

/// Leases a run ahead of its start; `None` if it may not be. Nothing is executed yet, and no attempt counts.
pub fn claim_ahead(mut run: Run, taker: &Taker, until: Timestamp, now: Timestamp) -> Option<Step> {
    if !may_be_claimed_ahead(&run) {
        return None;
    }
    run.epoch += 1;
    run.state = State::Leased(Execution {
        by: AttemptedBy { worker: taker.worker, host: taker.host.clone(), started_at: now },
        tenure: Tenure::Leased { until },
        stop: None,
    });
    Some(Step::to(run))
}

/// Begins the attempt of a run that was leased ahead, at the time that its worker names, which is not before the lease. Any other
/// run stays as it is.
pub fn begin(mut run: Run, began: Timestamp) -> Run {
    if let State::Leased(mut execution) = run.state {
        execution.by.started_at = execution.by.started_at.max(began);
        run.attempt += 1;
        run.started_at.get_or_insert(execution.by.started_at);
        run.state = State::Running(execution);
    }
    run
}

/// Whether a worker on `host` may adopt the run. One that has its task: at once where the work is, elsewhere when the work
/// must have stopped. Any other can only say that the work is lost, and may once nobody has come for long.
pub fn may_adopt(run: &Run, host: &HostName, has_task: bool, takeover_delay: SignedDuration, now: Timestamp) -> bool {
    match run.execution() {
        Some(Execution { by, tenure: Tenure::Orphaned { since }, .. }) => match has_task {
            true => by.host == *host || later(*since, takeover_delay) <= now,
            false => later(*since, abandoned_after(takeover_delay)) <= now,
        },
        _ => false,
    }
}

/// How long a worker that has the task is waited for, from the end of the last lease.
pub fn abandoned_after(takeover_delay: SignedDuration) -> SignedDuration {
    takeover_delay.saturating_mul(10)
}

/// Takes over an attempt that nobody holds. It is the same attempt, and what was asked of it still stands.
pub fn adopt(mut run: Run, taker: &Taker, until: Timestamp) -> Option<Step> {
    let State::Running(execution) = &mut run.state else { return None };
    let Tenure::Orphaned { .. } = execution.tenure else { return None };
    execution.by.worker = taker.worker;
    execution.by.host = taker.host.clone();
    execution.tenure = Tenure::Leased { until };
    run.epoch += 1;
    Some(Step::to(run))
}

/// Whether the lease of this epoch holds the run now.
pub fn holds(run: &Run, epoch: i64, now: Timestamp) -> bool {
    run.epoch == epoch
        && matches!(run.execution(), Some(Execution { tenure: Tenure::Leased { until }, .. }) if *until > now)
}

/// Extends the lease and tells what was asked meanwhile. A run that was leased ahead may have begun since.
pub fn renew(
    mut run: Run,
    epoch: i64,
    until: Timestamp,
    began: Option<Timestamp>,
    now: Timestamp,
) -> Result<(Step, Option<Stop>), LeaseLost> {
    if !holds(&run, epoch, now) {
        return Err(LeaseLost);
    }
    if let Some(began) = began {
        run = begin(run, began);
    }
    let (State::Running(execution) | State::Leased(execution)) = &mut run.state else { return Err(LeaseLost) };
    execution.tenure = Tenure::Leased { until };
    let stop = execution.stop;
    Ok((Step::to(run), stop))
}

/// Clears a lease that ran out. The run stays `running`: the work may well go on, and whoever adopts it will see. One that was
/// leased ahead may have begun, too.
pub fn orphan(run: Run, now: Timestamp) -> Option<Step> {
    let execution = run.execution()?;
    match execution.tenure {
        Tenure::Leased { until } if until <= now => {
            let leased_at = execution.by.started_at;
            Some(Step::to(abandoned(begin(run, leased_at), until)))
        }
        _ => None,
    }
}

/// Nobody holds the attempt any more.
fn abandoned(mut run: Run, since: Timestamp) -> Run {
    if let State::Running(execution) = &mut run.state {
        execution.tenure = Tenure::Orphaned { since };
    }
    run
}
