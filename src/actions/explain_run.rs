//! Why a run is not starting: every reason that holds, and what would end it.

mod reasons;
mod takers;
mod words;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::reasons::Facts;
use crate::run::{Execution, RunId, State, Status, Tenure, WorkspaceName};
use crate::store::{Result, Store, WorkerState};

/// No more runs ahead of a run are counted, however long its queue is.
const MOST_AHEAD: usize = 1000;

/// How a run stands, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// Where it stands.
    pub status: Status,
    /// In one sentence.
    pub summary: String,
    /// Everything that keeps it from starting, most telling first; empty if nothing does.
    pub reasons: Vec<Reason>,
}

/// One thing that keeps a run from starting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// For programs: `lane_held`, `queue_paused`, `no_worker`, …
    pub code: String,
    /// For people.
    pub message: String,
    /// What would end it.
    pub remedy: String,
}

/// Explains a run as of `now`; `None` if there is no such run in the workspace.
pub async fn explain_run(
    store: &dyn Store,
    workspace: &WorkspaceName,
    id: RunId,
    now: Timestamp,
) -> Result<Option<Explanation>> {
    let Some(run) = store.run(workspace, id).await? else { return Ok(None) };
    let mut ahead = None;
    let reasons = match &run.state {
        State::Pending => vec![words::held()],
        State::Paused => vec![words::paused(&run)],
        State::Running(execution) => match execution.tenure {
            Tenure::Orphaned { since } => vec![words::orphaned(&execution.by.host, since, now)],
            Tenure::Leased { until } => lease_reasons(store, execution, until, now).await?,
        },
        State::Leased(execution) => vec![words::leased(&execution.by)],
        State::Queued(_) | State::Retrying(_) => {
            let facts = Facts::gather(store, &run, now).await?;
            ahead = Some(facts.ahead());
            facts.reasons()
        }
        State::Finished { .. } => vec![],
    };
    let summary = words::summary(&run, &reasons, ahead, now);
    let deadline = words::start_deadline(&run, now).filter(|_| !reasons.is_empty());
    let reasons = reasons.into_iter().chain(deadline).collect();
    Ok(Some(Explanation { status: run.status(), summary, reasons }))
}

/// Nothing, as long as the worker is heard of: it renews the lease.
async fn lease_reasons(
    store: &dyn Store,
    execution: &Execution,
    until: Timestamp,
    now: Timestamp,
) -> Result<Vec<Reason>> {
    let workers = store.workers().await?;
    let worker = workers.iter().find(|worker| worker.info.id == execution.by.worker);
    let silent = worker.filter(|worker| worker.state() == WorkerState::Silent);
    let over = until <= now;
    let reason = (over || silent.is_some()).then(|| words::lease_running_out(&execution.by.host, until, silent, now));
    Ok(reason.into_iter().collect())
}
