//! Runs as columns: one array for each, which is how PostgreSQL takes a thousand rows in one statement.

use jiff::Timestamp;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::row::{JsonText, types};
use crate::run::Run;
use crate::store::script::{Columns, Value};

/// The parameters of a statement, each with its type, so that none has to be prepared to learn them.
#[derive(Default)]
pub(super) struct Params<'a>(Vec<(Box<dyn ToSql + Sync + Send + 'a>, Type)>);

impl<'a> Params<'a> {
    pub(super) fn add(mut self, value: impl ToSql + Sync + Send + 'a, ty: Type) -> Self {
        self.0.push((Box::new(value), ty));
        self
    }

    pub(super) fn types(&self) -> Vec<Type> {
        self.0.iter().map(|(_, ty)| ty.clone()).collect()
    }

    pub(super) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.0.iter().map(|(value, _)| value.as_ref() as &(dyn ToSql + Sync)).collect()
    }

    pub(super) fn typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.0.iter().map(|(value, ty)| (value.as_ref() as &(dyn ToSql + Sync), ty.clone())).collect()
    }

    pub(super) fn text(self, value: &'a str) -> Self {
        self.add(value, Type::TEXT)
    }

    pub(super) fn texts(self, values: Vec<&'a str>) -> Self {
        self.add(values, Type::TEXT_ARRAY)
    }

    pub(super) fn opt_texts(self, values: Vec<Option<&'a str>>) -> Self {
        self.add(values, Type::TEXT_ARRAY)
    }

    pub(super) fn uuids(self, values: Vec<Uuid>) -> Self {
        self.add(values, Type::UUID_ARRAY)
    }

    pub(super) fn opt_uuids(self, values: Vec<Option<Uuid>>) -> Self {
        self.add(values, Type::UUID_ARRAY)
    }

    pub(super) fn big(self, value: i64) -> Self {
        self.add(value, Type::INT8)
    }

    pub(super) fn bigs(self, values: Vec<i64>) -> Self {
        self.add(values, Type::INT8_ARRAY)
    }

    pub(super) fn smalls(self, values: Vec<i16>) -> Self {
        self.add(values, Type::INT2_ARRAY)
    }

    pub(super) fn ints(self, values: Vec<i32>) -> Self {
        self.add(values, Type::INT4_ARRAY)
    }

    pub(super) fn opt_ints(self, values: Vec<Option<i32>>) -> Self {
        self.add(values, Type::INT4_ARRAY)
    }

    pub(super) fn time(self, value: Option<Timestamp>) -> Self {
        self.add(value, Type::TIMESTAMPTZ)
    }

    pub(super) fn times(self, values: Vec<Timestamp>) -> Self {
        self.add(values, Type::TIMESTAMPTZ_ARRAY)
    }

    pub(super) fn opt_times(self, values: Vec<Option<Timestamp>>) -> Self {
        self.add(values, Type::TIMESTAMPTZ_ARRAY)
    }

    pub(super) fn jsons(self, values: Vec<Option<&'a str>>) -> Self {
        let values: Vec<Option<JsonText<&str>>> = values.into_iter().map(|text| text.map(JsonText)).collect();
        self.add(values, Type::JSON_ARRAY)
    }
}

/// An array for each of these columns: what `{….input}` stands for in a statement.
pub(super) fn run_arrays(columns: Columns, runs: &[Run]) -> Params<'_> {
    columns.iter().fold(Params::default(), |params, column| {
        let values: Vec<Value<'_>> = runs.iter().map(|run| column.value(run)).collect();
        params.add(values, types(column).1)
    })
}
