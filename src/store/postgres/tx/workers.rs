//! Workers, what they execute, and what waits for them.

use jiff::SignedDuration;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{queue, queue_settings, workspace};
use crate::run::{HostName, InvalidName, QueueName, Run, TaskName, WorkerId};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::JsonText;
use crate::store::postgres::session::Session;
use crate::store::script::{WorkerTx, bad_name, steps, to_i32};
use crate::store::{Duty, Load, Position, Result, StoreError, WaitingTask, Worker, WorkerInfo};

impl WorkerTx for Session {
    async fn heartbeat(&mut self, info: &WorkerInfo) -> Result<Duty> {
        let limits = serde_json::to_string(&info.limits).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let tasks: Option<Vec<&str>> = info.tasks.as_ref().map(|all| all.iter().map(TaskName::as_str).collect());
        let params = Params::default()
            .add(info.id.0, Type::UUID)
            .text(info.host.as_str())
            .add(to_i32(info.pid), Type::INT4)
            .text(&info.version)
            .texts(info.queues.iter().map(QueueName::as_str).collect())
            .add(to_i32(info.slots), Type::INT4)
            .add(to_i32(info.busy), Type::INT4)
            .add(JsonText(limits.as_str()), Type::JSON)
            .add(tasks, Type::TEXT_ARRAY)
            .big(i64::try_from(info.beat.as_millis()).unwrap_or(i64::MAX))
            .add(info.leaving, Type::BOOL)
            .time(self.injected_now());
        let rows = self.query(&self.statements.heartbeat, params).await?;
        Ok(if rows[0].get(0) { Duty::Drain } else { Duty::Work })
    }

    async fn drain(&mut self, id: WorkerId) -> Result<Option<Worker>> {
        let params = Params::default().add(id.0, Type::UUID).time(self.injected_now());
        self.query(&self.statements.drain, params).await?.first().map(worker).transpose()
    }

    async fn leave(&mut self, id: WorkerId) -> Result<bool> {
        let params = Params::default().add(id.0, Type::UUID).time(self.injected_now());
        Ok(self.execute(&self.statements.leave, params).await? > 0)
    }

    async fn workers(&mut self) -> Result<Vec<Worker>> {
        self.query(&self.statements.workers, Params::default().time(self.injected_now()))
            .await?
            .iter()
            .map(worker)
            .collect()
    }

    async fn position(&mut self, run: &Run, workers: &[WorkerId], most: usize) -> Result<Position> {
        let [in_queue, ahead, loads] = steps(&self.statements.position);
        let of_queue = || Params::default().text(run.workspace.as_str()).text(run.queue.as_str());
        let rows = self.query(in_queue, of_queue()).await?;
        let place =
            of_queue().add(-run.priority.get(), Type::INT2).big(run.seq).big(i64::try_from(most).unwrap_or(i64::MAX));
        let before = self.query(ahead, place).await?;
        let those = Params::default().text(run.queue.as_str()).uuids(workers.iter().map(|worker| worker.0).collect());
        let loads = self.query(loads, those).await?;
        Ok(Position {
            settings: queue_settings(&rows[0], 0),
            running: rows[0].get::<_, i64>(2) as u64,
            running_since: rows[0].get(3),
            ahead: before[0].get::<_, i64>(0) as u64,
            loads: loads.iter().map(load).collect(),
        })
    }

    async fn waiting_tasks(&mut self, most: usize) -> Result<Vec<WaitingTask>> {
        let params = Params::default().big(i64::try_from(most).unwrap_or(i64::MAX));
        let read = |row: &Row| {
            Ok(WaitingTask {
                workspace: workspace(row, 0)?,
                queue: queue(row, 1)?,
                task: TaskName::parse(row.get::<_, &str>(2)).map_err(bad_name)?,
                runs: row.get::<_, i64>(3) as u64,
            })
        };
        self.query(&self.statements.waiting_tasks, params).await?.iter().map(read).collect()
    }
}

fn load(row: &Row) -> Load {
    Load {
        worker: WorkerId(row.get(0)),
        busy: row.get::<_, i64>(1) as u64,
        in_queue: row.get::<_, i64>(2) as u64,
        since: row.get(3),
    }
}

fn worker(row: &Row) -> Result<Worker> {
    let limits: JsonText<String> = row.get("queue_limits");
    Ok(Worker {
        info: WorkerInfo {
            id: WorkerId(row.get("id")),
            host: HostName::parse(row.get::<_, &str>("host")).map_err(bad_name)?,
            pid: row.get::<_, i32>("pid").max(0) as u32,
            version: row.get("version"),
            queues: names(row.get("queues"), QueueName::parse)?,
            limits: serde_json::from_str(&limits.0).map_err(|error| StoreError::Corrupt(error.to_string()))?,
            tasks: row.get::<_, Option<_>>("tasks").map(|tasks| names(tasks, TaskName::parse)).transpose()?,
            slots: row.get::<_, i32>("slots").max(0) as u32,
            busy: row.get::<_, i32>("busy").max(0) as u32,
            beat: SignedDuration::from_millis(row.get("beat_ms")),
            leaving: row.get("leaving"),
        },
        started_at: row.get("started_at"),
        seen_at: row.get("seen_at"),
        draining: row.get("draining"),
        draining_since: row.get("draining_since"),
        left_at: row.get("left_at"),
        read_at: row.get("read_at"),
    })
}

fn names<T>(texts: Vec<String>, parse: impl Fn(String) -> std::result::Result<T, InvalidName>) -> Result<Vec<T>> {
    texts.into_iter().map(|text| parse(text).map_err(bad_name)).collect()
}
