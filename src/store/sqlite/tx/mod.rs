//! What [`Tx`] asks for: a file for each subject, as in `script/tx`. Statements run row by row: they are prepared once, nothing
//! travels, and there is no other writer to lock anything against.

mod access;
mod attempts;
mod claims;
mod grants;
mod lanes;
mod maintenance;
mod queues;
mod reads;
mod runs;
mod schedules;
mod submission;
mod waits;
mod workers;

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Row;
use rusqlite::types::Value;
use rusqlite::vtab::array::Array;

use self::queues::settings;
use super::row;
use super::session::Session;
use crate::run::{LaneName, RunId, WorkspaceName};
use crate::store::Result;
use crate::store::ready::Notices;
use crate::store::script::{LaneKey, Tx, bad_name};

/// Longer than an id and of the greatest bytes, so that a first page starts like any other: before something.
const AFTER_EVERY_ID: [u8; 17] = [0xff; 17];

impl Tx for Session {
    async fn now(&mut self) -> Result<Timestamp> {
        Ok(self.time())
    }

    fn made_ready(&mut self) {
        self.notices.ready = true;
    }

    fn put_off(&mut self, wait: SignedDuration) {
        self.notices.add(Notices { due_in: Some(wait), ..Notices::default() });
    }
}

impl Session {
    /// Runs a statement for each of these runs; answers with those for which it changed a row.
    fn affected(&self, sql: &str, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let mut statement = self.prepare(sql)?;
        let mut affected = HashSet::new();
        for run in runs {
            if statement.execute([run.0.as_bytes()])? > 0 {
                affected.insert(*run);
            }
        }
        Ok(affected)
    }
}

/// Workspace and lane, where there is a lane.
fn lane(row: &Row<'_>) -> Result<Option<LaneKey>> {
    let Some(lane) = row.get::<_, Option<String>>(1)? else { return Ok(None) };
    let workspace = row::name(row, 0, WorkspaceName::parse)?;
    Ok(Some((workspace, LaneName::parse(lane).map_err(bad_name)?)))
}

/// Names as a statement takes them.
pub(super) fn array(names: &[impl ToString]) -> Array {
    Array::new(names.iter().map(|name| Value::from(name.to_string())).collect())
}
