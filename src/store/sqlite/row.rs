//! Values and rows, as SQLite takes and gives them.

use jiff::Timestamp;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Params, Row, RowIndex, params_from_iter};
use uuid::Uuid;

use super::session::collect;
use crate::clock::from_micros;
use crate::run::{InvalidName, Json, Run, RunId};
use crate::store::script::{CellReader, Columns, Dialect, Positions, Value, bad_name, read_run};
use crate::store::{Result, StoreError};

/// A statement for many runs is executed once for each.
pub(super) const DIALECT: Dialect =
    Dialect { input: |number, _| format!("?{number}"), value: |number, _| format!("?{number}") };

/// A statement that answers with runs, and where their columns are in its rows.
pub(super) struct RunStatement<'c> {
    statement: CachedStatement<'c>,
    positions: Positions,
}

impl<'c> RunStatement<'c> {
    pub(super) fn new(statement: CachedStatement<'c>) -> Self {
        let positions = Positions::by_name(|name| statement.column_index(name).ok());
        Self { statement, positions }
    }

    /// Runs the statement and adds every run that it answers with.
    pub(super) fn collect(&mut self, params: impl Params, into: &mut Vec<Run>) -> Result<()> {
        let Self { statement, positions } = self;
        collect(statement, params, |row| read_run(row, positions), into)
    }
}

/// The parameters of a statement that takes these columns of a run.
pub(super) fn values(columns: Columns, run: &Run) -> impl Params {
    params_from_iter(columns.iter().map(|column| column.value(run)))
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Uuid(id) => ValueRef::Blob(id.as_bytes()),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Json(text) => ValueRef::Text(text.as_bytes()),
            Value::Big(number) => ValueRef::Integer(*number),
            Value::Int(number) => ValueRef::Integer((*number).into()),
            Value::Small(number) => ValueRef::Integer((*number).into()),
            Value::Bool(truth) => ValueRef::Integer((*truth).into()),
            Value::Time(time) => ValueRef::Integer(time.as_microsecond()),
        }))
    }
}

impl CellReader for Row<'_> {
    fn uuid(&self, column: usize) -> Result<Option<Uuid>> {
        maybe_uuid(self, column)
    }

    fn text(&self, column: usize) -> Result<Option<String>> {
        Ok(self.get(column)?)
    }

    fn json(&self, column: usize) -> Result<Option<Json>> {
        Ok(self.get::<_, Option<String>>(column)?.map(Json::from_storage))
    }

    fn big(&self, column: usize) -> Result<Option<i64>> {
        Ok(self.get(column)?)
    }

    fn int(&self, column: usize) -> Result<Option<i32>> {
        Ok(self.get(column)?)
    }

    fn small(&self, column: usize) -> Result<Option<i16>> {
        Ok(self.get(column)?)
    }

    fn bool(&self, column: usize) -> Result<Option<bool>> {
        Ok(self.get(column)?)
    }

    fn time(&self, column: usize) -> Result<Option<Timestamp>> {
        maybe_at(self, column)
    }
}

pub(super) fn uuid(row: &Row<'_>, column: impl RowIndex) -> Result<Uuid> {
    Ok(Uuid::from_bytes(row.get(column)?))
}

pub(super) fn maybe_uuid(row: &Row<'_>, column: impl RowIndex) -> Result<Option<Uuid>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(Uuid::from_bytes))
}

pub(super) fn run_id(row: &Row<'_>, column: impl RowIndex) -> Result<RunId> {
    uuid(row, column).map(RunId)
}

pub(super) fn maybe_run_id(row: &Row<'_>, column: impl RowIndex) -> Result<Option<RunId>> {
    Ok(maybe_uuid(row, column)?.map(RunId))
}

/// A number of rows.
pub(super) fn count(row: &Row<'_>, column: impl RowIndex) -> Result<u64> {
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

pub(super) fn at(row: &Row<'_>, column: impl RowIndex) -> Result<Timestamp> {
    Ok(from_micros(row.get(column)?))
}

pub(super) fn maybe_at(row: &Row<'_>, column: impl RowIndex) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(from_micros))
}

pub(super) fn blob(id: Uuid) -> rusqlite::types::Value {
    rusqlite::types::Value::Blob(id.as_bytes().to_vec())
}

pub(super) fn micros(at: Option<Timestamp>) -> rusqlite::types::Value {
    at.map(Timestamp::as_microsecond).into()
}
