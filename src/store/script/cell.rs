//! Values of columns, whatever the database.

use std::borrow::Cow;

use jiff::Timestamp;
use uuid::Uuid;

use crate::run::Json;
use crate::store::{Result, StoreError};

/// What a column can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Kind {
    Uuid,
    Text,
    Json,
    Big,
    Int,
    Small,
    Bool,
    Time,
}

/// A value on its way into the database.
pub(in crate::store) enum Value<'a> {
    Null,
    Uuid(Uuid),
    Text(Cow<'a, str>),
    Json(&'a str),
    Big(i64),
    Int(i32),
    Small(i16),
    Bool(bool),
    Time(Timestamp),
}

/// Reads a row of an answer; `None` where a value is null.
pub(in crate::store) trait CellReader {
    fn uuid(&self, column: usize) -> Result<Option<Uuid>>;
    fn text(&self, column: usize) -> Result<Option<String>>;
    fn json(&self, column: usize) -> Result<Option<Json>>;
    fn big(&self, column: usize) -> Result<Option<i64>>;
    fn int(&self, column: usize) -> Result<Option<i32>>;
    fn small(&self, column: usize) -> Result<Option<i16>>;
    fn bool(&self, column: usize) -> Result<Option<bool>>;
    fn time(&self, column: usize) -> Result<Option<Timestamp>>;
}

/// A type that a column's values are read as.
pub(in crate::store) trait Cell: Sized {
    const KIND: Kind;
    /// `column` is `None` where the answer lacks it.
    fn read(row: &impl CellReader, column: Option<usize>, name: &str) -> Result<Self>;
}

macro_rules! cells {
    ($($type:ty, $kind:ident, $read:ident;)+) => {$(
        impl Cell for Option<$type> {
            const KIND: Kind = Kind::$kind;
            fn read(row: &impl CellReader, column: Option<usize>, _: &str) -> Result<Self> {
                column.map_or(Ok(None), |column| row.$read(column))
            }
        }

        impl Cell for $type {
            const KIND: Kind = Kind::$kind;
            fn read(row: &impl CellReader, column: Option<usize>, name: &str) -> Result<Self> {
                let value: Option<Self> = Cell::read(row, column, name)?;
                value.ok_or_else(|| StoreError::Corrupt(format!("no value in column {name}")))
            }
        }
    )+};
}

cells! {
    Uuid, Uuid, uuid;
    String, Text, text;
    Json, Json, json;
    i64, Big, big;
    i32, Int, int;
    i16, Small, small;
    bool, Bool, bool;
    Timestamp, Time, time;
}

macro_rules! values {
    ($($type:ty => $value:expr;)+) => {$(
        impl<'a> From<$type> for Value<'a> {
            fn from(value: $type) -> Self {
                $value(value)
            }
        }
    )+};
}

values! {
    Uuid => Value::Uuid;
    &'a str => |text| Value::Text(Cow::Borrowed(text));
    String => |text| Value::Text(Cow::Owned(text));
    &'a Json => |json: &'a Json| Value::Json(json.as_str());
    i64 => Value::Big;
    i32 => Value::Int;
    i16 => Value::Small;
    bool => Value::Bool;
    Timestamp => Value::Time;
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}
