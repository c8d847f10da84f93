//! Waits of runs for other runs.

use std::collections::{HashMap, HashSet};

use super::{ids_only, lane_key, pairs};
use crate::run::RunId;
use crate::store::Result;
use crate::store::postgres::session::Session;
use crate::store::script::{LaneKey, WaitTx};

impl WaitTx for Session {
    async fn insert_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        self.execute(&self.statements.insert_waits, pairs(waits)).await?;
        Ok(())
    }

    async fn mark_awaited(&mut self, upstreams: &[RunId]) -> Result<HashMap<RunId, Option<LaneKey>>> {
        let rows = self.query(&self.statements.mark_awaited, ids_only(upstreams)).await?;
        rows.iter().map(|row| Ok((RunId(row.get(0)), lane_key(row, 1)?))).collect()
    }

    async fn waits_on(&mut self, upstreams: &[RunId]) -> Result<Vec<(RunId, RunId)>> {
        let rows = self.query(&self.statements.waits_on, ids_only(upstreams)).await?;
        Ok(rows.iter().map(|row| (RunId(row.get(0)), RunId(row.get(1)))).collect())
    }

    async fn delete_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        self.execute(&self.statements.delete_waits, pairs(waits)).await?;
        Ok(())
    }

    async fn delete_waits_of(&mut self, runs: &[RunId]) -> Result<()> {
        self.execute(&self.statements.delete_waits_of, ids_only(runs)).await?;
        Ok(())
    }

    async fn waiting(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let rows = self.query(&self.statements.waiting, ids_only(runs)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }
}
