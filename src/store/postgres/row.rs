//! Between rows and records.

use std::error::Error as StdError;

use bytes::BytesMut;
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::connect::refused;
use crate::run::Run;
use crate::store::script::Record;
use crate::store::{Result, StoreError};

/// JSON carried as text: checked when it came in, not parsed again.
#[derive(Debug)]
pub(super) struct JsonText<T>(pub(super) T);

impl<'a> FromSql<'a> for JsonText<String> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(std::str::from_utf8(raw)?.to_owned()))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }
}

impl ToSql for JsonText<&str> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }

    to_sql_checked!();
}

/// The runs in rows that have the columns of `runs`, `history` or `all_runs`.
pub(super) fn runs(rows: &[Row]) -> Result<Vec<Run>> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let columns = Columns::of(first)?;
    rows.iter().map(|row| columns.record(row)?.into_run()).collect()
}

macro_rules! columns {
    (required: $($required:ident)+; live: $($live:ident)+; finished: $($finished:ident)+) => {
        /// Where each column is; looked up once for all rows of an answer.
        struct Columns {
            $($required: usize,)+
            $($live: Option<usize>,)+
            $($finished: Option<usize>,)+
        }

        impl Columns {
            fn of(row: &Row) -> Result<Self> {
                let find = |name: &str| row.columns().iter().position(|column| column.name() == name);
                let need = |name: &str| find(name).ok_or_else(|| StoreError::Corrupt(format!("no column {name}")));
                Ok(Self {
                    $($required: need(stringify!($required))?,)+
                    $($live: find(stringify!($live)),)+
                    $($finished: find(stringify!($finished)),)+
                })
            }
        }
    };
}

columns! {
    required: id seq workspace task queue lane priority status payload metadata key attempt max_attempts
        attempts_granted interruptions epoch timeout_seconds retry available_at requested_at started_at
        attempt_started_at worker host error_code error_message awaited schedule_id slot grant_id
        postponements;
    live: blocked_by lease_expires_at orphaned_at stop;
    finished: finished_at output
}

impl Columns {
    fn record(&self, row: &Row) -> Result<Record> {
        self.try_record(row).map_err(|error| refused("reading a run", error))
    }

    fn try_record(&self, row: &Row) -> std::result::Result<Record, tokio_postgres::Error> {
        let json = |at: usize| row.try_get::<_, Option<JsonText<String>>>(at).map(|json| json.map(|json| json.0));
        Ok(Record {
            id: row.try_get(self.id)?,
            seq: row.try_get(self.seq)?,
            workspace: row.try_get(self.workspace)?,
            task: row.try_get(self.task)?,
            queue: row.try_get(self.queue)?,
            lane: row.try_get(self.lane)?,
            priority: row.try_get(self.priority)?,
            status: row.try_get(self.status)?,
            blocked_by: optional(row, self.blocked_by)?,
            payload: row.try_get::<_, JsonText<String>>(self.payload)?.0,
            metadata: json(self.metadata)?,
            key: row.try_get(self.key)?,
            attempt: row.try_get(self.attempt)?,
            max_attempts: row.try_get(self.max_attempts)?,
            attempts_granted: row.try_get(self.attempts_granted)?,
            interruptions: row.try_get(self.interruptions)?,
            epoch: row.try_get(self.epoch)?,
            timeout_seconds: row.try_get(self.timeout_seconds)?,
            retry: row.try_get(self.retry)?,
            available_at: row.try_get(self.available_at)?,
            requested_at: row.try_get(self.requested_at)?,
            started_at: row.try_get(self.started_at)?,
            attempt_started_at: row.try_get(self.attempt_started_at)?,
            worker: row.try_get::<_, Option<Uuid>>(self.worker)?,
            host: row.try_get(self.host)?,
            lease_expires_at: optional::<Timestamp>(row, self.lease_expires_at)?,
            orphaned_at: optional::<Timestamp>(row, self.orphaned_at)?,
            stop: optional(row, self.stop)?,
            error_code: row.try_get(self.error_code)?,
            error_message: row.try_get(self.error_message)?,
            awaited: row.try_get(self.awaited)?,
            schedule_id: row.try_get(self.schedule_id)?,
            slot: row.try_get(self.slot)?,
            grant_id: row.try_get(self.grant_id)?,
            postponements: row.try_get(self.postponements)?,
            finished_at: optional::<Timestamp>(row, self.finished_at)?,
            output: self.output.map_or(Ok(None), json)?,
        })
    }
}

fn optional<'a, T: FromSql<'a>>(
    row: &'a Row,
    column: Option<usize>,
) -> std::result::Result<Option<T>, tokio_postgres::Error> {
    column.map_or(Ok(None), |at| row.try_get(at))
}
