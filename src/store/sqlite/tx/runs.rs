//! Locks, writes and moves runs, row by row.

use rusqlite::params;

use crate::run::{Attempt, Run, RunId, WorkspaceName};
use crate::store::Result;
use crate::store::script::{Columns, RunTx, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::Session;

impl RunTx for Session {
    async fn lock_runs(&mut self, ids: &[RunId]) -> Result<Vec<Run>> {
        let mut select = self.prepare_runs(&self.sql.lock_runs)?;
        let mut runs = Vec::new();
        for id in ids {
            select.collect([id.0.as_bytes()], &mut runs)?;
        }
        Ok(runs)
    }

    async fn lock_finished(&mut self, workspace: &WorkspaceName, ids: &[RunId]) -> Result<Vec<Run>> {
        let mut select = self.prepare_runs(&self.sql.lock_finished)?;
        let mut runs = Vec::new();
        for id in ids {
            select.collect(params![workspace.as_str(), id.0.as_bytes()], &mut runs)?;
        }
        Ok(runs)
    }

    async fn update_runs(&mut self, runs: &[Run]) -> Result<usize> {
        let mut update = self.prepare(&self.sql.update_runs)?;
        let mut updated = 0;
        for run in runs {
            updated += update.execute(row::values(Columns::Runs, run))?;
        }
        Ok(updated)
    }

    async fn end_runs(&mut self, runs: &[Run]) -> Result<usize> {
        let [insert, delete] = steps(&self.sql.end_runs);
        let (mut insert, mut delete) = (self.prepare(insert)?, self.prepare(delete)?);
        let mut ended = 0;
        for run in runs {
            insert.execute(row::values(Columns::History, run))?;
            ended += delete.execute(params![run.id.0.as_bytes(), run.revision - 1])?;
        }
        Ok(ended)
    }

    async fn revive_runs(&mut self, runs: &[Run]) -> Result<usize> {
        let [insert, delete] = steps(&self.sql.revive_runs);
        let (mut insert, mut delete) = (self.prepare(insert)?, self.prepare(delete)?);
        let mut revived = 0;
        for run in runs {
            insert.execute(row::values(Columns::Runs, run))?;
            revived += delete.execute(params![run.workspace.as_str(), run.id.0.as_bytes(), run.revision - 1])?;
        }
        Ok(revived)
    }

    async fn insert_attempts(&mut self, attempts: &[(RunId, Attempt)]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_attempts)?;
        for (run, Attempt { number, epoch, by, ended }) in attempts {
            // One that is still under way is in its run.
            let Some(ended) = ended else { continue };
            insert.execute(params![
                run.0.as_bytes(),
                epoch,
                number,
                by.worker.0.as_bytes(),
                by.host.as_str(),
                by.started_at.as_microsecond(),
                ended.at.as_microsecond(),
                ended.status.as_str(),
                ended.error.as_ref().map(|error| &error.code),
                ended.error.as_ref().map(|error| &error.message),
            ])?;
        }
        Ok(())
    }

    async fn forget_runs(&mut self, runs: &[(WorkspaceName, RunId)]) -> Result<()> {
        let [history, others @ ..]: [&str; 4] = steps(&self.sql.forget_runs);
        for (workspace, run) in runs {
            self.execute(history, params![workspace.as_str(), run.0.as_bytes()])?;
            for statement in others {
                self.execute(statement, [run.0.as_bytes()])?;
            }
        }
        Ok(())
    }
}
