//! Reads of runs, for people.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{queue, status, unsigned, workspace};
use crate::run::{Attempt, AttemptEnd, AttemptedBy, HostName, Json, Run, RunError, RunId, WorkerId, WorkspaceName};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::{JsonText, runs};
use crate::store::postgres::session::Session;
use crate::store::script::{ReadTx, bad_name, steps};
use crate::store::{Count, Event, EventKind, Page, Result, RunFilter, SEARCHED_ENDS, StoreError};

impl ReadTx for Session {
    async fn run(&mut self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        let params = Params::default().text(workspace.as_str()).add(run.0, Type::UUID);
        Ok(runs(&self.query(&self.statements.run, params).await?)?.pop())
    }

    async fn runs(&mut self, workspace: &WorkspaceName, filter: &RunFilter, page: &Page<RunId>) -> Result<Vec<Run>> {
        let mut params = Params::default()
            .text(workspace.as_str())
            .add(page.after.map(|run| run.0), Type::UUID)
            .texts(filter.statuses.iter().map(|status| status.as_str()).collect())
            .add(filter.task.as_ref().map(|task| task.as_str()), Type::TEXT)
            .add(filter.queue.as_ref().map(|queue| queue.as_str()), Type::TEXT)
            .add(filter.lane.as_ref().map(|lane| lane.as_str()), Type::TEXT)
            .big(page.limit as i64 + 1);
        let [of_all, of_schedule] = steps(&self.statements.runs);
        let mut statement = of_all;
        if let Some(schedule) = filter.schedule {
            (statement, params) = (of_schedule, params.add(schedule.0, Type::UUID));
        }
        runs(&self.query(statement, params).await?)
    }

    async fn runs_ending(&mut self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>> {
        let params = Params::default().text(workspace.as_str()).text(end).big(SEARCHED_ENDS as i64).big(limit as i64);
        let rows = self.query(&self.statements.runs_ending, params).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn attempts(&mut self, run: RunId) -> Result<Vec<Attempt>> {
        let rows = self.query(&self.statements.attempts, Params::default().add(run.0, Type::UUID)).await?;
        rows.iter().map(attempt).collect()
    }

    async fn waits(&mut self, run: RunId) -> Result<Vec<RunId>> {
        let rows = self.query(&self.statements.waits, Params::default().add(run.0, Type::UUID)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn events(&mut self, run: RunId, after: i64, limit: usize) -> Result<Vec<Event>> {
        let params = Params::default().add(run.0, Type::UUID).big(after).big(limit as i64);
        self.query(&self.statements.events, params).await?.iter().map(event).collect()
    }

    async fn counts(&mut self) -> Result<Vec<Count>> {
        let rows = self.query(&self.statements.counts, Params::default()).await?;
        let read = |row: &Row| {
            Ok(Count {
                workspace: workspace(row, 0)?,
                queue: queue(row, 1)?,
                status: status(row, 2)?,
                runs: row.get::<_, i64>(3) as u64,
                ready: row.get::<_, i64>(4) as u64,
                oldest_ready: row.get(5),
            })
        };
        rows.iter().map(read).collect()
    }
}

fn attempt(row: &Row) -> Result<Attempt> {
    let error = match (row.get("error_code"), row.get("error_message")) {
        (Some(code), Some(message)) => Some(RunError { code, message }),
        _ => None,
    };
    Ok(Attempt {
        number: row.get::<_, i32>("number").max(0) as u32,
        epoch: row.get("epoch"),
        by: AttemptedBy {
            worker: WorkerId(row.get("worker")),
            host: HostName::parse(row.get::<_, &str>("host")).map_err(bad_name)?,
            started_at: row.get("started_at"),
        },
        ended: Some(AttemptEnd { at: row.get("ended_at"), status: status(row, 7)?, error }),
    })
}

fn event(row: &Row) -> Result<Event> {
    let word: &str = row.get(3);
    Ok(Event {
        seq: row.get(0),
        at: row.get(1),
        attempt: unsigned(row, 2),
        kind: EventKind::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("event kind {word:?}")))?,
        data: Json::from_storage(row.get::<_, JsonText<String>>(4).0),
    })
}
