//! The periodic passes.

use jiff::SignedDuration;
use rusqlite::params;

use super::lane;
use crate::clock::{from_micros, until};
use crate::run::{Run, RunId, ScheduleId};
use crate::store::script::{FoundDue, MaintenanceTx, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, back, limit};
use crate::store::{Result, Retention};

impl MaintenanceTx for Session {
    async fn reap(&mut self, rows: usize) -> Result<Vec<RunId>> {
        let params = params![self.time().as_microsecond(), limit(rows)];
        let mut reaped = self.rows(&self.sql.reap, params, |row| Ok((row.get::<_, i64>(0)?, row::run_id(row, 1)?)))?;
        reaped.sort();
        Ok(reaped.into_iter().map(|(_, id)| id).collect())
    }

    async fn promote(&mut self, rows: usize) -> Result<Vec<FoundDue>> {
        self.rows(&self.sql.promote, params![self.time().as_microsecond(), limit(rows)], |row| {
            Ok(FoundDue { lane: lane(row)?, schedule: row::maybe_uuid(row, 2)?.map(ScheduleId) })
        })
    }

    async fn next_due(&mut self) -> Result<Option<SignedDuration>> {
        let next = self.row(&self.sql.next_due, [], |row| row::maybe_at(row, 0))?;
        Ok(next.flatten().map(|at| until(at, self.time())))
    }

    async fn late_runs(&mut self, rows: usize) -> Result<Vec<Run>> {
        self.select_runs(&self.sql.late_runs, params![self.time().as_microsecond(), limit(rows)])
    }

    async fn overdue_runs(&mut self, grace: SignedDuration, rows: usize) -> Result<Vec<Run>> {
        // The time before which an attempt's own limit must have been over
        let over = from_micros(back(self.time(), grace)).as_microsecond();
        self.select_runs(&self.sql.overdue_runs, params![over, limit(rows)])
    }

    async fn prune_finished(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        let [history, attempts, events, waits] = steps(&self.sql.prune_finished);
        let params = params![back(self.time(), kept), limit(rows)];
        let pruned = self.rows(history, params, |row| row::run_id(row, 0))?;
        for statement in [attempts, events, waits] {
            self.affected(statement, &pruned)?;
        }
        Ok(pruned.len())
    }

    async fn prune_idempotency(&mut self, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_idempotency, params![self.time().as_microsecond(), limit(rows)])
    }

    async fn prune_workers(&mut self, retention: &Retention) -> Result<usize> {
        self.execute(&self.sql.prune_workers, [back(self.time(), retention.workers)])
    }

    async fn prune_audit(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_audit, params![back(self.time(), kept), limit(rows)])
    }

    async fn prune_lanes(&mut self, rows: usize) -> Result<()> {
        self.execute(&self.sql.prune_lanes, [limit(rows)]).map(drop)
    }

    async fn prune_skips(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_skips, params![back(self.time(), kept), limit(rows)])
    }

    async fn prune_usage(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_usage, params![back(self.time(), kept), limit(rows)])
    }
}
