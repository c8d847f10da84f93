//! What is going on at one moment.

use serde_json::{Value, json};

use crate::cli::Failure;
use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::Remote;
use crate::cli::client::seen::{self, Queue, Run, Worker};

/// How many runs are looked at; a screen shows no more.
const RUNNING: &str = "50";
const FAILED: &str = "10";

/// The server's answers.
pub(super) struct Snapshot {
    address: String,
    queues: Value,
    workers: Value,
    running: Value,
    failed: Value,
}

/// The same, understood.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) address: String,
    pub(super) queues: Vec<Queue>,
    pub(super) workers: Vec<Worker>,
    pub(super) running: Vec<Run>,
    pub(super) failed: Vec<Run>,
}

impl Snapshot {
    pub(super) async fn take(remote: &Remote) -> Result<Self, ApiError> {
        let some = |status: &str, limit: &str| [("status", status.to_owned()), ("limit", limit.to_owned())];
        let (running, failed) = (some("running", RUNNING), some("failed,timed_out", FAILED));
        let (queues, workers, running, failed) = tokio::try_join!(
            remote.get(&["queues"]),
            remote.get(&["workers"]),
            remote.find(&["runs"], &running),
            remote.find(&["runs"], &failed),
        )?;
        Ok(Self { address: remote.address().to_owned(), queues, workers, running, failed })
    }

    pub(super) fn as_json(&self) -> Value {
        let data = |value: &Value| value.get("data").cloned().unwrap_or_default();
        json!({
            "queues": data(&self.queues),
            "workers": data(&self.workers),
            "running": data(&self.running),
            "failed": data(&self.failed),
        })
    }

    pub(super) fn seen(&self) -> Result<Seen, Failure> {
        Ok(Seen {
            address: self.address.clone(),
            queues: seen::list(&self.queues)?,
            workers: seen::list(&self.workers)?,
            running: seen::list(&self.running)?,
            failed: seen::list(&self.failed)?,
        })
    }
}

impl Seen {
    pub(super) fn waiting(&self) -> u64 {
        self.queues.iter().map(|queue| queue.waiting).sum()
    }

    pub(super) fn running(&self) -> u64 {
        self.queues.iter().map(|queue| queue.running).sum()
    }

    /// How many slots are busy, and how many there are.
    pub(super) fn slots(&self) -> (u32, u32) {
        self.workers.iter().fold((0, 0), |(busy, slots), worker| (busy + worker.busy, slots + worker.slots))
    }
}
