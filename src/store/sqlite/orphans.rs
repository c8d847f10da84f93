//! Adopts orphaned runs.

use jiff::Timestamp;
use rusqlite::params;

use super::row;
use super::session::{Session, back, limit};
use super::tx::array;
use crate::clock::later;
use crate::run::Run;
use crate::run::lifecycle::abandoned_after;
use crate::store::script::steps;
use crate::store::{ClaimRequest, Result};

impl Session {
    /// The runs, and since when nobody had held each.
    pub(super) fn adopt_orphans(&self, request: &ClaimRequest) -> Result<Vec<(Run, Timestamp)>> {
        let ClaimRequest { taker, queues, tasks, capacity, lease_ttl, takeover_delay, .. } = request;
        let now = self.time();
        let [orphans, adopt] = steps(&self.sql.adopt);
        let params = params![
            taker.host.as_str(),
            back(now, *takeover_delay),
            back(now, abandoned_after(*takeover_delay)),
            queues.is_empty(),
            array(queues),
            tasks.is_none(),
            array(tasks.as_deref().unwrap_or_default()),
            limit(*capacity),
        ];
        let orphans = self.rows(orphans, params, |row| Ok((row.get::<_, i64>(0)?, row::at(row, 1)?)))?;
        let until = later(now, *lease_ttl).as_microsecond();
        let mut adopted = Vec::new();
        for (seq, since) in orphans {
            let params = params![taker.worker.0.as_bytes(), taker.host.as_str(), until, seq];
            adopted.extend(self.select_runs(adopt, params)?.into_iter().map(|run| (run, since)));
        }
        Ok(adopted)
    }
}
