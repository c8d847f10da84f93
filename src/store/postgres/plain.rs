//! Plain runs: stored by one statement, without an explicit transaction.

use std::collections::BTreeSet;

use jiff::Timestamp;
use tokio_postgres::types::Type;

use super::arrays::Params;
use super::row::JsonText;
use super::session::Session;
use crate::run::{NewRun, Run};
use crate::store::Result;
use crate::store::script::{retry_text, steps, to_i32};

impl Session {
    /// Inserts all of them or, if an id is taken, none: then it fails.
    pub(super) async fn insert_plain(&mut self, requests: &[NewRun]) -> Result<(Vec<bool>, Timestamp)> {
        let [different, alike] = steps(&self.statements.insert_ready);
        let (sql, params) = match alike_runs(requests) {
            Some(params) => (alike, params),
            None => (different, ready_runs(requests)),
        };
        let params = self.with_notification(params.time(self.injected_now()));
        let rows = self.query_autocommit(sql, params).await?;
        self.reset_positions |=
            !self.positions.precede(requests.iter().map(|run| ((&run.workspace, &run.task, &run.queue), run.priority)));
        Ok((vec![true; requests.len()], rows[0].get(0)))
    }

    /// Has the scan positions reset if new runs are before them.
    pub(super) fn note_new_runs(&mut self, runs: &[Run]) {
        let ready = runs.iter().filter(|run| run.is_ready());
        self.reset_positions |=
            !self.positions.precede(ready.map(|run| ((&run.workspace, &run.task, &run.queue), run.priority)));
    }
}

/// The parameters for runs that differ, before the time: only what runs that are ready at once can differ in.
fn ready_runs(runs: &[NewRun]) -> Params<'_> {
    let each = |column: fn(&NewRun) -> &str| runs.iter().map(column).collect::<Vec<_>>();
    let retries: Vec<Option<String>> = runs.iter().map(|run| run.retry.map(retry_text)).collect();
    let owners: BTreeSet<&str> = runs.iter().map(|run| run.workspace.as_str()).collect();
    Params::default()
        .uuids(runs.iter().map(|run| run.id.0).collect())
        .texts(each(|run| run.workspace.as_str()))
        .texts(each(|run| run.task.as_str()))
        .texts(each(|run| run.queue.as_str()))
        .smalls(runs.iter().map(|run| run.priority.get()).collect())
        .jsons(runs.iter().map(|run| Some(run.payload.as_str())).collect())
        .jsons(runs.iter().map(|run| run.metadata.as_ref().map(|json| json.as_str())).collect())
        .ints(runs.iter().map(|run| run.max_attempts.get().into()).collect())
        .opt_ints(runs.iter().map(|run| run.timeout_seconds.map(|seconds| to_i32(seconds.get()))).collect())
        .add(retries, Type::TEXT_ARRAY)
        .texts(owners.into_iter().collect())
        .add(runs.iter().map(|run| run.id.0).min(), Type::UUID)
        .add(runs.iter().map(|run| run.id.0).max(), Type::UUID)
}

/// The parameters for runs that differ only in their ids and payloads, before the time; `None` if they differ in more.
fn alike_runs(runs: &[NewRun]) -> Option<Params<'_>> {
    let first = runs.first()?;
    let alike = |run: &NewRun| {
        (&run.workspace, &run.task, &run.queue) == (&first.workspace, &first.task, &first.queue)
            && (run.priority, &run.metadata) == (first.priority, &first.metadata)
            && (run.max_attempts, run.timeout_seconds, run.retry)
                == (first.max_attempts, first.timeout_seconds, first.retry)
    };
    if !runs.iter().all(alike) {
        return None;
    }
    let params = Params::default()
        .uuids(runs.iter().map(|run| run.id.0).collect())
        .jsons(runs.iter().map(|run| Some(run.payload.as_str())).collect())
        .text(first.workspace.as_str())
        .text(first.task.as_str())
        .text(first.queue.as_str())
        .add(first.priority.get(), Type::INT2)
        .add(first.metadata.as_ref().map(|json| JsonText(json.as_str())), Type::JSON)
        .add(i32::from(first.max_attempts.get()), Type::INT4)
        .add(first.timeout_seconds.map(|seconds| to_i32(seconds.get())), Type::INT4)
        .add(first.retry.map(retry_text), Type::TEXT)
        .add(runs.iter().map(|run| run.id.0).min(), Type::UUID)
        .add(runs.iter().map(|run| run.id.0).max(), Type::UUID);
    Some(params)
}
