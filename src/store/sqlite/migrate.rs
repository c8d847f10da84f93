//! The schema: which version the file is at, and how it gets to this release's.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::clock::Clock;
use crate::store::{Result, StoreError};

/// In order; the version is the place in this list, from 1. What is here has been released and never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_access.sql"),
    include_str!("migrations/0003_schedules.sql"),
    include_str!("migrations/0004_lean_writes.sql"),
    include_str!("migrations/0005_postponements.sql"),
    include_str!("migrations/0006_workers.sql"),
    include_str!("migrations/0007_unrouted.sql"),
    include_str!("migrations/0008_schedule_names.sql"),
];

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

/// What is said of a file without this release's schema.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_first_version_is_brought_up_to_date() {
        let mut conn = Connection::open_in_memory().expect("a connection");
        conn.execute_batch(MIGRATIONS[0]).expect("the first schema");
        conn.execute_batch(
            "create table migrations (version integer primary key, applied_at integer not null) strict;
             insert into migrations (version, applied_at) values (1, 0)",
        )
        .expect("a version");
        assert!(matches!(check(&conn), Err(StoreError::OlderSchema { found: 1, known: KNOWN })));
        assert_eq!(migrate(&mut conn).expect("migrated"), (1, KNOWN));
        check(&conn).expect("this release's schema");
    }

    /// Schedules as files had them before names were unique: workspace, id and name.
    const TWINS: &str = r#"
        insert into grants (id, workspace, user_id, billing_account, scopes, created_at)
        values (zeroblob(16), 'default', 'ada', 'acme', '["*"]', 0);
        insert into schedules (id, workspace, grant_id, spec, version, created_at, updated_at, since) values
          (x'00000000000000000000000000000001', 'default', zeroblob(16), '{"name":"a","payload":{"z":1.00,"a":"x"}}', 1, 0, 0, 0),
          (x'000000000000000000000000abcdef02', 'default', zeroblob(16), '{"name":"a","payload":{"z":1.00,"a":"x"}}', 1, 1, 1, 1),
          (x'00000000000000000000000000000003', 'other', zeroblob(16), '{"name":"a","payload":null}', 1, 0, 0, 0),
          (x'00000000000000000000000000000004', 'default', zeroblob(16), '{"name":"b","payload":null}', 1, 0, 0, 0);"#;

    #[test]
    fn of_schedules_that_share_a_name_the_oldest_keeps_it() {
        let mut conn = Connection::open_in_memory().expect("a connection");
        conn.execute_batch(&MIGRATIONS[..5].concat()).expect("the fifth schema");
        conn.execute_batch(TWINS).expect("schedules");
        conn.execute_batch(
            "create table migrations (version integer primary key, applied_at integer not null) strict;
             insert into migrations (version, applied_at) values (5, 0)",
        )
        .expect("a version");
        migrate(&mut conn).expect("migrated");
        let mut select = conn.prepare("select spec from schedules order by id").expect("a statement");
        let specs = select.query_map([], |row| row.get::<_, String>(0)).expect("rows");
        let specs: Vec<String> = specs.map(|spec| spec.expect("a spec")).collect();
        let expected = [
            r#"{"name":"a","payload":{"z":1.00,"a":"x"}}"#,
            r#"{"name":"a","payload":null}"#,
            r#"{"name":"b","payload":null}"#,
            r#"{"name":"a-abcdef02","payload":{"z":1.00,"a":"x"}}"#,
        ];
        assert_eq!(specs, expected);
    }
}
