//! Reads of runs, for people.

use std::collections::BTreeMap;

use rusqlite::params;
use rusqlite::types::{ToSql, Value};
use rusqlite::vtab::array::Array;

use super::AFTER_EVERY_ID;
use crate::run::{
    Attempt, AttemptEnd, AttemptedBy, HostName, Json, LaneName, QueueName, Run, RunError, RunId, Status, TaskName,
    WorkerId, WorkspaceName,
};
use crate::store::script::{ReadTx, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, limit};
use crate::store::{Count, Event, EventKind, Page, Result, RunFilter, SEARCHED_ENDS};

impl ReadTx for Session {
    async fn run(&mut self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        let [live, finished] = steps(&self.sql.run);
        for place in [live, finished] {
            let mut found = self.select_runs(place, params![workspace.as_str(), run.0.as_bytes()])?;
            if let Some(run) = found.pop() {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Each place that may have some is asked for a page of its own; the page of all is the first of these together.
    async fn runs(&mut self, workspace: &WorkspaceName, filter: &RunFilter, page: &Page<RunId>) -> Result<Vec<Run>> {
        let [live, finished, rare, scheduled_live, scheduled_finished] = steps(&self.sql.runs);
        if filter.schedule.is_some() {
            let mut runs = self.runs_of(scheduled_live, workspace, filter, None, page)?;
            runs.extend(self.runs_of(scheduled_finished, workspace, filter, None, page)?);
            return Ok(newest_first(runs));
        }
        let any = filter.statuses.is_empty();
        let mut runs = Vec::new();
        if any || filter.statuses.iter().any(|status| !status.is_terminal()) {
            runs.extend(self.runs_of(live, workspace, filter, None, page)?);
        }
        if any || filter.statuses.contains(&Status::Succeeded) {
            runs.extend(self.runs_of(finished, workspace, filter, None, page)?);
        } else {
            let mut statuses = filter.statuses.clone();
            statuses.sort();
            statuses.dedup();
            for status in statuses.into_iter().filter(|status| status.is_terminal()) {
                runs.extend(self.runs_of(rare, workspace, filter, Some(status), page)?);
            }
        }
        Ok(newest_first(runs))
    }

    async fn runs_ending(&mut self, workspace: &WorkspaceName, end: &str, rows: usize) -> Result<Vec<RunId>> {
        let params = params![workspace.as_str(), end, limit(SEARCHED_ENDS), limit(rows)];
        self.rows(&self.sql.runs_ending, params, |row| row::run_id(row, 0))
    }

    async fn attempts(&mut self, run: RunId) -> Result<Vec<Attempt>> {
        self.rows(&self.sql.attempts, [run.0.as_bytes()], attempt)
    }

    async fn waits(&mut self, run: RunId) -> Result<Vec<RunId>> {
        self.rows(&self.sql.waits, [run.0.as_bytes()], |row| row::run_id(row, 0))
    }

    async fn events(&mut self, run: RunId, after: i64, rows: usize) -> Result<Vec<Event>> {
        self.rows(&self.sql.events, params![run.0.as_bytes(), after, limit(rows)], |row| {
            Ok(Event {
                seq: row.get(0)?,
                at: row::at(row, 1)?,
                attempt: row.get(2)?,
                kind: row::word(row, 3, EventKind::from_word)?,
                data: Json::from_storage(row.get(4)?),
            })
        })
    }

    async fn counts(&mut self) -> Result<Vec<Count>> {
        let mut select = self.prepare(&self.sql.counts)?;
        let mut rows = select.query([])?;
        let mut counts = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let workspace = row::name(row, 0, WorkspaceName::parse)?;
            let queue = row::name(row, 1, QueueName::parse)?;
            let status = row::word(row, 2, Status::from_word)?;
            let count =
                counts.entry((workspace, queue, status)).or_insert_with_key(|(workspace, queue, status)| Count {
                    workspace: workspace.clone(),
                    queue: queue.clone(),
                    status: *status,
                    runs: 0,
                    ready: 0,
                    oldest_ready: None,
                });
            count.runs += 1;
            if row.get(3)? {
                let available_at = row::at(row, 4)?;
                count.ready += 1;
                count.oldest_ready = Some(count.oldest_ready.map_or(available_at, |oldest| oldest.min(available_at)));
            }
        }
        Ok(counts.into_values().collect())
    }
}

impl Session {
    fn runs_of(
        &self,
        sql: &str,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        status: Option<Status>,
        page: &Page<RunId>,
    ) -> Result<Vec<Run>> {
        let statuses = filter.statuses.iter().map(|status| Value::from(status.as_str().to_owned())).collect();
        let schedule = filter.schedule.map(|schedule| schedule.0.into_bytes());
        let params: &[&dyn ToSql] = params![
            workspace.as_str(),
            page.after.as_ref().map_or(&AFTER_EVERY_ID[..], |id| id.0.as_bytes()),
            status.map(Status::as_str),
            filter.statuses.is_empty(),
            Array::new(statuses),
            filter.task.as_ref().map(TaskName::as_str),
            filter.queue.as_ref().map(QueueName::as_str),
            filter.lane.as_ref().map(LaneName::as_str),
            limit(page.limit.saturating_add(1)),
            schedule,
        ];
        // Only the statements for one schedule ask which.
        let asked = if schedule.is_some() { params } else { &params[..params.len() - 1] };
        self.select_runs(sql, asked)
    }
}

fn attempt(row: &rusqlite::Row<'_>) -> Result<Attempt> {
    let error = match (row.get(7)?, row.get(8)?) {
        (Some(code), Some(message)) => Some(RunError { code, message }),
        _ => None,
    };
    Ok(Attempt {
        number: row.get(0)?,
        epoch: row.get(1)?,
        by: AttemptedBy {
            worker: WorkerId(row::uuid(row, 2)?),
            host: row::name(row, 3, HostName::parse)?,
            started_at: row::at(row, 4)?,
        },
        ended: Some(AttemptEnd { at: row::at(row, 5)?, status: row::word(row, 6, Status::from_word)?, error }),
    })
}

/// Newest id first.
fn newest_first(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    runs
}
