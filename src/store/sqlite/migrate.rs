//! The schema: which version the file is at, and how it gets to this release's.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::clock::Clock;
use crate::store::{Result, StoreError};

/// In order; the version is the place in this list, from 1. What is here has been released and never changes.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_initial.sql")];

/// The version of the schema that this release knows.
pub const KNOWN: i64 = MIGRATIONS.len() as i64;

/// Refuses a file that is at another version than this release's.
pub(super) fn check(conn: &Connection) -> Result<()> {
    match version(conn)? {
        found if found > KNOWN => Err(StoreError::NewerSchema { found, known: KNOWN }),
        found if found < KNOWN => Err(older(found)),
        _ => Ok(()),
    }
}

/// The error for a file without this release's schema.
pub(super) fn older(found: i64) -> StoreError {
    StoreError::OlderSchema { found, known: KNOWN }
}

/// Brings the file to this release's version, in one transaction; answers with the version before and after.
pub(super) fn migrate(conn: &mut Connection) -> Result<(i64, i64)> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(
        "create table if not exists migrations (version integer primary key, applied_at integer not null) strict",
    )?;
    let found = version(&tx)?;
    if found > KNOWN {
        return Err(StoreError::NewerSchema { found, known: KNOWN });
    }
    for (version, migration) in (1..=KNOWN).zip(MIGRATIONS).filter(|(version, _)| *version > found) {
        tx.execute_batch(migration)?;
        let now = Clock::Database.host_now().as_microsecond();
        tx.execute("insert into migrations (version, applied_at) values (?1, ?2)", params![version, now])?;
    }
    tx.commit()?;
    Ok((found, KNOWN))
}

fn version(conn: &Connection) -> Result<i64> {
    let migrated: bool = conn.query_row(
        "select exists (select 1 from sqlite_schema where type = 'table' and name = 'migrations')",
        [],
        |row| row.get(0),
    )?;
    if !migrated {
        return Ok(0);
    }
    Ok(conn.query_row("select coalesce(max(version), 0) from migrations", [], |row| row.get(0))?)
}
