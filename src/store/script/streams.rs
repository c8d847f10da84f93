//! The streams that a claim takes from, and how many of them it scans.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::run::{QueueName, TaskName, WorkspaceName};
use crate::store::ClaimRequest;

/// How many streams of a workspace one scan finds at most. If a workspace has more, scans find them in turn, so that the number of
/// names that one workspace uses costs the others nothing.
pub(in crate::store) const MOST_STREAMS: usize = 100;

/// The runs of one task in one queue of a workspace. They are claimed in the order of their priorities, then of submission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::store) struct StreamKey {
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) task: TaskName,
    pub(in crate::store) queue: QueueName,
}

impl StreamKey {
    #[cfg(feature = "postgres")]
    pub(in crate::store) fn of(run: &crate::run::Run) -> Self {
        Self { workspace: run.workspace.clone(), task: run.task.clone(), queue: run.queue.clone() }
    }
}

/// What a worker claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::store) struct Interest {
    /// The tasks that it has; all of them when `None`.
    pub(in crate::store) tasks: Option<Arc<[TaskName]>>,
    /// The queues that it serves; all of them when empty.
    pub(in crate::store) queues: Vec<QueueName>,
}

impl Interest {
    pub(in crate::store) fn of(request: &ClaimRequest) -> Self {
        Self { tasks: request.tasks.clone(), queues: request.queues.clone() }
    }

    #[cfg(feature = "postgres")]
    pub(in crate::store) fn has(&self, task: &TaskName) -> bool {
        self.tasks.as_ref().is_none_or(|tasks| tasks.contains(task))
    }

    pub(in crate::store) fn serves(&self, queue: &QueueName) -> bool {
        self.queues.is_empty() || self.queues.contains(queue)
    }
}

/// Of each workspace that has more streams than one scan finds: the last one found. The next scan continues there.
pub(in crate::store) type LastSeen = BTreeMap<WorkspaceName, (TaskName, QueueName)>;

/// Where the scan after one that found these streams continues.
pub(in crate::store) fn last_seen<'a>(found: impl Iterator<Item = &'a StreamKey>) -> LastSeen {
    let mut ends: BTreeMap<&WorkspaceName, (usize, &StreamKey)> = BTreeMap::new();
    for stream in found {
        let (count, last) = ends.entry(&stream.workspace).or_insert((0, stream));
        *count += 1;
        *last = (*last).max(stream);
    }
    let cut_off = ends.into_iter().filter(|(_, (count, _))| *count >= MOST_STREAMS);
    cut_off.map(|(workspace, (_, last))| (workspace.clone(), (last.task.clone(), last.queue.clone()))).collect()
}
