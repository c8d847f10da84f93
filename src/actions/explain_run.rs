//! Why a run is not starting: every reason that holds, and what would end it.

mod reasons;
mod words;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::reasons::Facts;
use crate::run::{RunId, State, Status, Tenure, WorkspaceName};
use crate::store::{Result, Store};

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
    let reasons = match &run.state {
        State::Pending => vec![words::held()],
        State::Paused => vec![words::paused(&run)],
        State::Running(execution) => match execution.tenure {
            Tenure::Orphaned { since } => vec![words::orphaned(&execution.by.host, since, now)],
            Tenure::Leased { .. } => vec![],
        },
        State::Queued(_) | State::Retrying(_) => {
            let facts = Facts::gather(store, &run, now).await?;
            facts.reasons()
        }
        State::Finished { .. } => vec![],
    };
    Ok(Some(Explanation { status: run.status(), summary: words::summary(&run, &reasons, now), reasons }))
}
