//! What a transaction does for queues and their limits.

use std::future::Future;

use super::QueueKey;
use crate::run::{QueueName, WorkspaceName};
use crate::store::{Queue, QueueChange, QueueSettings, Result};

/// How many more runs a limited queue may have running.
#[derive(Clone, Debug)]
pub(in crate::store) struct Room {
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) queue: QueueName,
    pub(in crate::store) free: usize,
}

#[rustfmt::skip]
pub(in crate::store) trait QueueTx: Send {
    /// Locks these limited queues and counts what runs in them.
    fn lock_rooms(&mut self, queues: &[QueueKey]) -> impl Future<Output = Result<Vec<Room>>> + Send;
    /// Whether one of these queues has a limit.
    fn any_limited(&mut self, queues: &[QueueKey]) -> impl Future<Output = Result<bool>> + Send;
    /// Changes the settings of a queue; answers with them, unless there is no such workspace.
    fn set_queue(&mut self, workspace: &WorkspaceName, queue: &QueueName, change: QueueChange) -> impl Future<Output = Result<Option<QueueSettings>>> + Send;
    fn queues(&mut self, workspace: &WorkspaceName) -> impl Future<Output = Result<Vec<Queue>>> + Send;
}
