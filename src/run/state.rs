//! A run, with a state that cannot contradict itself.

use jiff::Timestamp;

use super::{
    Attempt, AttemptEnd, AttemptedBy, BlockedBy, Json, LaneName, Priority, QueueName, RetryPolicy, RunError, RunId,
    RunKey, Scheduled, Status, TaskName, WorkspaceName,
};

/// One requested execution: its input, where it stands, and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Chosen by the caller.
    pub id: RunId,
    /// The order of submission within the store; never reused.
    pub seq: i64,
    /// How often the store has written it: a write that was decided on an earlier read names this. Zero in the reference model.
    pub revision: i32,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// The kind of work.
    pub task: TaskName,
    /// The stream it is in.
    pub queue: QueueName,
    /// Its serial key, if any.
    pub lane: Option<LaneName>,
    /// Higher goes first within the workspace.
    pub priority: Priority,
    /// The input.
    pub payload: Json,
    /// The caller's notes; the queue never reads them.
    pub metadata: Option<Json>,
    /// The name by which it can be kept or replaced while it has not started.
    pub key: Option<RunKey>,
    /// Attempts started so far. Interrupted and postponed ones are taken back.
    pub attempt: u32,
    /// Never exceeded by `attempt`; a resume raises it.
    pub max_attempts: u32,
    /// What the caller asked for: how many more attempts a resume after a failure grants.
    pub attempts_granted: u32,
    /// How often a shutdown returned it to the queue for free.
    pub interruptions: u32,
    /// How often the work asked to be tried later, for free.
    pub postponements: u32,
    /// Rises by one at every claim and adoption.
    pub epoch: i64,
    /// How long one attempt may take.
    pub timeout_seconds: Option<u32>,
    /// How long to wait between attempts.
    pub retry: Option<RetryPolicy>,
    /// Not claimed before this.
    pub available_at: Timestamp,
    /// Ends at this time unless its first attempt has begun.
    pub start_by: Option<Timestamp>,
    /// When it was stored.
    pub requested_at: Timestamp,
    /// When its first attempt was claimed.
    pub started_at: Option<Timestamp>,
    /// Why the latest attempt failed; nothing once it succeeded.
    pub error: Option<RunError>,
    /// What it returned.
    pub output: Option<Json>,
    /// Whether other runs wait for it.
    pub awaited: bool,
    /// Which schedule asked for it, if one did.
    pub scheduled: Option<Scheduled>,
    /// Where it stands.
    pub state: State,
}

/// Where a run stands, with what is known only there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Held back by its creator.
    Pending,
    /// Waits for a worker; ready when nothing blocks it.
    Queued(Option<BlockedBy>),
    /// Waits for another attempt; ready when nothing blocks it.
    Retrying(Option<BlockedBy>),
    /// Leased ahead of its start, by a worker whose slots are busy with short work. It is still `queued`, and no attempt counts.
    Leased(Execution),
    /// Being executed.
    Running(Execution),
    /// Stopped until resumed.
    Paused,
    /// Ended. `by` is its last attempt, unless it ended between attempts or before the first.
    Finished {
        /// How.
        ending: Ending,
        /// When.
        at: Timestamp,
        /// By whose hand.
        by: Option<AttemptedBy>,
    },
}

/// An attempt under way, or about to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Who executes it.
    pub by: AttemptedBy,
    /// Whether somebody vouches for it.
    pub tenure: Tenure,
    /// What was asked of it meanwhile.
    pub stop: Option<Stop>,
}

/// Whether a worker holds the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tenure {
    /// It does, until then.
    Leased {
        /// When the lease ends unless it is renewed.
        until: Timestamp,
    },
    /// Nobody does, since then; the work may still be going on.
    Orphaned {
        /// When the lease ended.
        since: Timestamp,
    },
}

/// What was asked of a running attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Stop for good.
    Cancel,
    /// Stop until resumed.
    Pause,
}

impl Stop {
    /// The word used in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Stop::Cancel => "cancel",
            Stop::Pause => "pause",
        }
    }

    /// The request that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        [Stop::Cancel, Stop::Pause].into_iter().find(|stop| stop.as_str() == word)
    }
}

/// The four ways to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the statuses of the same names say it")]
pub enum Ending {
    Succeeded,
    Failed,
    TimedOut,
    Cancelled,
}

impl Ending {
    /// The status of a run that ended so.
    pub fn status(self) -> Status {
        match self {
            Ending::Succeeded => Status::Succeeded,
            Ending::Failed => Status::Failed,
            Ending::TimedOut => Status::TimedOut,
            Ending::Cancelled => Status::Cancelled,
        }
    }
}

impl Run {
    /// The word for where it stands.
    pub fn status(&self) -> Status {
        match &self.state {
            State::Pending => Status::Pending,
            State::Queued(_) | State::Leased(_) => Status::Queued,
            State::Retrying(_) => Status::Retrying,
            State::Running(_) => Status::Running,
            State::Paused => Status::Paused,
            State::Finished { ending, .. } => ending.status(),
        }
    }

    /// Why it waits, if it does and is not ready.
    pub fn blocked_by(&self) -> Option<BlockedBy> {
        match self.state {
            State::Queued(reason) | State::Retrying(reason) => reason,
            State::Leased(_) => Some(BlockedBy::Worker),
            _ => None,
        }
    }

    /// Whether a worker may claim it now.
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Queued(None) | State::Retrying(None))
    }

    /// The attempt under way or about to begin, if any.
    pub fn execution(&self) -> Option<&Execution> {
        match &self.state {
            State::Running(execution) | State::Leased(execution) => Some(execution),
            _ => None,
        }
    }

    /// When it ended.
    pub fn finished_at(&self) -> Option<Timestamp> {
        match self.state {
            State::Finished { at, .. } => Some(at),
            _ => None,
        }
    }

    /// The attempt that is under way or that ended the run: the one that has no row of its own.
    pub fn last_attempt(&self) -> Option<Attempt> {
        let (by, ended) = match &self.state {
            State::Running(execution) => (execution.by.clone(), None),
            State::Finished { ending, at, by: Some(by) } => {
                (by.clone(), Some(AttemptEnd { at: *at, status: ending.status(), error: self.error.clone() }))
            }
            _ => return None,
        };
        Some(Attempt { number: self.attempt, epoch: self.epoch, by, ended })
    }
}
