//! Every store against the conformance suite.

use runlane::clock::{Clock, ManualClock};
use runlane::store::conformance::{Bench, START};

/// The reference model itself.
mod memory {
    use std::sync::Arc;

    use super::*;
    use runlane::store::memory::MemoryStore;

    async fn bench() -> Option<Bench> {
        let clock = ManualClock::starting_at(START);
        let store = Arc::new(MemoryStore::new(Clock::Manual(clock.clone())));
        Some(Bench { store, clock, keep: Box::new(()) })
    }

    runlane::conformance_suite!(bench);
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::sync::Arc;

    use super::*;
    use runlane::store::sqlite::SqliteStore;

    async fn bench() -> Option<Bench> {
        let clock = ManualClock::starting_at(START);
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("runs.db");
        let store = SqliteStore::open_and_migrate(file, Clock::Manual(clock.clone())).await.expect("a store");
        Some(Bench { store: Arc::new(store), clock, keep: Box::new(directory) })
    }

    runlane::conformance_suite!(bench);
}

#[cfg(feature = "postgres")]
mod postgres {
    use std::sync::Arc;

    use super::*;
    use crate::postgres::fixture::Database;
    use runlane::store::postgres::PostgresStore;

    /// Without listening: what other processes say would make the sentences about the signal a matter of luck.
    async fn at(url: &str, database: Database) -> Bench {
        let clock = ManualClock::starting_at(START);
        let store = PostgresStore::connect(url, Clock::Manual(clock.clone())).await.expect("a store");
        Bench { store: Arc::new(store), clock, keep: Box::new(database) }
    }

    mod direct {
        use super::*;

        async fn bench() -> Option<Bench> {
            let database = Database::empty().await?;
            Some(at(&format!("{}?listen=false", database.url), database).await)
        }

        runlane::conformance_suite!(bench);
    }

    /// Through PgBouncer in transaction mode, which gives every transaction another session.
    mod pooled {
        use super::*;

        async fn bench() -> Option<Bench> {
            let database = Database::empty().await?;
            Some(at(&format!("{}&listen=false", database.pooled_url()?), database).await)
        }

        runlane::conformance_suite!(bench);
    }

    /// With no row lock taken.
    mod unlocked {
        use super::*;

        async fn bench() -> Option<Bench> {
            let database = Database::empty().await?;
            let clock = ManualClock::starting_at(START);
            let url = format!("{}?listen=false", database.url);
            let store = crate::postgres::guards::unlocked::unlocked(&url, Clock::Manual(clock.clone()), &[]).await;
            Some(Bench { store: Arc::new(store), clock, keep: Box::new(database) })
        }

        runlane::conformance_suite!(bench);
    }
}
