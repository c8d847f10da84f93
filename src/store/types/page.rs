//! Reading in pages, and counting.

use jiff::Timestamp;

use crate::run::{LaneName, QueueName, ScheduleId, Status, TaskName, WorkspaceName};

/// Which part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<C> {
    /// At most so many.
    pub limit: usize,
    /// Only what comes after this one.
    pub after: Option<C>,
}

impl<C> Page<C> {
    /// The first `limit` items.
    pub fn first(limit: usize) -> Self {
        Self { limit, after: None }
    }
}

/// Part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T, C> {
    /// The items.
    pub data: Vec<T>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<C>,
}

impl<T, C> Listed<T, C> {
    /// Cuts a list that was read with one item too many, to know whether there is more.
    pub(crate) fn cut(mut data: Vec<T>, limit: usize, cursor: impl Fn(&T) -> C) -> Self {
        let more = data.len() > limit;
        data.truncate(limit);
        let next = if more { data.last().map(cursor) } else { None };
        Self { data, next }
    }
}

/// Which runs to list; what is unset does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Any of these; all when empty.
    pub statuses: Vec<Status>,
    /// This kind of work.
    pub task: Option<TaskName>,
    /// This queue.
    pub queue: Option<QueueName>,
    /// This lane.
    pub lane: Option<LaneName>,
    /// Of this schedule.
    pub schedule: Option<ScheduleId>,
}

impl RunFilter {
    /// Whether the run is one of those asked for.
    pub fn matches(&self, run: &crate::run::Run) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&run.status()))
            && self.task.as_ref().is_none_or(|task| run.task == *task)
            && self.queue.as_ref().is_none_or(|queue| run.queue == *queue)
            && self.schedule.is_none_or(|schedule| run.scheduled.is_some_and(|s| s.schedule == schedule))
            && self.lane.as_ref().is_none_or(|lane| run.lane.as_ref() == Some(lane))
    }
}

/// How many live runs of a queue have a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The tenant.
    pub workspace: WorkspaceName,
    /// The stream.
    pub queue: QueueName,
    /// Where they stand.
    pub status: Status,
    /// How many.
    pub runs: u64,
    /// How many of them a worker could claim at once.
    pub ready: u64,
    /// Since when the one that has been claimable for longest is available.
    pub oldest_ready: Option<Timestamp>,
}
