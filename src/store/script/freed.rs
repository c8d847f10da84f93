//! What changes may have made ready, so that whoever waits for that hears of it after the commit.

use std::collections::BTreeSet;

use super::{Change, QueueKey, Tx};
use crate::run::{Run, Status, Tenure};
use crate::store::Result;

#[derive(Default)]
pub(super) struct Freed {
    ready: bool,
    /// The queues in which one run less is running.
    queues: BTreeSet<QueueKey>,
}

impl Freed {
    pub(super) fn note(&mut self, Change { before, step }: &Change) {
        let after = &step.run;
        self.ready |= before != after && after.is_ready() || is_orphaned(after) && !is_orphaned(before);
        if before.status() == Status::Running && after.status() != Status::Running {
            self.queues.insert((before.workspace.clone(), before.queue.clone()));
        }
    }

    /// One run less makes way for another only where there is a limit.
    pub(super) async fn tell<T: Tx>(self, tx: &mut T) -> Result<()> {
        let queues: Vec<QueueKey> = self.queues.into_iter().collect();
        if self.ready || !queues.is_empty() && tx.any_limited(&queues).await? {
            tx.made_ready();
        }
        Ok(())
    }
}

fn is_orphaned(run: &Run) -> bool {
    run.execution().is_some_and(|execution| matches!(execution.tenure, Tenure::Orphaned { .. }))
}
