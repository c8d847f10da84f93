//! Runs as columns: one array for each, which is how PostgreSQL takes a thousand rows in one statement.

use jiff::Timestamp;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::row::JsonText;
use crate::run::Run;
use crate::store::script::Record;

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

/// What `insert_runs` takes: only what a new run can differ in.
pub(super) fn new_runs(runs: &[Run]) -> Params<'_> {
    let each = |column: fn(&Run) -> &str| runs.iter().map(column).collect::<Vec<_>>();
    let maybe = |column: fn(&Run) -> Option<&str>| runs.iter().map(column).collect::<Vec<_>>();
    let retries: Vec<Option<String>> = runs.iter().map(|run| run.retry.map(Record::retry_text)).collect();
    Params::default()
        .uuids(runs.iter().map(|run| run.id.0).collect())
        .texts(each(|run| run.workspace.as_str()))
        .texts(each(|run| run.task.as_str()))
        .texts(each(|run| run.queue.as_str()))
        .opt_texts(maybe(|run| run.lane.as_ref().map(|lane| lane.as_str())))
        .smalls(runs.iter().map(|run| run.priority.get()).collect())
        .texts(each(|run| run.status().as_str()))
        .opt_texts(maybe(|run| run.blocked_by().map(|reason| reason.as_str())))
        .jsons(maybe(|run| Some(run.payload.as_str())))
        .jsons(maybe(|run| run.metadata.as_ref().map(|json| json.as_str())))
        .opt_texts(maybe(|run| run.key.as_ref().map(|key| key.as_str())))
        .ints(runs.iter().map(|run| run.max_attempts as i32).collect())
        .opt_ints(runs.iter().map(|run| run.timeout_seconds.map(|seconds| seconds as i32)).collect())
        .add(retries, Type::TEXT_ARRAY)
        .times(runs.iter().map(|run| run.available_at).collect())
        .add(runs.iter().map(|run| run.awaited).collect::<Vec<bool>>(), Type::BOOL_ARRAY)
        .time(runs.first().map(|run| run.requested_at))
}

/// What `insert_scheduled` takes besides: what they owe to their schedules.
pub(super) fn scheduled_runs(runs: &[Run]) -> Params<'_> {
    new_runs(runs)
        .opt_uuids(runs.iter().map(|run| run.scheduled.map(|scheduled| scheduled.schedule.0)).collect())
        .opt_times(runs.iter().map(|run| run.scheduled.and_then(|scheduled| scheduled.slot)).collect())
        .opt_uuids(runs.iter().map(|run| run.scheduled.map(|scheduled| scheduled.grant.0)).collect())
}

/// Every column of `runs`, in the order of [`Record`].
pub(super) fn live_rows(records: &[Record]) -> Params<'_> {
    head(records, true)
        .opt_times(records.iter().map(|r| r.lease_expires_at).collect())
        .opt_times(records.iter().map(|r| r.orphaned_at).collect())
        .opt_texts(records.iter().map(|r| r.stop.as_deref()).collect())
        .opt_texts(records.iter().map(|r| r.error_code.as_deref()).collect())
        .opt_texts(records.iter().map(|r| r.error_message.as_deref()).collect())
        .add(records.iter().map(|r| r.awaited).collect::<Vec<bool>>(), Type::BOOL_ARRAY)
        .opt_uuids(records.iter().map(|r| r.schedule_id).collect())
        .opt_times(records.iter().map(|r| r.slot).collect())
        .opt_uuids(records.iter().map(|r| r.grant_id).collect())
        .ints(records.iter().map(|r| r.postponements).collect())
}

/// Every column of `history`, in the order of [`Record`].
pub(super) fn finished_rows(records: &[Record]) -> Params<'_> {
    head(records, false)
        .opt_texts(records.iter().map(|r| r.error_code.as_deref()).collect())
        .opt_texts(records.iter().map(|r| r.error_message.as_deref()).collect())
        .add(records.iter().map(|r| r.awaited).collect::<Vec<bool>>(), Type::BOOL_ARRAY)
        .opt_uuids(records.iter().map(|r| r.schedule_id).collect())
        .opt_times(records.iter().map(|r| r.slot).collect())
        .opt_uuids(records.iter().map(|r| r.grant_id).collect())
        .ints(records.iter().map(|r| r.postponements).collect())
        .opt_times(records.iter().map(|r| r.finished_at).collect())
        .jsons(records.iter().map(|r| r.output.as_deref()).collect())
}

/// What both have, up to `host`.
fn head(records: &[Record], live: bool) -> Params<'_> {
    let mut params = Params::default()
        .uuids(records.iter().map(|r| r.id).collect())
        .bigs(records.iter().map(|r| r.seq).collect())
        .texts(records.iter().map(|r| r.workspace.as_str()).collect())
        .texts(records.iter().map(|r| r.task.as_str()).collect())
        .texts(records.iter().map(|r| r.queue.as_str()).collect())
        .opt_texts(records.iter().map(|r| r.lane.as_deref()).collect())
        .smalls(records.iter().map(|r| r.priority).collect())
        .texts(records.iter().map(|r| r.status.as_str()).collect());
    if live {
        params = params.opt_texts(records.iter().map(|r| r.blocked_by.as_deref()).collect());
    }
    params
        .jsons(records.iter().map(|r| Some(r.payload.as_str())).collect())
        .jsons(records.iter().map(|r| r.metadata.as_deref()).collect())
        .opt_texts(records.iter().map(|r| r.key.as_deref()).collect())
        .ints(records.iter().map(|r| r.attempt).collect())
        .ints(records.iter().map(|r| r.max_attempts).collect())
        .ints(records.iter().map(|r| r.attempts_granted).collect())
        .ints(records.iter().map(|r| r.interruptions).collect())
        .bigs(records.iter().map(|r| r.epoch).collect())
        .opt_ints(records.iter().map(|r| r.timeout_seconds).collect())
        .opt_texts(records.iter().map(|r| r.retry.as_deref()).collect())
        .times(records.iter().map(|r| r.available_at).collect())
        .times(records.iter().map(|r| r.requested_at).collect())
        .opt_times(records.iter().map(|r| r.started_at).collect())
        .opt_times(records.iter().map(|r| r.attempt_started_at).collect())
        .opt_uuids(records.iter().map(|r| r.worker).collect())
        .opt_texts(records.iter().map(|r| r.host.as_deref()).collect())
}
