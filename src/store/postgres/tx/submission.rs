//! Admits new runs.

use std::collections::{HashMap, HashSet};

use futures::future::try_join;
use jiff::Timestamp;
use tokio_postgres::types::Type;

use super::{status, workspace};
use crate::run::{IdempotencyKey, NewRun, Run, RunId, RunKey, Status, WorkspaceName};
use crate::store::postgres::arrays::{Params, run_arrays};
use crate::store::postgres::copy::copy_runs;
use crate::store::postgres::row::runs;
use crate::store::postgres::session::Session;
use crate::store::script::{Columns, Remembered, SubmissionTx, Tx, bad_name, steps};
use crate::store::{Result, StoreError};

/// So many new runs are copied in rather than inserted.
const MANY_RUNS: usize = 100;

impl SubmissionTx for Session {
    async fn known_workspaces(&mut self, names: &[WorkspaceName]) -> Result<HashSet<WorkspaceName>> {
        if let Some(known) = self.shared.workspaces.all(names) {
            return Ok(known);
        }
        let params = Params::default().texts(names.iter().map(WorkspaceName::as_str).collect());
        let rows = self.query(&self.statements.known_workspaces, params).await?;
        let known = rows.iter().map(|row| workspace(row, 0)).collect::<Result<HashSet<_>>>()?;
        self.shared.workspaces.learn(&known);
        Ok(known)
    }

    async fn known_runs(&mut self, ids: &[(WorkspaceName, RunId)]) -> Result<HashMap<RunId, (WorkspaceName, Status)>> {
        let named: HashSet<&(WorkspaceName, RunId)> = ids.iter().collect();
        // Whoever asks this asks for the time next.
        let (found, time) = try_join(self.runs_between(ids), self.ask_time()).await?;
        self.time = Some(time);
        let rows = match found {
            Some(rows) => rows,
            None => self.runs_named(ids).await?,
        };
        let mut known = HashMap::new();
        for row in &rows {
            let run = (workspace(row, 1)?, RunId(row.get(0)));
            let status = status(row, 2)?;
            // A live run is known to all; of the finished ones, each workspace knows its own.
            if !status.is_terminal() || named.contains(&run) {
                known.insert(run.1, (run.0, status));
            }
        }
        Ok(known)
    }

    async fn remembered(&mut self, keys: &[(WorkspaceName, IdempotencyKey)]) -> Result<Vec<Remembered>> {
        let params = Params::default()
            .texts(keys.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .texts(keys.iter().map(|(_, key)| key.as_str()).collect());
        let rows = self.query(&self.statements.remembered, params).await?;
        let known = rows.iter().map(|row| {
            Ok(Remembered {
                workspace: workspace(row, 0)?,
                key: IdempotencyKey::parse(row.get::<_, String>(1)).map_err(bad_name)?,
                fingerprint: row.get(2),
                run: RunId(row.get(3)),
                expires_at: row.get(4),
            })
        });
        known.collect()
    }

    async fn remember(&mut self, requests: &[Remembered]) -> Result<()> {
        let now = self.now().await?;
        let params = Params::default()
            .texts(requests.iter().map(|known| known.workspace.as_str()).collect())
            .texts(requests.iter().map(|known| known.key.as_str()).collect())
            .add(requests.iter().map(|known| known.fingerprint.clone()).collect::<Vec<_>>(), Type::BYTEA_ARRAY)
            .uuids(requests.iter().map(|known| known.run.0).collect())
            .times(requests.iter().map(|known| known.expires_at).collect())
            .time(Some(now));
        let stored = self.query(&self.statements.remember, params).await?.len();
        // Somebody else used one of the keys since they were looked up: look again.
        if stored == requests.len() { Ok(()) } else { Err(StoreError::Contended { doing: self.doing() }) }
    }

    async fn keyed_runs(&mut self, keys: &[(WorkspaceName, RunKey)]) -> Result<Vec<Run>> {
        let params = Params::default()
            .texts(keys.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .texts(keys.iter().map(|(_, key)| key.as_str()).collect());
        runs(&self.query(&self.statements.keyed_runs, params).await?)
    }

    async fn count_live(&mut self) -> Result<u64> {
        let [lock, count] = steps(&self.statements.count_live);
        self.execute(lock, Params::default()).await?;
        let rows = self.query(count, Params::default()).await?;
        Ok(rows[0].get::<_, i64>(0) as u64)
    }

    async fn insert_ready(&mut self, requests: &[NewRun]) -> Result<(Vec<bool>, Timestamp)> {
        self.insert_plain(requests).await
    }

    async fn insert_runs(&mut self, runs: &[Run]) -> Result<()> {
        match runs.len() {
            ..MANY_RUNS => {
                let [insert, _] = steps(&self.statements.insert_runs);
                self.execute(insert, run_arrays(Columns::New, runs)).await?;
            }
            _ => copy_runs(self, runs).await?,
        }
        self.note_new_runs(runs);
        Ok(())
    }

    async fn insert_finished(&mut self, runs: &[Run]) -> Result<()> {
        self.execute(&self.statements.insert_finished, run_arrays(Columns::History, runs)).await?;
        Ok(())
    }
}
