//! Which database is meant: `--database`, or what the environment says.

use std::path::PathBuf;
#[cfg(any(feature = "worker", feature = "api"))]
use std::sync::Arc;

use clap::Args;
#[cfg(all(any(feature = "worker", feature = "api"), any(feature = "sqlite", feature = "postgres")))]
use runlane::clock::Clock;
#[cfg(any(feature = "worker", feature = "api"))]
use runlane::store::Store;

/// Where the runs live.
#[derive(Args, Clone)]
pub(super) struct DatabaseArgs {
    /// The database: `sqlite:PATH` or `postgres://…`; default: RUNLANE_DATABASE, then DATABASE_URL
    // Not shown in the help text, since it may contain a password.
    // Global, so that it may stand after the verb of a verb.
    #[arg(long, global = true, value_name = "URL", env = "RUNLANE_DATABASE", hide_env_values = true)]
    database: Option<String>,
}

/// A database of a kind this product knows, whether or not it was compiled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Database {
    /// A file.
    Sqlite(PathBuf),
    /// A server.
    Postgres(String),
}

/// Why no database can be told from what was given. Never shows a password.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnknownDatabase {
    /// Nothing was given.
    #[error(
        "no database is named; give --database sqlite:PATH or postgres://…, or set RUNLANE_DATABASE or DATABASE_URL"
    )]
    Missing,
    /// `sqlite:` and nothing else.
    #[error("the database URL sqlite: names no file; write sqlite:PATH")]
    NoPath,
    /// Something without a scheme, probably a path.
    #[error("the database URL has no scheme; write sqlite:PATH or postgres://…")]
    NoScheme,
    /// Another scheme.
    #[error("cannot use a database of the kind {0:?}; write sqlite:PATH or postgres://…")]
    Scheme(String),
    /// One that was left out when this binary was built.
    #[error("this runlane was built without {kind}; build it with --features {feature}")]
    #[cfg_attr(all(feature = "sqlite", feature = "postgres"), expect(dead_code, reason = "nothing is left out"))]
    LeftOut {
        /// Its name.
        kind: &'static str,
        /// What would bring it.
        feature: &'static str,
    },
}

impl DatabaseArgs {
    /// The database that the arguments or the environment name.
    pub(super) fn database(self) -> Result<Database, UnknownDatabase> {
        let given = self.database.or_else(|| std::env::var("DATABASE_URL").ok()).filter(|url| !url.is_empty());
        Database::parse(&given.ok_or(UnknownDatabase::Missing)?)
    }
}

impl Database {
    pub(super) fn parse(url: &str) -> Result<Self, UnknownDatabase> {
        let (scheme, rest) = url.split_once(':').ok_or(UnknownDatabase::NoScheme)?;
        match scheme {
            // `sqlite:///a/b` and `sqlite://b` are what other tools write for `/a/b` and `b`.
            "sqlite" => match rest.strip_prefix("//").unwrap_or(rest) {
                "" => Err(UnknownDatabase::NoPath),
                path => Ok(Database::Sqlite(path.into())),
            },
            "postgres" | "postgresql" => Ok(Database::Postgres(url.to_owned())),
            other => Err(UnknownDatabase::Scheme(other.to_owned())),
        }
    }
}

#[cfg(feature = "api")]
impl Database {
    /// In one word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Database::Sqlite(_) => "sqlite",
            Database::Postgres(_) => "postgres",
        }
    }

    /// As the server shows it to those who ask whether it is ready. Who has opened it has this release's schema.
    #[cfg(feature = "worker")]
    pub(super) fn info(&self) -> Option<runlane::http::DatabaseInfo> {
        let schema_version = match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => runlane::store::sqlite::SCHEMA_VERSION,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => runlane::store::postgres::SCHEMA_VERSION,
            #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
            _ => return None,
        };
        Some(runlane::http::DatabaseInfo { kind: self.kind(), schema_version })
    }
}

#[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
impl Database {
    /// An SQLite file is open in one process: its successor waits for it to end, and adopts what it left.
    pub(super) fn hand_over(&self) -> runlane::worker::HandOver {
        match self {
            Database::Sqlite(_) => runlane::worker::HandOver::AtOnce,
            Database::Postgres(_) => runlane::worker::HandOver::AfterGrace,
        }
    }
}

/// What any verb needs that works on runs.
#[cfg(any(feature = "worker", feature = "api"))]
impl Database {
    /// Opens it, after it was made and brought to this release's schema.
    #[cfg(all(feature = "api", feature = "worker"))]
    pub(super) async fn open_and_migrate(&self) -> Result<Arc<dyn Store>, super::Failure> {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(path) => {
                let store = runlane::store::sqlite::SqliteStore::open_and_migrate(path, Clock::Database).await?;
                Ok(Arc::new(store))
            }
            #[cfg(feature = "postgres")]
            Database::Postgres(url) => {
                runlane::store::postgres::PostgresStore::migrate(url).await?;
                self.open().await
            }
            #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
            _ => self.open().await,
        }
    }

    /// Opens it; its schema must be the one this release knows.
    pub(super) async fn open(&self) -> Result<Arc<dyn Store>, super::Failure> {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(path) => {
                Ok(Arc::new(runlane::store::sqlite::SqliteStore::open(path, Clock::Database).await?))
            }
            #[cfg(feature = "postgres")]
            Database::Postgres(url) => {
                Ok(Arc::new(runlane::store::postgres::PostgresStore::connect(url, Clock::Database).await?))
            }
            #[cfg(not(feature = "sqlite"))]
            Database::Sqlite(_) => Err(UnknownDatabase::LeftOut { kind: "SQLite", feature: "sqlite" }.into()),
            #[cfg(not(feature = "postgres"))]
            Database::Postgres(_) => Err(UnknownDatabase::LeftOut { kind: "PostgreSQL", feature: "postgres" }.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_says_which_database_is_meant() {
        let sqlite = |path: &str| Ok(Database::Sqlite(path.into()));
        assert_eq!(Database::parse("sqlite:data/runlane.db"), sqlite("data/runlane.db"));
        assert_eq!(Database::parse("sqlite:/data/runlane.db"), sqlite("/data/runlane.db"));
        assert_eq!(Database::parse("sqlite:///data/runlane.db"), sqlite("/data/runlane.db"));
        let postgres = "postgres://me:secret@db/app?prepared_statements=false";
        assert_eq!(Database::parse(postgres), Ok(Database::Postgres(postgres.into())));
    }

    #[test]
    fn what_cannot_be_used_is_refused_without_showing_a_password() {
        assert_eq!(Database::parse("sqlite:"), Err(UnknownDatabase::NoPath));
        assert_eq!(Database::parse("runlane.db"), Err(UnknownDatabase::NoScheme));
        let refused = Database::parse("mysql://me:secret@db/app").map_err(|error| error.to_string());
        let expected = "cannot use a database of the kind \"mysql\"; write sqlite:PATH or postgres://…";
        assert_eq!(refused, Err(expected.into()));
    }
}
