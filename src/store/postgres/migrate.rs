//! Brings the database to the schema this release knows: forward only, one process at a time.

use deadpool_postgres::Object;
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;

use super::connect::refused;
use super::row::DIALECT;
use crate::store::script::expand;
use crate::store::{Result, StoreError};

/// Every step so far; the position is the version. What is here has been released and never changes.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/0001_initial.sql")];

/// Views and functions: made anew by every migration, from their latest text. When one changes, a migration comes with it,
/// so that a release knows whether the database has it.
const OBJECTS: [&str; 4] = [
    include_str!("objects/all_runs.sql"),
    include_str!("objects/lane_runs.sql"),
    include_str!("objects/insert_ready.sql"),
    include_str!("objects/insert_alike.sql"),
];

/// Any number will do, as long as every release uses the same one.
const LOCK: i64 = 7_236_452_118;

const VERSION: &str = "select coalesce(max(version), 0) from runlane.migrations";

/// The version of the schema that this release knows.
pub const KNOWN: i64 = MIGRATIONS.len() as i64;

/// Runs the migrations that are missing; answers with the version before and after.
pub(super) async fn migrate(client: &mut Object) -> Result<(i64, i64)> {
    let doing = |error| refused("migrating", error);
    // Whatever is the default here: after the wait for the lock, what another process did meanwhile is seen.
    let tx = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start().await.map_err(doing)?;
    tx.query_typed("select pg_advisory_xact_lock($1)", &[(&LOCK, Type::INT8)]).await.map_err(doing)?;
    tx.batch_execute(
        "create schema if not exists runlane;
         create table if not exists runlane.migrations (
            version bigint primary key, applied_at timestamptz not null default clock_timestamp())",
    )
    .await
    .map_err(doing)?;
    let found: i64 = tx.query_typed(VERSION, &[]).await.map_err(doing)?[0].get(0);
    if found > KNOWN {
        return Err(StoreError::NewerSchema { found, known: KNOWN });
    }
    for (version, sql) in (1..).zip(MIGRATIONS).skip(found as usize) {
        tx.batch_execute(sql).await.map_err(doing)?;
        let note = "insert into runlane.migrations (version) values ($1)";
        tx.query_typed(note, &[(&(version as i64), Type::INT8)]).await.map_err(doing)?;
    }
    for object in OBJECTS {
        tx.batch_execute(&expand(object, &DIALECT)).await.map_err(doing)?;
    }
    tx.commit().await.map_err(doing)?;
    Ok((found, KNOWN))
}

/// Refuses a database that this release cannot serve. Unprepared, like everything that may go through a pooler.
pub(super) async fn check(client: &Object) -> Result<()> {
    let doing = |error| refused("reading the schema version", error);
    let sql = "select to_regclass('runlane.migrations') is not null";
    let known: bool = client.query_typed(sql, &[]).await.map_err(doing)?[0].get(0);
    let found: i64 = if known { client.query_typed(VERSION, &[]).await.map_err(doing)?[0].get(0) } else { 0 };
    match found {
        found if found > KNOWN => Err(StoreError::NewerSchema { found, known: KNOWN }),
        found if found < KNOWN => Err(StoreError::OlderSchema { found, known: KNOWN }),
        _ => Ok(()),
    }
}
