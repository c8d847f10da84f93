//! Waits of runs for other runs.

use std::collections::{HashMap, HashSet};

use super::lane;
use crate::run::RunId;
use crate::store::Result;
use crate::store::script::{LaneKey, WaitTx};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, first};

impl WaitTx for Session {
    async fn insert_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_waits)?;
        for (run, upstream) in waits {
            insert.execute([run.0.as_bytes(), upstream.0.as_bytes()])?;
        }
        Ok(())
    }

    async fn mark_awaited(&mut self, upstreams: &[RunId]) -> Result<HashMap<RunId, Option<LaneKey>>> {
        let mut update = self.prepare(&self.sql.mark_awaited)?;
        let mut marked = HashMap::new();
        for id in upstreams {
            marked.extend(first(&mut update, [id.0.as_bytes()], lane)?.map(|lane| (*id, lane)));
        }
        Ok(marked)
    }

    async fn waits_on(&mut self, upstreams: &[RunId]) -> Result<Vec<(RunId, RunId)>> {
        let mut select = self.prepare(&self.sql.waits_on)?;
        let mut waits = Vec::new();
        for upstream in upstreams {
            collect(&mut select, [upstream.0.as_bytes()], |row| Ok((row::run_id(row, 0)?, *upstream)), &mut waits)?;
        }
        Ok(waits)
    }

    async fn delete_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        let mut delete = self.prepare(&self.sql.delete_waits)?;
        for (run, upstream) in waits {
            delete.execute([run.0.as_bytes(), upstream.0.as_bytes()])?;
        }
        Ok(())
    }

    async fn delete_waits_of(&mut self, runs: &[RunId]) -> Result<()> {
        self.affected(&self.sql.delete_waits_of, runs).map(drop)
    }

    async fn waiting(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let mut select = self.prepare(&self.sql.waiting)?;
        let mut waiting = HashSet::new();
        for run in runs {
            if first(&mut select, [run.0.as_bytes()], |row| Ok(row.get(0)?))? == Some(true) {
                waiting.insert(*run);
            }
        }
        Ok(waiting)
    }
}
