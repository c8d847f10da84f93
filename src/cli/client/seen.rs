//! The API's objects as the client reads them: what it shows, and nothing it would stumble over if it were missing, so
//! that a client and a server of different releases understand each other.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::doc::Doc;
use super::remote::Remote;
use crate::cli::Failure;

/// Reads one.
pub(super) fn read<T: DeserializeOwned>(doc: &Doc) -> Result<T, String> {
    doc.read().map_err(|error| format!("the server's answer is not understood: {error}"))
}

/// A part of a list, and where the next one begins.
#[derive(Deserialize, Serialize)]
pub(super) struct Page<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

/// Reads the `data` of a list.
pub(super) fn list<T: DeserializeOwned>(doc: &Doc) -> Result<Vec<T>, String> {
    read::<Page<T>>(doc).map(|page| page.data)
}

/// Reads a list to its end, page after page.
pub(super) async fn all(remote: &Remote, path: &[&str]) -> Result<Page<Doc>, Failure> {
    let mut found = Page::<Doc> { data: Vec::new(), next_cursor: None };
    loop {
        let query: Vec<_> = found.next_cursor.take().map(|cursor| ("cursor", cursor)).into_iter().collect();
        let page: Page<Doc> = read(&remote.find(path, &query).await?)?;
        found.data.extend(page.data);
        match page.next_cursor {
            Some(cursor) => found.next_cursor = Some(cursor),
            None => return Ok(found),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Run {
    pub(super) id: String,
    pub(super) workspace: String,
    pub(super) task: String,
    pub(super) queue: String,
    pub(super) lane: Option<String>,
    pub(super) status: String,
    pub(super) blocked_by: Option<String>,
    pub(super) priority: i64,
    pub(super) payload: Doc,
    pub(super) attempt: u32,
    pub(super) max_attempts: u32,
    pub(super) timeout_seconds: Option<u32>,
    pub(super) retry: Option<RetryWait>,
    pub(super) key: Option<String>,
    pub(super) available_at: Option<Timestamp>,
    pub(super) start_by: Option<Timestamp>,
    pub(super) requested_at: Option<Timestamp>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) finished_at: Option<Timestamp>,
    pub(super) lease: Option<Lease>,
    pub(super) cancel_requested: bool,
    pub(super) error: Option<RunError>,
    pub(super) output: Doc,
    pub(super) schedule_id: Option<String>,
    pub(super) slot: Option<Timestamp>,
    pub(super) usage: Option<BTreeMap<String, u64>>,
    pub(super) metadata: Doc,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RetryWait {
    pub(super) base_seconds: f64,
    pub(super) factor: u32,
    pub(super) cap_seconds: f64,
}

impl Run {
    pub(super) fn is_terminal(&self) -> bool {
        matches!(self.status.as_str(), "succeeded" | "failed" | "timed_out" | "cancelled")
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Lease {
    pub(super) owner: String,
    pub(super) expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RunError {
    pub(super) code: String,
    pub(super) message: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Attempt {
    pub(super) number: u32,
    pub(super) status: Option<String>,
    pub(super) worker: Option<String>,
    pub(super) host: Option<String>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) finished_at: Option<Timestamp>,
    pub(super) error: Option<RunError>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    pub(super) seq: i64,
    pub(super) at: Option<Timestamp>,
    pub(super) attempt: u32,
    pub(super) kind: String,
    pub(super) data: Said,
}

/// What an event says; which of it is there depends on its kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    pub(super) said_at: Option<Timestamp>,
    pub(super) stream: Option<String>,
    pub(super) text: Option<String>,
    pub(super) progress: Option<f64>,
    pub(super) message: Option<String>,
    pub(super) usage: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Queue {
    pub(super) name: String,
    pub(super) paused: bool,
    pub(super) concurrency: Option<u32>,
    pub(super) running: u64,
    pub(super) waiting: u64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) policy: String,
    pub(super) occupant: Option<String>,
    pub(super) held_by: Vec<String>,
    pub(super) waiting: u64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Worker {
    pub(super) id: String,
    pub(super) host: String,
    pub(super) pid: u32,
    pub(super) version: String,
    pub(super) state: String,
    pub(super) queues: Vec<String>,
    pub(super) tasks: Option<Vec<String>>,
    pub(super) slots: u32,
    pub(super) busy: u32,
    pub(super) started_at: Option<Timestamp>,
    pub(super) seen_at: Option<Timestamp>,
    pub(super) draining: bool,
    pub(super) draining_since: Option<Timestamp>,
    pub(super) left_at: Option<Timestamp>,
}

impl Worker {
    /// Whether it missed its heartbeats.
    pub(super) fn is_silent(&self) -> bool {
        self.state == "silent"
    }

    /// Whether it claims runs.
    pub(super) fn is_working(&self) -> bool {
        !self.draining && !self.is_silent()
    }

    pub(super) fn serves(&self, queue: &str) -> bool {
        self.queues.is_empty() || self.queues.iter().any(|served| served == queue)
    }

    /// As far as it said.
    pub(super) fn has_task(&self, task: &str) -> bool {
        self.tasks.as_ref().is_none_or(|tasks| tasks.iter().any(|had| had == task))
    }
}
