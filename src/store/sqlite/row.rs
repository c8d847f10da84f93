//! Runs as SQLite rows.

use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::Value;
use uuid::Uuid;

use crate::clock::from_micros;
use crate::run::{InvalidName, Run, RunId};
use crate::store::script::{Record, bad_name};
use crate::store::{Result, StoreError};

/// How many columns a live run has; `finished_at` and `output` come after them.
pub(super) const LIVE: usize = 35;

/// Reads a row that has the columns of [`Record`] in their order.
pub(super) fn run(row: &Row<'_>) -> Result<Run> {
    record(row)?.into_run()
}

fn record(row: &Row<'_>) -> Result<Record> {
    Ok(Record {
        id: uuid(row, 0)?,
        seq: row.get(1)?,
        workspace: row.get(2)?,
        task: row.get(3)?,
        queue: row.get(4)?,
        lane: row.get(5)?,
        priority: row.get(6)?,
        status: row.get(7)?,
        blocked_by: row.get(8)?,
        payload: row.get(9)?,
        metadata: row.get(10)?,
        key: row.get(11)?,
        attempt: row.get(12)?,
        max_attempts: row.get(13)?,
        attempts_granted: row.get(14)?,
        interruptions: row.get(15)?,
        epoch: row.get(16)?,
        timeout_seconds: row.get(17)?,
        retry: row.get(18)?,
        available_at: at(row, 19)?,
        requested_at: at(row, 20)?,
        started_at: maybe_at(row, 21)?,
        attempt_started_at: maybe_at(row, 22)?,
        worker: maybe_uuid(row, 23)?,
        host: row.get(24)?,
        lease_expires_at: maybe_at(row, 25)?,
        orphaned_at: maybe_at(row, 26)?,
        stop: row.get(27)?,
        error_code: row.get(28)?,
        error_message: row.get(29)?,
        awaited: row.get(30)?,
        schedule_id: maybe_uuid(row, 31)?,
        slot: maybe_at(row, 32)?,
        grant_id: maybe_uuid(row, 33)?,
        postponements: row.get(34)?,
        finished_at: maybe_at(row, 35)?,
        output: row.get(36)?,
    })
}

/// The values of [`Record`]'s columns, in their order.
pub(super) fn values(run: &Run) -> [Value; 37] {
    let record = Record::of(run);
    [
        blob(record.id),
        record.seq.into(),
        record.workspace.into(),
        record.task.into(),
        record.queue.into(),
        record.lane.into(),
        i64::from(record.priority).into(),
        record.status.into(),
        record.blocked_by.into(),
        record.payload.into(),
        record.metadata.into(),
        record.key.into(),
        i64::from(record.attempt).into(),
        i64::from(record.max_attempts).into(),
        i64::from(record.attempts_granted).into(),
        i64::from(record.interruptions).into(),
        record.epoch.into(),
        record.timeout_seconds.map(i64::from).into(),
        record.retry.into(),
        record.available_at.as_microsecond().into(),
        record.requested_at.as_microsecond().into(),
        micros(record.started_at),
        micros(record.attempt_started_at),
        record.worker.map_or(Value::Null, blob),
        record.host.into(),
        micros(record.lease_expires_at),
        micros(record.orphaned_at),
        record.stop.into(),
        record.error_code.into(),
        record.error_message.into(),
        i64::from(record.awaited).into(),
        record.schedule_id.map_or(Value::Null, blob),
        micros(record.slot),
        record.grant_id.map_or(Value::Null, blob),
        i64::from(record.postponements).into(),
        micros(record.finished_at),
        record.output.into(),
    ]
}

pub(super) fn uuid(row: &Row<'_>, column: usize) -> Result<Uuid> {
    Ok(Uuid::from_bytes(row.get(column)?))
}

pub(super) fn maybe_uuid(row: &Row<'_>, column: usize) -> Result<Option<Uuid>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(Uuid::from_bytes))
}

pub(super) fn run_id(row: &Row<'_>, column: usize) -> Result<RunId> {
    uuid(row, column).map(RunId)
}

pub(super) fn maybe_run_id(row: &Row<'_>, column: usize) -> Result<Option<RunId>> {
    Ok(maybe_uuid(row, column)?.map(RunId))
}

/// A number of rows.
pub(super) fn count(row: &Row<'_>, column: usize) -> Result<u64> {
    Ok(row.get::<_, i64>(column)?.try_into().unwrap_or_default())
}

/// The value that a word in the database names.
pub(super) fn word<T>(row: &Row<'_>, column: usize, named: impl Fn(&str) -> Option<T>) -> Result<T> {
    let word: String = row.get(column)?;
    named(&word).ok_or_else(|| StoreError::Corrupt(format!("the word {word:?}")))
}

/// A name that was checked before it was stored.
pub(super) fn name<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl Fn(String) -> std::result::Result<T, InvalidName>,
) -> Result<T> {
    parse(row.get(column)?).map_err(bad_name)
}

pub(super) fn at(row: &Row<'_>, column: usize) -> Result<Timestamp> {
    Ok(from_micros(row.get(column)?))
}

pub(super) fn maybe_at(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(from_micros))
}

pub(super) fn blob(id: Uuid) -> Value {
    Value::Blob(id.as_bytes().to_vec())
}

pub(super) fn micros(at: Option<Timestamp>) -> Value {
    at.map(Timestamp::as_microsecond).into()
}
