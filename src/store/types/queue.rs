//! Queues.

use crate::run::QueueName;

/// What is set for a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueSettings {
    /// Whether claims leave it out.
    pub paused: bool,
    /// At most so many of its runs are running, over all workers.
    pub concurrency: Option<u32>,
}

/// What to change; what is `None` stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueChange {
    /// Pause or go on.
    pub paused: Option<bool>,
    /// Set the limit, or with `Some(None)` lift it.
    pub concurrency: Option<Option<u32>>,
}

impl QueueChange {
    /// The settings after the change.
    pub fn applied_to(self, settings: QueueSettings) -> QueueSettings {
        QueueSettings {
            paused: self.paused.unwrap_or(settings.paused),
            concurrency: self.concurrency.unwrap_or(settings.concurrency),
        }
    }

    /// Whether a claim may find more in the queue after the change, given the settings it left.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(in crate::store) fn may_open(self, after: QueueSettings) -> bool {
        !after.paused && (self.paused == Some(false) || self.concurrency.is_some())
    }
}

/// A queue as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: QueueName,
    /// What is set for it.
    pub settings: QueueSettings,
    /// How many of its runs are running.
    pub running: u64,
    /// How many wait in it, ready or not.
    pub waiting: u64,
}
