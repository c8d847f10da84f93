//! Admits new runs.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use rusqlite::{Row, params};

use crate::run::{IdempotencyKey, Json, NewRun, Run, RunId, RunKey, Status, WorkspaceName};
use crate::store::script::{Columns, Remembered, SubmissionTx, retry_text, steps, to_i32};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, first};
use crate::store::{Result, StoreError};

impl SubmissionTx for Session {
    async fn known_workspaces(&mut self, names: &[WorkspaceName]) -> Result<HashSet<WorkspaceName>> {
        let mut known = HashSet::new();
        for name in names {
            known.extend(self.row(&self.sql.known_workspaces, [name.as_str()], |_| Ok(name.clone()))?);
        }
        Ok(known)
    }

    async fn known_runs(&mut self, ids: &[(WorkspaceName, RunId)]) -> Result<HashMap<RunId, (WorkspaceName, Status)>> {
        let mut select = self.prepare(&self.sql.known_runs)?;
        let mut known = HashMap::new();
        for (workspace, id) in ids {
            let found = first(&mut select, params![workspace.as_str(), id.0.as_bytes()], |row| {
                Ok((row::name(row, 0, WorkspaceName::parse)?, row::word(row, 1, Status::from_word)?))
            })?;
            known.extend(found.map(|found| (*id, found)));
        }
        Ok(known)
    }

    async fn remembered(&mut self, keys: &[(WorkspaceName, IdempotencyKey)]) -> Result<Vec<Remembered>> {
        let mut select = self.prepare(&self.sql.remembered)?;
        let mut found = Vec::new();
        for (workspace, key) in keys {
            let read = |row: &Row<'_>| {
                Ok(Remembered {
                    workspace: workspace.clone(),
                    key: key.clone(),
                    fingerprint: row.get(0)?,
                    run: row::run_id(row, 1)?,
                    expires_at: row::at(row, 2)?,
                })
            };
            collect(&mut select, [workspace.as_str(), key.as_str()], read, &mut found)?;
        }
        Ok(found)
    }

    async fn remember(&mut self, requests: &[Remembered]) -> Result<()> {
        let mut upsert = self.prepare(&self.sql.remember)?;
        for Remembered { workspace, key, fingerprint, run, expires_at } in requests {
            let expires_at = expires_at.as_microsecond();
            upsert.execute(params![workspace.as_str(), key.as_str(), fingerprint, run.0.as_bytes(), expires_at])?;
        }
        Ok(())
    }

    async fn keyed_runs(&mut self, keys: &[(WorkspaceName, RunKey)]) -> Result<Vec<Run>> {
        let mut select = self.prepare_runs(&self.sql.keyed_runs)?;
        let mut runs = Vec::new();
        for (workspace, key) in keys {
            select.collect([workspace.as_str(), key.as_str()], &mut runs)?;
        }
        Ok(runs)
    }

    async fn count_live(&mut self) -> Result<u64> {
        let live = self.row(&self.sql.count_live, [], |row| row::count(row, 0))?;
        Ok(live.unwrap_or_default())
    }

    async fn insert_ready(&mut self, requests: &[NewRun]) -> Result<(Vec<bool>, Timestamp)> {
        let now = self.time();
        let [finished, insert] = steps(&self.sql.insert_ready);
        let (mut finished, mut insert) = (self.prepare(finished)?, self.prepare(insert)?);
        let mut created = Vec::with_capacity(requests.len());
        for run in requests {
            if finished.exists(params![run.workspace.as_str(), run.id.0.as_bytes()])? {
                created.push(false);
                continue;
            }
            let inserted = insert.execute(params![
                run.id.0.as_bytes(),
                run.workspace.as_str(),
                run.task.as_str(),
                run.queue.as_str(),
                run.priority.get(),
                run.payload.as_str(),
                run.metadata.as_ref().map(Json::as_str),
                run.max_attempts.get(),
                run.timeout_seconds.map(|seconds| to_i32(seconds.get())),
                run.retry.map(retry_text),
                now.as_microsecond(),
            ])?;
            created.push(inserted > 0);
        }
        Ok((created, now))
    }

    async fn insert_runs(&mut self, runs: &[Run]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_runs)?;
        for run in runs {
            insert.execute(row::values(Columns::New, run))?;
        }
        Ok(())
    }

    async fn insert_finished(&mut self, runs: &[Run]) -> Result<()> {
        let [next, insert] = steps(&self.sql.insert_finished);
        let (mut next, mut insert) = (self.prepare(next)?, self.prepare(insert)?);
        for run in runs {
            let seq = first(&mut next, [], |row| Ok(row.get(0)?))?
                .ok_or_else(|| StoreError::Corrupt("the counter of runs is gone".into()))?;
            insert.execute(row::values(Columns::History, &Run { seq, ..run.clone() }))?;
        }
        Ok(())
    }
}
