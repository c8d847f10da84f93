//! Locks, writes and moves runs: one array for each column.

use super::ids_only;
use crate::run::{Attempt, Run, RunId, WorkspaceName};
use crate::store::Result;
use crate::store::postgres::arrays::{Params, run_arrays};
use crate::store::postgres::row::runs;
use crate::store::postgres::session::Session;
use crate::store::script::{Columns, RunTx, steps, to_i32};

impl RunTx for Session {
    async fn lock_runs(&mut self, ids: &[RunId]) -> Result<Vec<Run>> {
        runs(&self.query(&self.statements.lock_runs, ids_only(ids)).await?)
    }

    async fn lock_finished(&mut self, workspace: &WorkspaceName, ids: &[RunId]) -> Result<Vec<Run>> {
        let params = Params::default().text(workspace.as_str()).uuids(ids.iter().map(|id| id.0).collect());
        runs(&self.query(&self.statements.lock_finished, params).await?)
    }

    async fn update_runs(&mut self, runs: &[Run]) -> Result<usize> {
        self.reset_positions |= runs.iter().any(Run::is_ready);
        self.execute(&self.statements.update_runs, run_arrays(Columns::Runs, runs)).await
    }

    async fn end_runs(&mut self, runs: &[Run]) -> Result<usize> {
        self.execute(&self.statements.end_runs, run_arrays(Columns::History, runs)).await
    }

    async fn revive_runs(&mut self, runs: &[Run]) -> Result<usize> {
        self.reset_positions |= runs.iter().any(Run::is_ready);
        self.execute(&self.statements.revive_runs, run_arrays(Columns::Runs, runs)).await
    }

    async fn insert_attempts(&mut self, attempts: &[(RunId, Attempt)]) -> Result<()> {
        let ends: Vec<_> =
            attempts.iter().filter_map(|(run, attempt)| Some((run, attempt, attempt.ended.as_ref()?))).collect();
        let params = Params::default()
            .uuids(ends.iter().map(|(run, ..)| run.0).collect())
            .bigs(ends.iter().map(|(_, attempt, _)| attempt.epoch).collect())
            .ints(ends.iter().map(|(_, attempt, _)| to_i32(attempt.number)).collect())
            .uuids(ends.iter().map(|(_, attempt, _)| attempt.by.worker.0).collect())
            .texts(ends.iter().map(|(_, attempt, _)| attempt.by.host.as_str()).collect())
            .times(ends.iter().map(|(_, attempt, _)| attempt.by.started_at).collect())
            .times(ends.iter().map(|(.., end)| end.at).collect())
            .texts(ends.iter().map(|(.., end)| end.status.as_str()).collect())
            .opt_texts(ends.iter().map(|(.., end)| end.error.as_ref().map(|error| error.code.as_str())).collect())
            .opt_texts(ends.iter().map(|(.., end)| end.error.as_ref().map(|error| error.message.as_str())).collect());
        self.execute(&self.statements.insert_attempts, params).await?;
        Ok(())
    }

    async fn forget_runs(&mut self, runs: &[(WorkspaceName, RunId)]) -> Result<()> {
        let [history, others @ ..]: [&str; 4] = steps(&self.statements.forget_runs);
        let ids = || runs.iter().map(|(_, run)| run.0).collect();
        let named = Params::default().texts(runs.iter().map(|(workspace, _)| workspace.as_str()).collect());
        self.execute(history, named.uuids(ids())).await?;
        for statement in others {
            self.execute(statement, Params::default().uuids(ids())).await?;
        }
        Ok(())
    }
}
