//! The columns of a run, one line each. The record, what is read from rows and written to them, and the lists of columns in
//! the SQL all follow from this table.

use jiff::Timestamp;
use uuid::Uuid;

use super::cell::{Cell, CellReader, Kind, Value};
use crate::run::{AttemptedBy, Json, RetryPolicy, Run, State, Tenure};
use crate::store::Result;

/// A column of `runs`, of `history` or of both.
pub(in crate::store) struct Column {
    pub(in crate::store) name: &'static str,
    #[cfg_attr(
        not(feature = "postgres"),
        expect(dead_code, reason = "only PostgreSQL is told the types of parameters")
    )]
    pub(in crate::store) kind: Kind,
    pub(super) table: Table,
    pub(super) written: Written,
    value: fn(&Run) -> Value<'_>,
}

/// Which table has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Both,
    /// `runs`.
    Live,
    /// `history`.
    Finished,
}

/// When a column gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// On insert, by the database.
    ByDatabase,
    /// On insert, and never again.
    Once,
    /// On insert and by updates.
    Always,
    /// By updates; on insert it has a default.
    Later,
}

impl Column {
    pub(in crate::store) fn value<'r>(&self, run: &'r Run) -> Value<'r> {
        (self.value)(run)
    }
}

macro_rules! columns {
    ($($name:ident: $type:ty, $table:ident, $written:ident, $value:expr;)+) => {
        /// All columns, in the order in which they are written.
        pub(in crate::store) const COLUMNS: &[Column] = &[$(Column {
            name: stringify!($name),
            kind: <$type as Cell>::KIND,
            table: Table::$table,
            written: Written::$written,
            value: $value,
        }),+];

        /// A run as it was read: a row of `runs` or `history`. What the table lacks is `None`.
        pub(in crate::store) struct Record {
            $(pub(super) $name: $type,)+
        }

        /// Where each column is in an answer's rows.
        pub(in crate::store) struct Positions {
            $($name: Option<usize>,)+
        }

        impl Positions {
            /// Looks up every column by its name, once for all rows.
            pub(in crate::store) fn by_name(find: impl Fn(&str) -> Option<usize>) -> Self {
                Self { $($name: find(stringify!($name)),)+ }
            }
        }

        impl Record {
            fn read(row: &impl CellReader, positions: &Positions) -> Result<Self> {
                Ok(Self { $($name: Cell::read(row, positions.$name, stringify!($name))?,)+ })
            }
        }
    };
}

columns! {
    // What never changes comes first: a database that numbers its parameters wants an update to use the last one it is given.
    id: Uuid, Both, Once, |run| run.id.0.into();
    seq: i64, Both, ByDatabase, |run| run.seq.into();
    workspace: String, Both, Once, |run| run.workspace.as_str().into();
    requested_at: Timestamp, Both, Once, |run| run.requested_at.into();
    schedule_id: Option<Uuid>, Both, Once, |run| run.scheduled.map(|scheduled| scheduled.schedule.0).into();
    slot: Option<Timestamp>, Both, Once, |run| run.scheduled.and_then(|scheduled| scheduled.slot).into();
    grant_id: Option<Uuid>, Both, Once, |run| run.scheduled.map(|scheduled| scheduled.grant.0).into();
    revision: i32, Both, Later, |run| run.revision.into();
    task: String, Both, Always, |run| run.task.as_str().into();
    queue: String, Both, Always, |run| run.queue.as_str().into();
    lane: Option<String>, Both, Always, |run| run.lane.as_ref().map(|lane| lane.as_str()).into();
    priority: i16, Both, Always, |run| run.priority.get().into();
    status: String, Both, Always, |run| run.status().as_str().into();
    blocked_by: Option<String>, Live, Always, |run| run.blocked_by().map(|reason| reason.as_str()).into();
    payload: Json, Both, Always, |run| (&run.payload).into();
    metadata: Option<Json>, Both, Always, |run| run.metadata.as_ref().into();
    key: Option<String>, Both, Always, |run| run.key.as_ref().map(|key| key.as_str()).into();
    attempt: i32, Both, Later, |run| to_i32(run.attempt).into();
    max_attempts: i32, Both, Always, |run| to_i32(run.max_attempts).into();
    attempts_granted: i32, Both, Always, |run| to_i32(run.attempts_granted).into();
    interruptions: i32, Both, Later, |run| to_i32(run.interruptions).into();
    postponements: i32, Both, Later, |run| to_i32(run.postponements).into();
    epoch: i64, Both, Later, |run| run.epoch.into();
    timeout_seconds: Option<i32>, Both, Always, |run| run.timeout_seconds.map(to_i32).into();
    retry: Option<String>, Both, Always, |run| run.retry.map(retry_text).into();
    available_at: Timestamp, Both, Always, |run| run.available_at.into();
    start_by: Option<Timestamp>, Both, Always, |run| run.start_by.into();
    started_at: Option<Timestamp>, Both, Later, |run| run.started_at.into();
    attempt_started_at: Option<Timestamp>, Both, Later, |run| attempted_by(run).map(|by| by.started_at).into();
    worker: Option<Uuid>, Both, Later, |run| attempted_by(run).map(|by| by.worker.0).into();
    host: Option<String>, Both, Later, |run| attempted_by(run).map(|by| by.host.as_str()).into();
    lease_expires_at: Option<Timestamp>, Live, Later, |run| leased_until(run).into();
    orphaned_at: Option<Timestamp>, Live, Later, |run| orphaned_since(run).into();
    stop: Option<String>, Live, Later, |run| run.execution().and_then(|it| it.stop).map(|stop| stop.as_str()).into();
    error_code: Option<String>, Both, Later, |run| run.error.as_ref().map(|error| error.code.as_str()).into();
    error_message: Option<String>, Both, Later, |run| run.error.as_ref().map(|error| error.message.as_str()).into();
    awaited: bool, Both, Always, |run| run.awaited.into();
    finished_at: Option<Timestamp>, Finished, Later, |run| run.finished_at().into();
    output: Option<Json>, Finished, Later, |run| run.output.as_ref().into();
}

/// Reads a run from a row of `runs` or `history`.
pub(in crate::store) fn read_run(row: &impl CellReader, positions: &Positions) -> Result<Run> {
    Record::read(row, positions)?.into_run()
}

fn attempted_by(run: &Run) -> Option<&AttemptedBy> {
    match &run.state {
        State::Running(execution) | State::Leased(execution) => Some(&execution.by),
        State::Finished { by, .. } => by.as_ref(),
        _ => None,
    }
}

fn leased_until(run: &Run) -> Option<Timestamp> {
    match run.execution()?.tenure {
        Tenure::Leased { until } => Some(until),
        Tenure::Orphaned { .. } => None,
    }
}

fn orphaned_since(run: &Run) -> Option<Timestamp> {
    match run.execution()?.tenure {
        Tenure::Orphaned { since } => Some(since),
        Tenure::Leased { .. } => None,
    }
}

/// A retry policy as it is stored.
pub(in crate::store) fn retry_text(policy: RetryPolicy) -> String {
    format!("{} {} {}", policy.base_ms, policy.factor, policy.cap_ms)
}

/// Databases have no unsigned integers; what does not fit is as good as unlimited.
pub(in crate::store) fn to_i32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
