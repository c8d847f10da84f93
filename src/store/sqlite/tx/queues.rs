//! Queues, their settings and limits.

use std::collections::BTreeMap;

use rusqlite::{Row, params};

use crate::run::{QueueName, Status, WorkspaceName};
use crate::store::script::{QueueKey, QueueTx, Room, steps, to_i32, to_u32};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, first};
use crate::store::{Queue, QueueChange, QueueSettings, Result};

impl QueueTx for Session {
    async fn lock_rooms(&mut self, queues: &[QueueKey]) -> Result<Vec<Room>> {
        let mut select = self.prepare(&self.sql.lock_rooms)?;
        let mut rooms = Vec::new();
        for (workspace, queue) in queues {
            let read = |row: &Row<'_>| {
                let free = usize::try_from(row::count(row, 0)?).unwrap_or(usize::MAX);
                Ok(Room { workspace: workspace.clone(), queue: queue.clone(), free })
            };
            collect(&mut select, [workspace.as_str(), queue.as_str()], read, &mut rooms)?;
        }
        Ok(rooms)
    }

    async fn any_limited(&mut self, queues: &[QueueKey]) -> Result<bool> {
        let mut select = self.prepare(&self.sql.any_limited)?;
        for (workspace, queue) in queues {
            if first(&mut select, [workspace.as_str(), queue.as_str()], |row| Ok(row.get(0)?))? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn set_queue(
        &mut self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        let concurrency = change.concurrency.flatten().map(to_i32);
        let params =
            params![workspace.as_str(), queue.as_str(), change.paused, change.concurrency.is_some(), concurrency];
        self.row(&self.sql.set_queue, params, |row| settings(row, 0))
    }

    async fn queues(&mut self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
        let [known, runs] = steps(&self.sql.queues);
        let known = self.rows(known, [workspace.as_str()], |row| {
            let (name, settings) = (row::name(row, 0, QueueName::parse)?, settings(row, 1)?);
            Ok((name.clone(), Queue { name, settings, running: 0, waiting: 0 }))
        })?;
        let mut queues: BTreeMap<QueueName, Queue> = known.into_iter().collect();
        let mut select = self.prepare(runs)?;
        let mut rows = select.query([workspace.as_str()])?;
        while let Some(row) = rows.next()? {
            let name = row::name(row, 0, QueueName::parse)?;
            let queue = queues.entry(name).or_insert_with_key(|name| Queue {
                name: name.clone(),
                settings: QueueSettings::default(),
                running: 0,
                waiting: 0,
            });
            match row::word(row, 1, Status::from_word)? {
                Status::Running => queue.running += 1,
                Status::Queued | Status::Retrying => queue.waiting += 1,
                _ => {}
            }
        }
        Ok(queues.into_values().collect())
    }
}

/// `paused` and, after it, `concurrency`.
pub(super) fn settings(row: &Row<'_>, column: usize) -> Result<QueueSettings> {
    let concurrency = row.get::<_, Option<i32>>(column + 1)?.map(to_u32);
    Ok(QueueSettings { paused: row.get(column)?, concurrency })
}
