//! Who may execute a run: claim, adopt, renew, and what happens when nobody renews.

use jiff::{SignedDuration, Timestamp};

use super::{LeaseLost, Step};
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

/// Starts an attempt of a ready run; `None` if it is not ready. The attempt counts from here on, whatever becomes
/// of the worker.
pub fn claim(mut run: Run, taker: &Taker, until: Timestamp, now: Timestamp) -> Option<Step> {
    if !run.is_ready() {
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

/// Extends the lease and tells what was asked meanwhile.
pub fn renew(mut run: Run, epoch: i64, until: Timestamp, now: Timestamp) -> Result<(Step, Option<Stop>), LeaseLost> {
    if !holds(&run, epoch, now) {
        return Err(LeaseLost);
    }
    let State::Running(execution) = &mut run.state else { return Err(LeaseLost) };
    execution.tenure = Tenure::Leased { until };
    let stop = execution.stop;
    Ok((Step::to(run), stop))
}

/// Clears a lease that ran out. The run stays `running`: the work may well go on, and whoever adopts it will see.
pub fn orphan(mut run: Run, now: Timestamp) -> Option<Step> {
    let State::Running(execution) = &mut run.state else { return None };
    match execution.tenure {
        Tenure::Leased { until } if until <= now => {
            execution.tenure = Tenure::Orphaned { since: until };
            Some(Step::to(run))
        }
        _ => None,
    }
}
