//! What all actors of a workload share: names, settings, the runs they know of.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use jiff::SignedDuration;
use runlane::run::{QueueName, RunId, WorkspaceName};
use runlane::store::{Admission, QueueChange, Store};

use super::dice::Dice;

/// How much is going on.
#[derive(Clone, Debug)]
pub(crate) struct Size {
    pub(crate) submitters: usize,
    /// Batches of up to four runs, from each submitter.
    pub(crate) batches: usize,
    pub(crate) workers: usize,
    pub(crate) operators: usize,
    /// Requests from each operator.
    pub(crate) requests: usize,
    pub(crate) queue_size: Option<u64>,
    pub(crate) lease_ttl: SignedDuration,
    pub(crate) takeover_delay: SignedDuration,
}

impl Size {
    /// Some 600 runs in a few seconds.
    pub(crate) fn usual() -> Self {
        Self {
            submitters: 4,
            batches: 60,
            workers: 6,
            operators: 2,
            requests: 120,
            queue_size: Some(60),
            lease_ttl: SignedDuration::from_millis(300),
            takeover_delay: SignedDuration::from_millis(200),
        }
    }
}

pub(crate) struct World {
    pub(crate) size: Size,
    known: Mutex<Vec<(WorkspaceName, RunId)>>,
    over: AtomicBool,
}

impl World {
    pub(crate) fn new(size: Size) -> Self {
        Self { size, known: Mutex::new(Vec::new()), over: AtomicBool::new(false) }
    }

    pub(crate) fn admission(&self) -> Admission {
        Admission { queue_size: self.size.queue_size }
    }

    pub(crate) fn learn(&self, workspace: &WorkspaceName, run: RunId) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).push((workspace.clone(), run));
    }

    /// One of the runs submitted lately.
    pub(crate) fn recent(&self, dice: &mut Dice) -> Option<(WorkspaceName, RunId)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        dice.pick(&known[known.len().saturating_sub(40)..]).cloned()
    }

    pub(crate) fn stop(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

pub(crate) fn workspaces() -> Vec<WorkspaceName> {
    ["default", "acme"].map(|name| WorkspaceName::parse(name).expect("a good name")).to_vec()
}

pub(crate) fn queues() -> Vec<QueueName> {
    ["default", "narrow", "other"].map(|name| QueueName::parse(name).expect("a good name")).to_vec()
}

/// Makes the workspaces, and lets two at a time run in the narrow queue of each.
pub(crate) async fn prepare(store: &dyn Store) {
    for workspace in workspaces() {
        store.create_workspace(&workspace).await.expect("a workspace can be made");
        let change = QueueChange { concurrency: Some(Some(2)), ..QueueChange::default() };
        store.set_queue(&workspace, &queues()[1], change).await.expect("a queue can be limited");
    }
}

/// The pace of an actor: work takes its time, and the others get theirs.
pub(crate) async fn pause(dice: &mut Dice, up_to_ms: u64) {
    tokio::time::sleep(std::time::Duration::from_micros(dice.below(up_to_ms * 1_000))).await;
}
