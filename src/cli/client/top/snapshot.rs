//! What is going on at one moment.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::Remote;
use crate::cli::client::seen::{self, Queue, Run, Worker};

/// How many runs are looked at; a screen shows no more.
const RUNNING: &str = "50";
const FAILED: &str = "10";

/// The server's answers.
pub(super) struct Snapshot {
    address: String,
    queues: Doc,
    workers: Doc,
    running: Doc,
    failed: Doc,
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

    pub(super) fn as_json(&self) -> Result<impl Serialize, Failure> {
        let parts = [
            ("queues", &self.queues),
            ("workers", &self.workers),
            ("running", &self.running),
            ("failed", &self.failed),
        ];
        let read = |(name, answer): (&'static str, &Doc)| Ok((name, seen::list::<Doc>(answer)?));
        parts.into_iter().map(read).collect::<Result<BTreeMap<_, _>, Failure>>()
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

    /// The workers that were heard of lately.
    pub(super) fn alive(&self) -> impl Iterator<Item = &Worker> {
        self.workers.iter().filter(|worker| !worker.is_silent())
    }

    /// How many of their slots are busy, and how many there are.
    pub(super) fn slots(&self) -> (u32, u32) {
        self.alive().fold((0, 0), |(busy, slots), worker| (busy + worker.busy, slots + worker.slots))
    }
}
