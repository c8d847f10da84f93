//! What stands beside the runs: lanes and queues as people read them, and workspaces.

use std::collections::BTreeMap;

use rusqlite::{Row, params};

use super::row;
use super::session::{Session, collect, limit};
use super::streams::behind;
use crate::run::{LaneName, QueueName, Status, WorkspaceName};
use crate::store::script::steps;
use crate::store::script::{to_i32, to_u32};
use crate::store::{Lane, LanePolicy, Listed, Page, Queue, QueueChange, QueueSettings, Result};

impl Session<'_> {
    pub(super) fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Listed<Lane, LaneName>> {
        let [lanes, holds] = steps(&self.sql.lanes);
        // As a range, which the indexes understand: every name comes after the empty one and before the last character there is.
        let after = page.after.as_ref().map(|after| behind(after.as_str()));
        let (first, last) = match only {
            Some(only) => (only.to_string().max(after.unwrap_or_default()), only.as_str()),
            None => (after.unwrap_or_default(), "\u{10ffff}"),
        };
        let params = params![workspace.as_str(), first, last, limit(page.limit.saturating_add(1))];
        let mut lanes = self.rows(lanes, params, |row| {
            let policy = row.get::<_, Option<String>>(1)?;
            Ok(Lane {
                name: row::name(row, 0, LaneName::parse)?,
                policy: policy.as_deref().and_then(LanePolicy::from_word).unwrap_or_default(),
                occupant: row::maybe_run_id(row, 2)?,
                held_by: Vec::new(),
                waiting: row::count(row, 3)?,
            })
        })?;
        let mut holds = self.prepare(holds)?;
        for Lane { name, held_by, .. } in &mut lanes {
            collect(&mut holds, [workspace.as_str(), name.as_str()], |row| row::run_id(row, 0), held_by)?;
        }
        Ok(Listed::cut(lanes, page.limit, |lane: &Lane| lane.name.clone()))
    }

    pub(super) fn queues(&self, workspace: &WorkspaceName) -> Result<Vec<Queue>> {
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

    pub(super) fn set_queue(
        &mut self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        let concurrency = change.concurrency.flatten().map(to_i32);
        let params =
            params![workspace.as_str(), queue.as_str(), change.paused, change.concurrency.is_some(), concurrency];
        let settings = self.row(&self.sql.set_queue, params, |row| settings(row, 0))?;
        self.news.ready |= settings.is_some_and(|settings| change.may_open(settings));
        Ok(settings)
    }

    pub(super) fn create_workspace(&self, workspace: &WorkspaceName) -> Result<bool> {
        let params = params![workspace.as_str(), self.time().as_microsecond()];
        Ok(self.execute(&self.sql.create_workspace, params)? > 0)
    }

    pub(super) fn workspaces(&self) -> Result<Vec<WorkspaceName>> {
        self.rows(&self.sql.workspaces, [], |row| row::name(row, 0, WorkspaceName::parse))
    }
}

/// `paused` and, after it, `concurrency`.
pub(super) fn settings(row: &Row<'_>, column: usize) -> Result<QueueSettings> {
    let concurrency = row.get::<_, Option<i32>>(column + 1)?.map(to_u32);
    Ok(QueueSettings { paused: row.get(column)?, concurrency })
}
