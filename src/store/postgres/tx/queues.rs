//! Queues, their settings and limits.

use std::collections::HashMap;

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{queue, workspace};
use crate::run::{QueueName, WorkspaceName};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::session::Session;
use crate::store::script::{QueueKey, QueueTx, Room, steps, to_i32};
use crate::store::{Queue, QueueChange, QueueSettings, Result};

impl QueueTx for Session {
    async fn lock_rooms(&mut self, queues: &[QueueKey]) -> Result<Vec<Room>> {
        let params = || {
            Params::default()
                .texts(queues.iter().map(|(workspace, _)| workspace.as_str()).collect())
                .texts(queues.iter().map(|(_, queue)| queue.as_str()).collect())
        };
        let [lock, count] = steps(&self.statements.lock_rooms);
        let limits = self.query(lock, params()).await?;
        let mut running: HashMap<(WorkspaceName, QueueName), i64> = HashMap::new();
        for row in self.query(count, params()).await? {
            running.insert((workspace(&row, 0)?, queue(&row, 1)?), row.get(2));
        }
        let room = |row: &Row| {
            let (workspace, queue) = (workspace(row, 0)?, queue(row, 1)?);
            let busy = running.get(&(workspace.clone(), queue.clone())).copied().unwrap_or_default();
            let free = (i64::from(row.get::<_, i32>(2)) - busy).max(0) as usize;
            Ok(Room { workspace, queue, free })
        };
        limits.iter().map(room).collect()
    }

    async fn any_limited(&mut self, queues: &[QueueKey]) -> Result<bool> {
        let params = Params::default()
            .texts(queues.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .texts(queues.iter().map(|(_, queue)| queue.as_str()).collect());
        Ok(self.query(&self.statements.any_limited, params).await?[0].get(0))
    }

    async fn set_queue(
        &mut self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        let params = Params::default()
            .text(workspace.as_str())
            .text(queue.as_str())
            .add(change.paused, Type::BOOL)
            .add(change.concurrency.is_some(), Type::BOOL)
            .add(change.concurrency.flatten().map(to_i32), Type::INT4);
        let rows = self.query(&self.statements.set_queue, params).await?;
        Ok(rows.first().map(|row| queue_settings(row, 0)))
    }

    async fn queues(&mut self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
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
}

pub(in crate::store::postgres) fn queue_settings(row: &Row, at: usize) -> QueueSettings {
    let concurrency: Option<i32> = row.get(at + 1);
    QueueSettings { paused: row.get(at), concurrency: concurrency.map(|limit| limit.max(0) as u32) }
}
