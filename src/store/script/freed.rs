//! Which changes may have made runs ready or put them off, so that workers are notified after the commit.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Change, QueueKey, Tx};
use crate::clock::until;
use crate::run::lifecycle;
use crate::run::{BlockedBy, Run, Status, Tenure};
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

    /// A run that stops running makes another one claimable only where there is a limit.
    pub(super) async fn notify<T: Tx>(self, tx: &mut T) -> Result<()> {
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

/// Has the promote pass notified when the first of these is due or has to have begun.
pub(super) fn notify_put_off<'a, T: Tx>(tx: &mut T, runs: impl Iterator<Item = &'a Run>, now: Timestamp) {
    let due = |run: &Run| (run.blocked_by() == Some(BlockedBy::AvailableAt)).then_some(run.available_at);
    let deadline = |run: &Run| run.start_by.filter(|_| !run.status().is_terminal() && !lifecycle::started(run));
    if let Some(due) = runs.flat_map(|run| due(run).into_iter().chain(deadline(run))).min() {
        tx.put_off(until(due, now));
    }
}
