//! Workers, what they execute, and what waits for them.

use jiff::{SignedDuration, Timestamp};
use rusqlite::types::Value;
use rusqlite::vtab::array::Array;
use rusqlite::{Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::settings;
use crate::run::{HostName, QueueName, Run, TaskName, WorkerId, WorkspaceName};
use crate::store::script::{WorkerTx, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, limit};
use crate::store::{Duty, Load, Position, QueueSettings, Result, StoreError, WaitingTask, Worker, WorkerInfo};

impl WorkerTx for Session {
    async fn heartbeat(&mut self, worker: &WorkerInfo) -> Result<Duty> {
        let params = params![
            worker.id.0.as_bytes(),
            worker.host.as_str(),
            worker.pid,
            worker.version,
            json(&worker.queues)?,
            worker.slots,
            worker.busy,
            json(&worker.limits)?,
            worker.tasks.as_ref().map(json).transpose()?,
            i64::try_from(worker.beat.as_millis()).unwrap_or(i64::MAX),
            worker.leaving,
            self.time().as_microsecond(),
        ];
        let draining = self.row(&self.sql.heartbeat, params, |row| Ok(row.get(0)?))?;
        Ok(if draining == Some(true) { Duty::Drain } else { Duty::Work })
    }

    async fn drain(&mut self, id: WorkerId) -> Result<Option<Worker>> {
        let now = self.time();
        let params = params![id.0.as_bytes(), now.as_microsecond()];
        self.row(&self.sql.drain, params, |row| worker(row, now))
    }

    async fn leave(&mut self, worker: WorkerId) -> Result<bool> {
        Ok(self.execute(&self.sql.leave, params![worker.0.as_bytes(), self.time().as_microsecond()])? > 0)
    }

    async fn workers(&mut self) -> Result<Vec<Worker>> {
        let now = self.time();
        self.rows(&self.sql.workers, [], |row| worker(row, now))
    }

    async fn position(&mut self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position> {
        let [in_queue, ahead, loads] = steps(&self.sql.position);
        let (workspace, queue) = (run.workspace.as_str(), run.queue.as_str());
        let position = self.row(in_queue, [workspace, queue], |row| {
            // Where nothing is set for the queue, there is no row of it.
            let settings = match row.get::<_, Option<bool>>(0)? {
                Some(_) => settings(row, 0)?,
                None => QueueSettings::default(),
            };
            let (running, running_since) = (row::count(row, 2)?, row::maybe_at(row, 3)?);
            Ok(Position { settings, running, running_since, ..Position::default() })
        })?;
        let place = params![workspace, queue, run.priority.get(), run.seq, limit(most)];
        let ahead = self.row(ahead, place, |row| row::count(row, 0))?.unwrap_or_default().min(most as u64);
        let ids = workers.iter().map(|worker| Value::from(worker.0.as_bytes().to_vec())).collect();
        let loads = self.rows(loads, params![queue, Array::new(ids)], |row| {
            let (worker, busy, in_queue) = (WorkerId(row::uuid(row, 0)?), row::count(row, 1)?, row::count(row, 2)?);
            Ok(Load { worker, busy, in_queue, since: row::at(row, 3)? })
        })?;
        Ok(Position { ahead, loads, ..position.unwrap_or_default() })
    }

    async fn waiting_tasks(&mut self, most: usize) -> Result<Vec<WaitingTask>> {
        self.rows(&self.sql.waiting_tasks, [limit(most)], |row| {
            Ok(WaitingTask {
                workspace: row::name(row, 0, WorkspaceName::parse)?,
                queue: row::name(row, 1, QueueName::parse)?,
                task: row::name(row, 2, TaskName::parse)?,
                runs: row::count(row, 3)?,
            })
        })
    }
}

fn worker(row: &Row<'_>, read_at: Timestamp) -> Result<Worker> {
    Ok(Worker {
        info: WorkerInfo {
            id: WorkerId(row::uuid(row, 0)?),
            host: row::name(row, 1, HostName::parse)?,
            pid: row.get(2)?,
            version: row.get(3)?,
            queues: parsed(&row.get::<_, String>(4)?)?,
            slots: row.get(5)?,
            busy: row.get(6)?,
            limits: parsed(&row.get::<_, String>(7)?)?,
            tasks: row.get::<_, Option<String>>(8)?.as_deref().map(parsed).transpose()?,
            beat: SignedDuration::from_millis(row.get(9)?),
            leaving: row.get(10)?,
        },
        started_at: row::at(row, 11)?,
        seen_at: row::at(row, 12)?,
        draining: row.get(13)?,
        draining_since: row::maybe_at(row, 14)?,
        left_at: row::maybe_at(row, 15)?,
        read_at,
    })
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(error.to_string()))
}
