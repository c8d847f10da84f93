//! Runs with what they have used up.

use crate::actions::run_usage;
use crate::http::dto::Run;
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::run::{self, WorkspaceName};

/// As they are shown, in the same order; one question for all of them.
pub(in crate::http::api) async fn with_usage(
    server: &Server,
    workspace: &WorkspaceName,
    runs: Vec<run::Run>,
) -> Result<Vec<Run>, Problem> {
    let mut sums = run_usage(server.store(), workspace, &runs).await?;
    let shown = |run: run::Run| {
        let usage = sums.remove(&run.id).unwrap_or_default();
        Run { usage, ..Run::from(run) }
    };
    Ok(runs.into_iter().map(shown).collect())
}

/// One run.
pub(super) async fn one_with_usage(server: &Server, run: run::Run) -> Result<Run, Problem> {
    let workspace = run.workspace.clone();
    let shown = with_usage(server, &workspace, vec![run.clone()]).await?.pop();
    Ok(shown.unwrap_or_else(|| Run::from(run)))
}
