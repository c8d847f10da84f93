//! What can go wrong with a store, in words an operator can act on.

use std::error::Error as StdError;

/// Why a verb, or the opening of a store, failed. Nothing of the batch was done, unless it says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The server does not answer.
    #[error("cannot reach the database at {address}")]
    Unreachable {
        /// Where it was looked for, without its password.
        address: String,
        /// What the network said.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The database URL cannot be understood.
    #[error("cannot use database URL {url:?}: {reason}")]
    InvalidUrl {
        /// What was given, without its password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A later release has migrated the database.
    #[error(
        "the database is at schema version {found}, but this release of runlane knows only version {known}; \
         upgrade runlane"
    )]
    NewerSchema {
        /// What the database says.
        found: i64,
        /// What this binary has.
        known: i64,
    },
    /// The database lacks migrations.
    #[error("the database is at schema version {found}, and this release needs version {known}; run `runlane migrate`")]
    OlderSchema {
        /// What the database says.
        found: i64,
        /// What this binary has.
        known: i64,
    },
    /// Another process has the SQLite file open.
    #[error(
        "{path} is in use by another runlane process; an SQLite file has one server: stop the other one, or use \
         PostgreSQL to share work"
    )]
    InUse {
        /// The file.
        path: String,
    },
    /// The file or its directory cannot be written.
    #[error("cannot write to {path}: {reason}; runlane needs a writable database file and directory")]
    NotWritable {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The connection broke, and whether the change was made is not known.
    #[error("the connection to the database was lost during the commit; the change may have been made")]
    Ambiguous(#[source] Box<dyn StdError + Send + Sync>),
    /// Others changed the same rows at the same time, again and again.
    #[error("gave up {doing}: other transactions kept changing the same rows; try again")]
    Contended {
        /// The verb.
        doing: &'static str,
    },
    /// A row says something that cannot be.
    #[error("the database contains an invalid value: {0}")]
    Corrupt(String),
    /// Anything else the database says.
    #[error("the database refused {doing}")]
    Database {
        /// The verb.
        doing: &'static str,
        /// What the database said.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The store was closed while the verb waited.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// The error with its causes, in one line, for a log.
    pub fn in_full(&self) -> String {
        let mut words = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            words.push_str(&format!(": {error}"));
            cause = error.source();
        }
        words
    }

    /// The same once more, for another who was to be answered together with the first.
    #[cfg(feature = "postgres")]
    pub(in crate::store) fn again(&self) -> Self {
        let causes = || self.source().map_or_else(String::new, |source| source.to_string()).into();
        match self {
            Self::Unreachable { address, .. } => Self::Unreachable { address: address.clone(), source: causes() },
            Self::Ambiguous(_) => Self::Ambiguous(causes()),
            Self::Contended { doing } => Self::Contended { doing },
            Self::Corrupt(what) => Self::Corrupt(what.clone()),
            Self::Database { doing, .. } => Self::Database { doing, source: causes() },
            _ => Self::Closed,
        }
    }

    /// After a commit that was not answered, whatever went wrong then: the change may have been made.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(in crate::store) fn still_ambiguous(self) -> Self {
        match self {
            Self::Ambiguous(_) => self,
            other => Self::Ambiguous(Box::new(other)),
        }
    }

    /// Whether what was to be stored is at fault, so that trying the same again would fail the same way.
    pub fn blames_data(&self) -> bool {
        let StoreError::Database { source, .. } = self else { return false };
        blames_data(source.as_ref())
    }
}

fn blames_data(source: &(dyn StdError + Send + Sync + 'static)) -> bool {
    #[cfg(feature = "postgres")]
    if let Some(error) = source.downcast_ref::<tokio_postgres::Error>() {
        // Bad data, broken constraints, limits exceeded.
        return error.code().is_some_and(|code| ["22", "23", "54"].iter().any(|class| code.code().starts_with(class)));
    }
    #[cfg(feature = "sqlite")]
    if let Some(rusqlite::Error::SqliteFailure(error, _)) = source.downcast_ref::<rusqlite::Error>() {
        use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
        return matches!(error.code, ConstraintViolation | TooBig | TypeMismatch);
    }
    let _ = source;
    false
}
