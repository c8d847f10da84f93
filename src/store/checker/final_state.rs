//! How everything stood in the end.

use crate::run::{Run, RunId, RunKey, Status, WorkspaceName};
use crate::store::{Page, Result, RunFilter, Store};

/// Every run that is still known.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FinalState {
    /// In no particular order.
    pub runs: Vec<FinalRun>,
}

/// What of a run the checker judges by.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct FinalRun {
    /// Which.
    pub id: RunId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// Its name.
    pub key: Option<RunKey>,
    /// Where it stands.
    pub status: Status,
    /// Attempts started.
    pub attempt: u32,
    /// Attempts it may have.
    pub max_attempts: u32,
    /// The last epoch.
    pub epoch: i64,
}

impl FinalRun {
    /// What is known of `run`.
    pub fn of(run: &Run) -> Self {
        Self {
            id: run.id,
            workspace: run.workspace.clone(),
            key: run.key.clone(),
            status: run.status(),
            attempt: run.attempt,
            max_attempts: run.max_attempts,
            epoch: run.epoch,
        }
    }

    /// Whether it has not ended.
    pub fn is_live(&self) -> bool {
        !self.status.is_terminal()
    }
}

impl FinalState {
    /// Reads all runs of all workspaces.
    pub async fn read(store: &dyn Store) -> Result<Self> {
        let mut runs = Vec::new();
        for workspace in store.workspaces().await? {
            let mut page = Page::first(500);
            loop {
                let listed = store.runs(&workspace, &RunFilter::default(), &page).await?;
                runs.extend(listed.data.iter().map(FinalRun::of));
                let Some(next) = listed.next else { break };
                page.after = Some(next);
            }
        }
        Ok(Self { runs })
    }
}
