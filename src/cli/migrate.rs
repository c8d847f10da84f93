//! `runlane migrate`: brings the database to the schema this release knows.

use super::Failure;
use super::database::{Database, DatabaseArgs};

pub(super) async fn migrate(args: DatabaseArgs) -> Result<(), Failure> {
    let (before, after) = match args.database()? {
        Database::Sqlite(path) => sqlite(path).await?,
        Database::Postgres(url) => postgres(&url).await?,
    };
    if before == after {
        println!("already at version {after}");
    } else {
        println!("schema version {before} → {after}");
    }
    Ok(())
}

async fn sqlite(_path: std::path::PathBuf) -> Result<(i64, i64), Failure> {
    Err("the SQLite store is not there yet; use postgres://…".into())
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str) -> Result<(i64, i64), Failure> {
    Ok(runlane::store::postgres::PostgresStore::migrate(url).await?)
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_url: &str) -> Result<(i64, i64), Failure> {
    Err(super::database::UnknownDatabase::LeftOut { kind: "PostgreSQL", feature: "postgres" }.into())
}
