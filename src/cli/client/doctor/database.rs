//! Whether the database can be reached, and has the schema of this release.

use std::path::PathBuf;
use std::sync::Arc;

use runlane::store::{Store, StoreError};

use super::report::Check;
use crate::cli::database::{Database, UnknownDatabase};
use crate::cli::in_words;

const NAME: &str = "database";

/// The file whose disk matters.
pub(super) fn file(database: &Database) -> Option<PathBuf> {
    match database {
        Database::Sqlite(path) => Some(path.clone()),
        Database::Postgres(_) => None,
    }
}

/// The check, and the store if it can be asked.
pub(super) async fn check(
    named: Result<Database, UnknownDatabase>,
    server_answers: bool,
) -> (Check, Option<Arc<dyn Store>>) {
    let database = match named {
        Ok(database) => database,
        Err(UnknownDatabase::Missing) if server_answers => {
            return (Check::ok(NAME, "none is named; what the server knows of it follows"), None);
        }
        Err(UnknownDatabase::Missing) => {
            let remedy = "name one: --database, RUNLANE_DATABASE or DATABASE_URL";
            return (Check::fail(NAME, "none is named, and no server can be asked", remedy), None);
        }
        Err(error) => return (Check::fail(NAME, error.to_string(), "correct --database or its variable"), None),
    };
    // Opening a file that is not there would make an empty one.
    if let Some(path) = file(&database).filter(|path| !path.exists()) {
        let words = format!("there is no file {}", path.display());
        return (Check::fail(NAME, words, "make it: runlane migrate, or runlane dev"), None);
    }
    match database.open().await {
        Ok(store) => (
            Check::ok(NAME, format!("{}: reachable, and has the schema of this release", database.kind())),
            Some(store),
        ),
        Err(failure) => (refused(failure.as_ref(), server_answers), None),
    }
}

fn refused(failure: &(dyn std::error::Error + Send + Sync + 'static), server_answers: bool) -> Check {
    let words = in_words(failure).trim_start_matches("error: ").replace("\n  because: ", ": ");
    match failure.downcast_ref::<StoreError>() {
        Some(StoreError::InUse { .. }) if server_answers => {
            Check::ok(NAME, "sqlite: in use by a server; what that knows follows")
        }
        Some(StoreError::InUse { .. }) => Check::warn(
            NAME,
            "sqlite: in use by another process, so it cannot be examined",
            "name that server by --url",
        ),
        Some(StoreError::OlderSchema { .. }) => Check::fail(NAME, words, "stop the workers, then: runlane migrate"),
        Some(StoreError::NewerSchema { .. }) => Check::fail(NAME, words, "use the newer release here too"),
        Some(StoreError::Unreachable { .. }) => Check::fail(NAME, words, "is it running, and is the URL right?"),
        _ => Check::fail(NAME, words, "see what the database says above"),
    }
}
