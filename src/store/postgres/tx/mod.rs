//! What [`Tx`] asks for, one statement each: a file for each subject, as in `script/tx`.

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

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;

pub(super) use self::queues::queue_settings;
use super::arrays::Params;
use super::session::Session;
use crate::run::{LaneName, QueueName, RunId, Status, WorkspaceName};
use crate::store::ready::Notices;
use crate::store::script::{LaneKey, Tx, bad_name, to_u32};
use crate::store::{Result, StoreError};

impl Tx for Session {
    async fn now(&mut self) -> Result<Timestamp> {
        if let Some(now) = self.injected_now().or(self.time.take()) {
            return Ok(now);
        }
        self.ask_time().await
    }

    fn made_ready(&mut self) {
        self.notices.ready = true;
    }

    fn put_off(&mut self, wait: SignedDuration) {
        self.notices.add(Notices { due_in: Some(wait), ..Notices::default() });
    }

    fn commit_with_next(&mut self, may_make_ready: bool) {
        self.last = Some(may_make_ready);
    }
}

impl Session {
    async fn ask_time(&self) -> Result<Timestamp> {
        if let Some(now) = self.injected_now() {
            return Ok(now);
        }
        let rows = self.query("select clock_timestamp()", Params::default()).await?;
        Ok(rows[0].get(0))
    }
}

fn ids_only(ids: &[RunId]) -> Params<'static> {
    Params::default().uuids(ids.iter().map(|id| id.0).collect())
}

fn pairs(pairs: &[(RunId, RunId)]) -> Params<'static> {
    Params::default()
        .uuids(pairs.iter().map(|(run, _)| run.0).collect())
        .uuids(pairs.iter().map(|(_, upstream)| upstream.0).collect())
}

fn lane_keys(lanes: &[LaneKey]) -> Params<'_> {
    Params::default()
        .texts(lanes.iter().map(|(workspace, _)| workspace.as_str()).collect())
        .texts(lanes.iter().map(|(_, lane)| lane.as_str()).collect())
}

/// Intervals travel as microseconds.
pub(super) fn micros(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

pub(super) fn workspace(row: &Row, at: usize) -> Result<WorkspaceName> {
    WorkspaceName::parse(row.get::<_, &str>(at)).map_err(bad_name)
}

pub(super) fn queue(row: &Row, at: usize) -> Result<QueueName> {
    QueueName::parse(row.get::<_, &str>(at)).map_err(bad_name)
}

pub(super) fn lane(row: &Row, at: usize) -> Result<LaneName> {
    LaneName::parse(row.get::<_, &str>(at)).map_err(bad_name)
}

pub(super) fn status(row: &Row, at: usize) -> Result<Status> {
    let word: &str = row.get(at);
    Status::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("status {word:?}")))
}

/// A workspace and, in the next column, a lane that may be null.
fn lane_key(row: &Row, at: usize) -> Result<Option<LaneKey>> {
    match row.get::<_, Option<&str>>(at + 1) {
        Some(name) => Ok(Some((workspace(row, at)?, LaneName::parse(name).map_err(bad_name)?))),
        None => Ok(None),
    }
}

pub(super) fn unsigned(row: &Row, at: usize) -> u32 {
    to_u32(row.get(at))
}
