//! Reads that put several statements together.

use super::Tx;
use crate::run::{Attempt, GrantId, RunId, TaskName, WorkspaceName};
use crate::store::{CheckedGrant, Event, Result};

/// The attempts that have rows of their own, and the last one, which is part of the run.
pub(in crate::store) async fn attempts<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    run: RunId,
) -> Result<Option<Vec<Attempt>>> {
    let Some(run) = tx.run(workspace, run).await? else { return Ok(None) };
    let mut attempts = tx.attempts(run.id).await?;
    attempts.extend(run.last_attempt());
    Ok(Some(attempts))
}

pub(in crate::store) async fn waits<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    run: RunId,
) -> Result<Option<Vec<RunId>>> {
    match tx.run(workspace, run).await? {
        Some(run) => tx.waits(run.id).await.map(Some),
        None => Ok(None),
    }
}

pub(in crate::store) async fn events<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    run: RunId,
    after: i64,
    limit: usize,
) -> Result<Option<Vec<Event>>> {
    match tx.run(workspace, run).await? {
        Some(run) => tx.events(run.id, after, limit).await.map(Some),
        None => Ok(None),
    }
}

pub(in crate::store) async fn check_grant<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    grant: GrantId,
    task: &TaskName,
) -> Result<Option<CheckedGrant>> {
    let found = tx.grant(workspace, grant).await?;
    let now = tx.now().await?;
    Ok(found.map(|grant| CheckedGrant { standing: grant.standing(task, now), grant }))
}
