//! Values and rows, as PostgreSQL sends and takes them.

use std::error::Error as StdError;

use bytes::BytesMut;
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::connect::refused;
use crate::run::{Json, Run};
use crate::store::Result;
use crate::store::script::{CellReader, Column, Dialect, Kind, Positions, Value, read_run};

/// A statement for many runs takes an array for each column.
pub(super) const DIALECT: Dialect = Dialect {
    input: |number, column| format!("${number}::{}[]", column_type(column.kind)),
    value: |_, column| format!("new.{}", column.name),
};

/// The type of a column in SQL.
fn column_type(kind: Kind) -> Type {
    match kind {
        Kind::Uuid => Type::UUID,
        Kind::Text => Type::TEXT,
        Kind::Json => Type::JSON,
        Kind::Big => Type::INT8,
        Kind::Int => Type::INT4,
        Kind::Small => Type::INT2,
        Kind::Bool => Type::BOOL,
        Kind::Time => Type::TIMESTAMPTZ,
    }
}

/// The types of one value of a column, and of an array of them.
pub(super) fn types(column: &Column) -> (Type, Type) {
    let array = match column.kind {
        Kind::Uuid => Type::UUID_ARRAY,
        Kind::Text => Type::TEXT_ARRAY,
        Kind::Json => Type::JSON_ARRAY,
        Kind::Big => Type::INT8_ARRAY,
        Kind::Int => Type::INT4_ARRAY,
        Kind::Small => Type::INT2_ARRAY,
        Kind::Bool => Type::BOOL_ARRAY,
        Kind::Time => Type::TIMESTAMPTZ_ARRAY,
    };
    (column_type(column.kind), array)
}

type Encoded = std::result::Result<IsNull, Box<dyn StdError + Sync + Send>>;

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
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Encoded {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }

    to_sql_checked!();
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Encoded {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Uuid(id) => id.to_sql(ty, out),
            Value::Text(text) => text.as_ref().to_sql(ty, out),
            Value::Json(text) => JsonText(*text).to_sql(ty, out),
            Value::Big(number) => number.to_sql(ty, out),
            Value::Int(number) => number.to_sql(ty, out),
            Value::Small(number) => number.to_sql(ty, out),
            Value::Bool(truth) => truth.to_sql(ty, out),
            Value::Time(time) => time.to_sql(ty, out),
        }
    }

    /// Of each kind of value, `types` names the one type; the table of columns keeps the two together.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl std::fmt::Debug for Value<'_> {
    /// Not the value itself: the driver logs parameters, and a payload is nobody's business there.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }
}

/// The runs in rows of `runs`, `history` or `all_runs`.
pub(super) fn runs(rows: &[Row]) -> Result<Vec<Run>> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let find = |name: &str| first.columns().iter().position(|column| column.name() == name);
    let positions = Positions::by_name(find);
    rows.iter().map(|row| read_run(row, &positions)).collect()
}

fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T> {
    row.try_get(column).map_err(|error| refused("reading a run", error))
}

impl CellReader for Row {
    fn uuid(&self, column: usize) -> Result<Option<Uuid>> {
        get(self, column)
    }

    fn text(&self, column: usize) -> Result<Option<String>> {
        get(self, column)
    }

    fn json(&self, column: usize) -> Result<Option<Json>> {
        let text: Option<JsonText<String>> = get(self, column)?;
        Ok(text.map(|json| Json::from_storage(json.0)))
    }

    fn big(&self, column: usize) -> Result<Option<i64>> {
        get(self, column)
    }

    fn int(&self, column: usize) -> Result<Option<i32>> {
        get(self, column)
    }

    fn small(&self, column: usize) -> Result<Option<i16>> {
        get(self, column)
    }

    fn bool(&self, column: usize) -> Result<Option<bool>> {
        get(self, column)
    }

    fn time(&self, column: usize) -> Result<Option<Timestamp>> {
        get(self, column)
    }
}
