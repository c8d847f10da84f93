//! A request for a run, as a caller makes it.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::{SignedDuration, Timestamp};

use super::{
    IdempotencyKey, Json, LaneName, Priority, QueueName, RetryPolicy, Run, RunId, RunKey, Scheduled, TaskName,
    WorkspaceName,
};

/// Everything that may be asked of a new run. Start from [`NewRun::of`] and set what differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// Chosen here, so that a submission whose answer was lost can be settled by asking for it.
    pub id: RunId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// The kind of work.
    pub task: TaskName,
    /// The stream it joins.
    pub queue: QueueName,
    /// Its serial key.
    pub lane: Option<LaneName>,
    /// Higher goes first.
    pub priority: Priority,
    /// The input.
    pub payload: Json,
    /// The caller's notes.
    pub metadata: Option<Json>,
    /// When it may start.
    pub due: Due,
    /// By when it must have begun: else it ends without being executed.
    pub start_by: Option<StartBy>,
    /// How many attempts it has.
    pub max_attempts: NonZeroU16,
    /// How long one attempt may take.
    pub timeout_seconds: Option<NonZeroU32>,
    /// How long to wait between attempts, where the default does not do.
    pub retry: Option<RetryPolicy>,
    /// Whether it is created `pending` and waits for `enqueue`.
    pub hold: bool,
    /// The runs it waits for.
    pub after: Vec<RunId>,
    /// Its name while it has not started, and what to do with the run that has the name already.
    pub key: Option<(RunKey, KeyMode)>,
    /// How to recognise the same request made again.
    pub idempotency: Option<Idempotency>,
    /// Which schedule asks for it, if one does.
    pub scheduled: Option<Scheduled>,
}

impl NewRun {
    /// Whether it can start as soon as it is stored, whatever else is, and leaves no other trace.
    pub fn is_plain(&self) -> bool {
        let waits = self.due != Due::Now || self.hold || self.lane.is_some() || !self.after.is_empty();
        !waits
            && self.start_by.is_none()
            && self.key.is_none()
            && self.idempotency.is_none()
            && self.scheduled.is_none()
    }

    /// Whether a stored run with this id is what the request asked for, rather than somebody else's. Compares what a run keeps for
    /// good: its key it may give up, and what limits its attempts may be raised.
    pub fn made(&self, run: &Run) -> bool {
        let same_work = run.task == self.task && run.payload == self.payload && run.metadata == self.metadata;
        let same_place = run.queue == self.queue && run.lane == self.lane && run.priority == self.priority;
        (run.id, &run.workspace, run.scheduled) == (self.id, &self.workspace, self.scheduled) && same_work && same_place
    }
}

/// When a run may start, by the database's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Due {
    /// As soon as a worker is free.
    #[default]
    Now,
    /// Not before.
    At(Timestamp),
    /// Not before so long after it is stored.
    After(SignedDuration),
}

impl Due {
    /// The instant, given when the run is stored.
    pub fn instant(self, now: Timestamp) -> Timestamp {
        match self {
            Due::Now => now,
            // Not every database goes back further, and what was due then is due now.
            Due::At(at) => crate::clock::to_micros(at).max(Timestamp::UNIX_EPOCH),
            Due::After(wait) => crate::clock::later(now, wait),
        }
    }
}

/// By when a run must have begun, by the database's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartBy {
    /// Before this.
    At(Timestamp),
    /// Within so many seconds after it is due.
    Within(NonZeroU32),
}

impl StartBy {
    /// The instant, for a run that is due at `due`.
    pub fn instant(self, due: Timestamp) -> Timestamp {
        match self {
            StartBy::At(at) => crate::clock::to_micros(at).max(Timestamp::UNIX_EPOCH),
            StartBy::Within(seconds) => crate::clock::later(due, SignedDuration::from_secs(seconds.get().into())),
        }
    }
}

/// What a submission does when a live run has its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyMode {
    /// The run that is there stays as it is.
    #[default]
    Keep,
    /// A run that has not started takes on the new request; one that has is left alone and gives up the key.
    Replace,
    /// As `Replace`, but the time it is due stays.
    PreserveAvailableAt,
}

/// How a repeated request is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The caller's name for the request.
    pub key: IdempotencyKey,
    /// A digest of the request: the same key with another one is a mistake.
    pub fingerprint: Vec<u8>,
    /// How long the key is remembered.
    pub ttl: SignedDuration,
}

impl NewRun {
    /// A run of `task` in the default workspace and queue: three attempts, due now.
    pub fn of(task: TaskName, payload: Json) -> Self {
        Self {
            id: RunId::new(),
            workspace: WorkspaceName::default(),
            task,
            queue: QueueName::default(),
            lane: None,
            priority: Priority::default(),
            payload,
            metadata: None,
            due: Due::Now,
            start_by: None,
            max_attempts: NonZeroU16::MIN.saturating_add(2),
            timeout_seconds: None,
            retry: None,
            hold: false,
            after: Vec::new(),
            key: None,
            idempotency: None,
            scheduled: None,
        }
    }
}
