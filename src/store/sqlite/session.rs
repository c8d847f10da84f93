//! A connection in use: the SQL, the clock, and short ways to run statements.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{CachedStatement, Connection, Params, Row};

use super::Statements;
use super::row::RunStatement;
use super::streams::ScanPositions;
use crate::clock::Clock;
use crate::run::Run;
use crate::store::ready::Notices;
use crate::store::{Result, StoreError};

/// What a verb works with, on the writer's thread or a reader's.
pub(in crate::store) struct Session {
    pub(super) conn: Connection,
    pub(super) sql: Arc<Statements>,
    pub(super) clock: Clock,
    pub(super) positions: ScanPositions,
    /// Whom to notify after the commit.
    pub(super) notices: Notices,
}

impl Session {
    pub(super) fn new(conn: Connection, sql: Arc<Statements>, clock: Clock) -> Self {
        Self { conn, sql, clock, positions: ScanPositions::default(), notices: Notices::default() }
    }

    pub(super) fn time(&self) -> Timestamp {
        self.clock.host_now()
    }

    pub(super) fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.conn.prepare_cached(sql)?)
    }

    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.prepare(sql)?.execute(params)?)
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        collect(&mut self.prepare(sql)?, params, read, &mut found)?;
        Ok(found)
    }

    /// A statement that answers with runs.
    pub(super) fn prepare_runs(&self, sql: &str) -> Result<RunStatement<'_>> {
        self.prepare(sql).map(RunStatement::new)
    }

    pub(super) fn select_runs(&self, sql: &str, params: impl Params) -> Result<Vec<Run>> {
        let mut runs = Vec::new();
        self.prepare_runs(sql)?.collect(params, &mut runs)?;
        Ok(runs)
    }

    pub(super) fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        first(&mut self.prepare(sql)?, params, read)
    }
}

/// Every row of a statement that is run again and again.
pub(super) fn collect<T>(
    statement: &mut CachedStatement<'_>,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
    into: &mut Vec<T>,
) -> Result<()> {
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        into.push(read(row)?);
    }
    Ok(())
}

/// The first row of a statement that is run again and again. It is run to its end all the same: a statement that
/// changes rows is done only then.
pub(super) fn first<T>(
    statement: &mut CachedStatement<'_>,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut rows = statement.query(params)?;
    let found = rows.next()?.map(&mut read).transpose()?;
    while found.is_some() && rows.next()?.is_some() {}
    Ok(found)
}

/// A number of rows as SQL takes it.
pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// The latest time that lies at least `wait` back.
pub(super) fn back(now: Timestamp, wait: SignedDuration) -> i64 {
    let earlier = i128::from(now.as_microsecond()) - wait.as_micros();
    earlier.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

impl From<rusqlite::Error> for StoreError {
    /// Which verb it was is filled in where that is known.
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Database { doing: "a statement", source: Box::new(error) }
    }
}
