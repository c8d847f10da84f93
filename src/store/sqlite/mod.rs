//! Runs in an SQLite file: one writer thread with group commit, and readers beside it.
//!
//! A verb goes as a job to the writer's thread (`job`, `writer`), which puts those that come together into one transaction
//! (`arrivals`, `group`) and runs the shared verbs over the primitives in `tx`; a question goes to one of the `readers`. The SQL is in `sql/`, a file for each statement; where SQLite needs
//! several for what another database does in one, they stand in one file, with `-- then` between them.

mod arrivals;
mod file;
mod group;
mod job;
mod migrate;
mod orphans;
mod readers;
mod row;
mod session;
mod store;
mod streams;
#[cfg(test)]
mod tests;
mod tx;
mod writer;

pub use migrate::KNOWN as SCHEMA_VERSION;

use std::path::Path;
use std::sync::Arc;

use self::file::Located;
use self::group::GroupCommit;
use self::readers::Readers;
use self::session::Session;
use self::writer::Writer;
use super::ready::Signals;
use super::script::statements;
use super::{Result, StoreError};
use crate::clock::Clock;

statements! { self::row::DIALECT }

/// How many reads can go on at once.
const READERS: usize = 4;

/// A store in one SQLite file, which one process at a time may have open. Dropping it waits for what was begun.
pub struct SqliteStore {
    // Closed before the writer, which so is the last and tidies the file up.
    readers: Readers,
    writer: Writer,
    signals: Signals,
}

impl SqliteStore {
    /// Opens a file that has this release's schema.
    pub async fn open(path: impl AsRef<Path>, clock: Clock) -> Result<Self> {
        let path = path.as_ref().to_owned();
        blocking(move || Self::open_with(&path, clock, Statements::new())).await
    }

    /// Makes the file if there is none, brings it to this release's schema, and opens it.
    pub async fn open_and_migrate(path: impl AsRef<Path>, clock: Clock) -> Result<Self> {
        let path = path.as_ref().to_owned();
        blocking(move || {
            let located = file::take(&path)?;
            migrate(&located)?;
            Self::start(located, clock, Statements::new())
        })
        .await
    }

    /// Makes the file if there is none, and brings it to this release's schema.
    pub async fn migrate(path: impl AsRef<Path>) -> Result<(i64, i64)> {
        let path = path.as_ref().to_owned();
        blocking(move || migrate(&file::take(&path)?)).await
    }

    /// As [`open`](Self::open), with statements broken on purpose: the name of each, what to replace in it, and by
    /// what. Tests must notice.
    ///
    /// # Panics
    /// When a statement does not exist or does not contain what is to be replaced.
    #[cfg(feature = "conformance")]
    pub async fn open_sabotaged(path: impl AsRef<Path>, clock: Clock, faults: &[(&str, &str, &str)]) -> Result<Self> {
        let mut sql = Statements::new();
        for (name, from, to) in faults {
            sql.sabotage(name, from, to);
        }
        let path = path.as_ref().to_owned();
        blocking(move || Self::open_with(&path, clock, sql)).await
    }

    fn open_with(path: &Path, clock: Clock, sql: Statements) -> Result<Self> {
        // A missing file is not made here: its name may be wrong.
        let path = file::resolve(path)?;
        if !path.exists() {
            return Err(migrate::older(0));
        }
        Self::start(file::take(&path)?, clock, sql)
    }

    fn start(Located { path, lock }: Located, clock: Clock, sql: Statements) -> Result<Self> {
        file::warn_if_open_to_all(&path);
        let conn = file::connect(&path)?;
        migrate::check(&conn)?;
        file::set_up_writer(&conn, &path)?;
        let reader = |_| {
            let conn = file::connect(&path)?;
            file::set_up_reader(&conn, &path).map(|()| conn)
        };
        let conns = (0..READERS).map(reader).collect::<Result<Vec<_>>>()?;
        let sql = Arc::new(sql);
        let (readers, signals) = (Readers::start(conns, &sql, &clock)?, Signals::default());
        let group = GroupCommit { session: Session::new(conn, sql, clock), signals: signals.clone() };
        Ok(Self { readers, writer: Writer::start(group, lock)?, signals })
    }
}

fn migrate(located: &Located) -> Result<(i64, i64)> {
    file::make(&located.path)?;
    let mut conn = file::connect(&located.path)?;
    file::set_up_writer(&conn, &located.path)?;
    migrate::migrate(&mut conn)
}

/// Opening waits for the disk, which must not hold up others.
async fn blocking<T: Send + 'static>(open: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(open)
        .await
        .unwrap_or_else(|error| Err(StoreError::Database { doing: "opening of the file", source: Box::new(error) }))
}
