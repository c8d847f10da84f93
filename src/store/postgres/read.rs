//! Reads.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::arrays::Params;
use super::row::{JsonText, runs};
use super::session::Session;
use super::tx::{queue, status, unsigned, workspace};
use crate::run::{
    Attempt, AttemptEnd, AttemptedBy, HostName, Json, LaneName, Run, RunError, RunId, WorkerId, WorkspaceName,
};
use crate::store::SEARCHED_ENDS;
use crate::store::script::{bad_name, steps};
use crate::store::{
    Count, Event, EventKind, Lane, LanePolicy, Listed, Page, Queue, QueueSettings, Result, RunFilter, StoreError,
};

impl Session {
    pub(super) async fn run(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Run>> {
        let params = Params::default().text(workspace.as_str()).add(run.0, Type::UUID);
        Ok(runs(&self.query(&self.statements.run, params).await?)?.pop())
    }

    pub(super) async fn runs(
        &self,
        workspace: &WorkspaceName,
        filter: &RunFilter,
        page: &Page<RunId>,
    ) -> Result<Listed<Run, RunId>> {
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
        let found = runs(&self.query(statement, params).await?)?;
        Ok(Listed::cut(found, page.limit, |run: &Run| run.id))
    }

    pub(super) async fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<Attempt>>> {
        let Some(run) = self.run(workspace, run).await? else { return Ok(None) };
        let rows = self.query(&self.statements.attempts, Params::default().add(run.id.0, Type::UUID)).await?;
        let mut attempts = rows.iter().map(attempt).collect::<Result<Vec<_>>>()?;
        attempts.extend(run.last_attempt());
        Ok(Some(attempts))
    }

    pub(super) async fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Result<Vec<RunId>> {
        let params = Params::default().text(workspace.as_str()).text(end).big(SEARCHED_ENDS as i64).big(limit as i64);
        let rows = self.query(&self.statements.runs_ending, params).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    pub(super) async fn waits(&self, workspace: &WorkspaceName, run: RunId) -> Result<Option<Vec<RunId>>> {
        let Some(run) = self.run(workspace, run).await? else { return Ok(None) };
        let rows = self.query(&self.statements.waits, Params::default().add(run.id.0, Type::UUID)).await?;
        Ok(Some(rows.iter().map(|row| RunId(row.get(0))).collect()))
    }

    pub(super) async fn events(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Option<Vec<Event>>> {
        let Some(run) = self.run(workspace, run).await? else { return Ok(None) };
        let params = Params::default().add(run.id.0, Type::UUID).big(after).big(limit as i64);
        let rows = self.query(&self.statements.events, params).await?;
        rows.iter().map(event).collect::<Result<Vec<_>>>().map(Some)
    }

    pub(super) async fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>> {
        let params = Params::default()
            .text(workspace.as_str())
            .add(page.after.as_ref().map(|lane| lane.as_str()), Type::TEXT)
            .big(page.limit as i64 + 1)
            .add(only.map(LaneName::as_str), Type::TEXT);
        let rows = self.query(&self.statements.lanes, params).await?;
        let lanes = rows.iter().map(lane).collect::<Result<Vec<_>>>()?;
        Ok(Listed::cut(lanes, page.limit, |lane: &Lane| lane.name.clone()))
    }

    pub(super) async fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
        let rows = self.query(&self.statements.queues, Params::default().text(workspace.as_str())).await?;
        let read = |row: &Row| {
            Ok(Queue {
                name: queue(row, 0)?,
                settings: queue_settings(row, 1),
                running: row.get::<_, i64>(3) as u64,
                waiting: row.get::<_, i64>(4) as u64,
            })
        };
        rows.iter().map(read).collect()
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<WorkspaceName>> {
        let rows = self.query(&self.statements.workspaces, Params::default()).await?;
        rows.iter().map(|row| workspace(row, 0)).collect()
    }

    pub(super) async fn counts(&self) -> Result<Vec<Count>> {
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

pub(super) fn queue_settings(row: &Row, at: usize) -> QueueSettings {
    let concurrency: Option<i32> = row.get(at + 1);
    QueueSettings { paused: row.get(at), concurrency: concurrency.map(|limit| limit.max(0) as u32) }
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

fn lane(row: &Row) -> Result<Lane> {
    let held_by: Vec<uuid::Uuid> = row.get(3);
    Ok(Lane {
        name: super::tx::lane(row, 0)?,
        policy: LanePolicy::from_word(row.get(1)).unwrap_or_default(),
        occupant: row.get::<_, Option<_>>(2).map(RunId),
        held_by: held_by.into_iter().map(RunId).collect(),
        waiting: row.get::<_, i64>(4) as u64,
    })
}
