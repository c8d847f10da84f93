//! The SQLite store, durable (`synchronous = FULL`).

use std::sync::Arc;

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::sqlite::SqliteStore;

use crate::cycle::{Effort, drain, submit};
use crate::database::Result;
use crate::report::Report;
use crate::{Settings, raw};

const NAME: &str = "Runlane on SQLite";

pub async fn measure(settings: &Settings, report: &mut Report) -> Result<()> {
    for _ in 0..settings.repetitions {
        for tasks in [1, 2] {
            let directory = tempfile::tempdir()?;
            let store = SqliteStore::open_and_migrate(directory.path().join("runs.db"), Clock::Database).await?;
            let store: Arc<dyn Store> = Arc::new(store);
            // A commit costs more here than there, so larger batches pay.
            let effort = Effort { runs: settings.runs, batch: 2 * settings.batch, tasks };
            let reference = raw::insert_rate(&settings.url).await?;
            report.add(NAME, &format!("submit, {tasks} task(s)"), submit(&store, effort).await?, reference);
            report.add(NAME, &format!("claim + finish, {tasks} task(s)"), drain(&store, effort).await?, reference);
        }
    }
    Ok(())
}
