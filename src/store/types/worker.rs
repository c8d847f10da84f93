//! Workers.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::run::{HostName, QueueName, TaskName, WorkerId};

/// A worker is not called silent sooner than this, however often it beats: a busy database may take some seconds.
const SHORTEST_SILENCE: SignedDuration = SignedDuration::from_secs(10);

/// A worker that missed so many of its heartbeats is silent.
const MISSED: i32 = 3;

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerInfo {
    /// Its id, new at every start.
    pub id: WorkerId,
    /// Its machine.
    pub host: HostName,
    /// Its process there.
    pub pid: u32,
    /// The release it runs.
    pub version: String,
    /// The queues it serves; all when empty.
    pub queues: Vec<QueueName>,
    /// The queues of which it executes no more than so many runs at once.
    pub limits: Vec<QueueLimit>,
    /// The tasks it has; `None` if it did not say.
    pub tasks: Option<Vec<TaskName>>,
    /// How many runs it executes at once.
    pub slots: u32,
    /// How many it executes now.
    pub busy: u32,
    /// It beats again within this.
    pub beat: SignedDuration,
    /// Whether it is leaving: it claims no more and ends when its runs have ended.
    pub leaving: bool,
}

/// A worker's own limit for a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLimit {
    /// The queue.
    pub queue: QueueName,
    /// At most so many of its runs at once.
    pub concurrency: u32,
    /// How many of them it executes now.
    pub busy: u32,
}

/// A worker as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// What it last said.
    pub info: WorkerInfo,
    /// When it first said so.
    pub started_at: Timestamp,
    /// When it last said so.
    pub seen_at: Timestamp,
    /// Whether it was asked to leave, or is leaving.
    pub draining: bool,
    /// Since when, if it is known.
    pub draining_since: Option<Timestamp>,
    /// When it said that it had ended.
    pub left_at: Option<Timestamp>,
    /// When this was read, by the clock of the times above.
    pub read_at: Timestamp,
}

/// How a worker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// It claims and executes.
    Working,
    /// It claims no more, and ends when its runs have ended.
    Draining,
    /// It missed its heartbeats: it vanished, or cannot reach the database.
    Silent,
    /// It ended.
    Left,
}

impl WorkerState {
    /// Its name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            WorkerState::Working => "working",
            WorkerState::Draining => "draining",
            WorkerState::Silent => "silent",
            WorkerState::Left => "left",
        }
    }
}

impl WorkerInfo {
    /// A worker that serves every queue, has nothing to do, and did not say which tasks it has.
    pub fn new(id: WorkerId, host: HostName, slots: u32) -> Self {
        Self {
            id,
            host,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            queues: Vec::new(),
            limits: Vec::new(),
            tasks: None,
            slots,
            busy: 0,
            beat: SHORTEST_SILENCE,
            leaving: false,
        }
    }

    /// Whether it takes runs of this queue.
    pub fn serves(&self, queue: &QueueName) -> bool {
        self.queues.is_empty() || self.queues.contains(queue)
    }

    /// Whether it has this task, as far as it said.
    pub fn has_task(&self, task: &TaskName) -> bool {
        self.tasks.as_ref().is_none_or(|tasks| tasks.contains(task))
    }

    /// Its own limit for this queue.
    pub fn limit(&self, queue: &QueueName) -> Option<&QueueLimit> {
        self.limits.iter().find(|limit| limit.queue == *queue)
    }

    /// After this long without a heartbeat it is silent.
    pub fn patience(&self) -> SignedDuration {
        self.beat.checked_mul(MISSED).unwrap_or(SignedDuration::MAX).max(SHORTEST_SILENCE)
    }
}

impl Worker {
    /// How it stood when this was read.
    pub fn state(&self) -> WorkerState {
        if self.left_at.is_some() {
            WorkerState::Left
        } else if self.unseen() >= self.info.patience() {
            WorkerState::Silent
        } else if self.draining {
            WorkerState::Draining
        } else {
            WorkerState::Working
        }
    }

    /// How long it had not been heard of when this was read.
    pub fn unseen(&self) -> SignedDuration {
        self.read_at.duration_since(self.seen_at)
    }
}

/// What a worker is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Go on.
    Work,
    /// Claim no more; leave when done.
    Drain,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(seconds_ago: i64, beat: i64) -> Worker {
        let read_at: Timestamp = "2026-11-16T12:00:00Z".parse().expect("a time");
        let seen_at = read_at - SignedDuration::from_secs(seconds_ago);
        let host = HostName::parse("mars").expect("a name");
        Worker {
            info: WorkerInfo { beat: SignedDuration::from_secs(beat), ..WorkerInfo::new(WorkerId::new(), host, 1) },
            started_at: seen_at,
            seen_at,
            draining: false,
            draining_since: None,
            left_at: None,
            read_at,
        }
    }

    #[test]
    fn a_worker_is_silent_after_three_of_its_own_heartbeats_but_not_within_ten_seconds() {
        let cases =
            [(29, 10, "working"), (30, 10, "silent"), (9, 1, "working"), (10, 1, "silent"), (170, 60, "working")];
        for (seconds_ago, beat, expected) in cases {
            assert_eq!(seen(seconds_ago, beat).state().as_str(), expected, "{seconds_ago} s of {beat} s");
        }
    }

    #[test]
    fn what_left_is_not_silent_and_what_is_silent_does_not_drain() {
        let mut worker = Worker { draining: true, ..seen(5, 10) };
        assert_eq!(worker.state(), WorkerState::Draining);
        worker.seen_at = worker.read_at - SignedDuration::from_mins(5);
        assert_eq!(worker.state(), WorkerState::Silent);
        worker.left_at = Some(worker.seen_at);
        assert_eq!(worker.state(), WorkerState::Left);
    }
}
