//! The periodic passes.

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;

use super::{ids_only, lane, lane_key, lane_keys, micros, workspace};
use crate::clock::until;
use crate::run::{Run, RunId, ScheduleId};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::runs;
use crate::store::postgres::session::Session;
use crate::store::script::{FoundDue, LaneKey, MaintenanceTx, steps};
use crate::store::{Result, Retention};

impl MaintenanceTx for Session {
    async fn reap(&mut self, limit: usize) -> Result<Vec<RunId>> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        let rows = self.query(&self.statements.reap, params).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn promote(&mut self, limit: usize) -> Result<Vec<FoundDue>> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        let rows = self.query(&self.statements.promote, params).await?;
        self.reset_positions |= !rows.is_empty();
        let due =
            |row: &Row| Ok(FoundDue { lane: lane_key(row, 0)?, schedule: row.get::<_, Option<_>>(2).map(ScheduleId) });
        rows.iter().map(due).collect()
    }

    async fn next_due(&mut self) -> Result<Option<SignedDuration>> {
        let rows = self.query(&self.statements.next_due, Params::default().time(self.injected_now())).await?;
        Ok(rows.first().and_then(|row| Some(until(row.get::<_, Option<Timestamp>>(0)?, row.get(1)))))
    }

    async fn late_runs(&mut self, limit: usize) -> Result<Vec<Run>> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        runs(&self.query(&self.statements.late_runs, params).await?)
    }

    async fn overdue_runs(&mut self, grace: SignedDuration, limit: usize) -> Result<Vec<Run>> {
        let params = Params::default().time(self.injected_now()).big(micros(grace)).big(limit as i64);
        runs(&self.query(&self.statements.overdue_runs, params).await?)
    }

    async fn prune_finished(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let [history, attempts, events] = steps(&self.statements.prune_finished);
        // What is old is found by its block range, which only a bitmap scan reads.
        self.execute("set local enable_bitmapscan = on", Params::default()).await?;
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        let gone: Vec<RunId> = self.query(history, params).await?.iter().map(|row| RunId(row.get(0))).collect();
        if !gone.is_empty() {
            for step in [attempts, events] {
                self.execute(step, ids_only(&gone)).await?;
            }
        }
        Ok(gone.len())
    }

    async fn prune_idempotency(&mut self, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        self.execute(&self.statements.prune_idempotency, params).await
    }

    async fn prune_workers(&mut self, retention: &Retention) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(retention.workers));
        self.execute(&self.statements.prune_workers, params).await
    }

    async fn prune_audit(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        self.execute(&self.statements.prune_audit, params).await
    }

    async fn prune_lanes(&mut self, limit: usize) -> Result<()> {
        let [lock, delete] = steps(&self.statements.prune_lanes);
        let rows = self.query(lock, Params::default().big(limit as i64)).await?;
        let idle = rows.iter().map(|row| Ok((workspace(row, 0)?, lane(row, 1)?))).collect::<Result<Vec<LaneKey>>>()?;
        if !idle.is_empty() {
            self.execute(delete, lane_keys(&idle)).await?;
        }
        Ok(())
    }

    async fn prune_skips(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        self.execute(&self.statements.prune_skips, params).await
    }

    async fn prune_usage(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        self.execute(&self.statements.prune_usage, params).await
    }
}
