//! Scans for streams that have something to claim: from one to the next along the index, skipping those that are not asked for, so
//! that its cost depends neither on the number of waiting runs nor on that of names.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::Row;

use super::row;
use super::session::{Session, first};
use crate::run::{QueueName, TaskName, WorkspaceName};
use crate::store::Result;
use crate::store::script::{Interest, LastSeen, MOST_STREAMS, Stream, StreamKey, last_seen, steps};

/// The workers of a process mostly claim from the same streams.
const MOST_INTERESTS: usize = 32;

/// Where scans that could not find all streams ended.
#[derive(Default)]
pub(super) struct ScanPositions(Mutex<HashMap<Interest, LastSeen>>);

impl ScanPositions {
    fn last_seen(&self, interest: &Interest) -> LastSeen {
        let positions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        positions.get(interest).cloned().unwrap_or_default()
    }

    fn learn(&self, interest: &Interest, seen: LastSeen) {
        let mut positions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_empty() {
            positions.remove(interest);
            return;
        }
        if positions.len() >= MOST_INTERESTS {
            positions.clear();
        }
        positions.insert(interest.clone(), seen);
    }
}

impl Session {
    /// The streams that are served, have something to claim and are not paused; of a workspace no more than one scan finds.
    pub(super) fn scan_streams(&self, interest: &Interest) -> Result<Vec<Stream>> {
        let [next, settings] = steps(&self.sql.ready_streams);
        let (mut next, mut settings) = (self.prepare(next)?, self.prepare(settings)?);
        let mut scan =
            StreamScan { interest, last_seen: self.positions.last_seen(interest), found: Vec::new(), here: 0 };
        let mut from = Place::default();
        while let Some(stream) = first(&mut next, [&from.workspace, &from.task, &from.queue], stream)? {
            from = scan.step(stream);
        }
        self.positions.learn(interest, last_seen(scan.found.iter()));
        let mut streams = Vec::new();
        for key in scan.found {
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let found = first(&mut settings, [key.workspace.as_str(), key.queue.as_str()], read)?;
            let (paused, limited): (bool, bool) = found.unwrap_or_default();
            if !paused {
                streams.push(Stream { key, limited });
            }
        }
        Ok(streams)
    }
}

fn stream(row: &Row<'_>) -> Result<StreamKey> {
    Ok(StreamKey {
        workspace: row::name(row, 0, WorkspaceName::parse)?,
        task: row::name(row, 1, TaskName::parse)?,
        queue: row::name(row, 2, QueueName::parse)?,
    })
}

/// Where the next stream may begin. Empty names come before all others.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    workspace: String,
    task: String,
    queue: String,
}

/// One scan, on its way through the streams.
struct StreamScan<'a> {
    interest: &'a Interest,
    last_seen: LastSeen,
    found: Vec<StreamKey>,
    /// How many of them belong to the workspace that the scan has reached.
    here: usize,
}

impl StreamScan<'_> {
    /// Adds the stream if it is wanted; answers where the next wanted one may be.
    fn step(&mut self, stream: StreamKey) -> Place {
        let StreamKey { workspace, task, queue } = &stream;
        if self.found.last().is_none_or(|last| last.workspace != *workspace) {
            self.here = 0;
        }
        let at = |task: &str, queue: String| Place { workspace: workspace.to_string(), task: task.into(), queue };
        let next_workspace = Place { workspace: behind(workspace.as_str()), ..Place::default() };
        if let Some((last_task, last_queue)) = self.last_seen.get(workspace)
            && (task, queue) <= (last_task, last_queue)
        {
            return at(last_task.as_str(), behind(last_queue.as_str()));
        }
        if let Some(tasks) = self.interest.tasks.as_ref().filter(|tasks| !tasks.contains(task)) {
            let next = tasks.iter().filter(|other| *other > task).min();
            return next.map_or(next_workspace, |task| at(task.as_str(), String::new()));
        }
        if !self.interest.serves(queue) {
            let next = self.interest.queues.iter().filter(|other| *other > queue).min();
            return match next {
                Some(queue) => at(task.as_str(), queue.to_string()),
                None => at(&behind(task.as_str()), String::new()),
            };
        }
        let place = at(task.as_str(), behind(queue.as_str()));
        self.here += 1;
        self.found.push(stream);
        if self.here < MOST_STREAMS { place } else { next_workspace }
    }
}

/// What comes right after a name: none has a control character.
pub(super) fn behind(name: &str) -> String {
    format!("{name}\u{1}")
}
