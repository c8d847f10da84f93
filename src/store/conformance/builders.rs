//! Requests and workers for the sentences, with every default chosen, so that a sentence shows only what matters.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::{SignedDuration, Timestamp};

use super::harness::{LEASE, TAKEOVER, json, seconds};
use crate::run::lifecycle::Taker;
use crate::run::{
    Due, HostName, Idempotency, IdempotencyKey, KeyMode, LaneName, NewRun, Priority, QueueName, RetryPolicy, RunId,
    RunKey, StartBy, TaskName, WorkerId, WorkspaceName,
};
use crate::store::{ClaimRequest, ClaimScope, WorkerInfo};

/// A request for a run. Start from [`a_run`].
#[derive(Clone, Debug)]
pub(super) struct ARun(pub(super) NewRun);

/// A run of the task `work` in the default workspace and queue, due now, with three attempts.
pub(super) fn a_run() -> ARun {
    ARun(NewRun::of(task("work"), json(r#"{"n":1}"#)))
}

impl From<ARun> for NewRun {
    fn from(run: ARun) -> Self {
        run.0
    }
}

impl ARun {
    pub(super) fn id(mut self, id: RunId) -> Self {
        self.0.id = id;
        self
    }

    pub(super) fn of(mut self, workspace_name: &str) -> Self {
        self.0.workspace = workspace(workspace_name);
        self
    }

    pub(super) fn task(mut self, name: &str) -> Self {
        self.0.task = task(name);
        self
    }

    pub(super) fn payload(mut self, text: &str) -> Self {
        self.0.payload = json(text);
        self
    }

    pub(super) fn queue(mut self, name: &str) -> Self {
        self.0.queue = queue(name);
        self
    }

    pub(super) fn lane(mut self, name: &str) -> Self {
        self.0.lane = Some(lane(name));
        self
    }

    pub(super) fn priority(mut self, value: i16) -> Self {
        self.0.priority = Priority::new(value).expect("a priority in range");
        self
    }

    pub(super) fn due_at(mut self, at: Timestamp) -> Self {
        self.0.due = Due::At(at);
        self
    }

    pub(super) fn due_in(mut self, secs: i64) -> Self {
        self.0.due = Due::After(seconds(secs));
        self
    }

    pub(super) fn start_by(mut self, by: StartBy) -> Self {
        self.0.start_by = Some(by);
        self
    }

    pub(super) fn start_within(self, secs: u32) -> Self {
        self.start_by(StartBy::Within(NonZeroU32::new(secs).expect("a second or more")))
    }

    pub(super) fn max_attempts(mut self, attempts: u16) -> Self {
        self.0.max_attempts = NonZeroU16::new(attempts).expect("at least one attempt");
        self
    }

    pub(super) fn timeout(mut self, secs: u32) -> Self {
        self.0.timeout_seconds = NonZeroU32::new(secs);
        self
    }

    pub(super) fn retry(mut self, base_ms: u32, factor: u32, cap_ms: u32) -> Self {
        self.0.retry = Some(RetryPolicy { base_ms, factor, cap_ms });
        self
    }

    /// Created `pending`.
    pub(super) fn held(mut self) -> Self {
        self.0.hold = true;
        self
    }

    pub(super) fn after(mut self, upstreams: &[RunId]) -> Self {
        self.0.after = upstreams.to_vec();
        self
    }

    pub(super) fn key(mut self, name: &str, mode: KeyMode) -> Self {
        self.0.key = Some((RunKey::parse(name).expect("a valid key"), mode));
        self
    }

    /// Recognised for an hour by `key` and what stands for the rest of the request.
    pub(super) fn idempotent(mut self, key: &str, fingerprint: &str) -> Self {
        self.0.idempotency = Some(Idempotency {
            key: IdempotencyKey::parse(key).expect("a valid key"),
            fingerprint: fingerprint.as_bytes().to_vec(),
            ttl: SignedDuration::from_hours(1),
        });
        self
    }
}

/// A worker process. Start from [`a_worker`].
#[derive(Clone, Debug)]
pub(super) struct AWorker {
    pub(super) taker: Taker,
    pub(super) queues: Vec<QueueName>,
}

/// A new worker on the host `here` that serves every queue.
pub(super) fn a_worker() -> AWorker {
    AWorker { taker: Taker { worker: WorkerId::new(), host: host("here") }, queues: Vec::new() }
}

impl AWorker {
    pub(super) fn on(mut self, name: &str) -> Self {
        self.taker.host = host(name);
        self
    }

    pub(super) fn serving(mut self, queues: &[&str]) -> Self {
        self.queues = queues.iter().map(|name| queue(name)).collect();
        self
    }

    pub(super) fn asks_for(&self, capacity: usize) -> ClaimRequest {
        ClaimRequest {
            taker: self.taker.clone(),
            queues: self.queues.clone(),
            tasks: None,
            capacity,
            lease_ttl: LEASE,
            takeover_delay: TAKEOVER,
            last_turn: None,
            scope: ClaimScope::Everything,
            ahead: None,
            known_leases: None,
        }
    }

    pub(super) fn info(&self) -> WorkerInfo {
        WorkerInfo {
            id: self.taker.worker,
            host: self.taker.host.clone(),
            pid: 4711,
            version: "1.2.3".to_owned(),
            queues: self.queues.clone(),
            limits: Vec::new(),
            tasks: Some(vec![task("t")]),
            slots: 8,
            busy: 0,
            beat: SignedDuration::from_secs(10),
            leaving: false,
        }
    }
}

pub(super) fn workspace(name: &str) -> WorkspaceName {
    WorkspaceName::parse(name).expect("a valid name")
}

pub(super) fn task(name: &str) -> TaskName {
    TaskName::parse(name).expect("a valid name")
}

pub(super) fn queue(name: &str) -> QueueName {
    QueueName::parse(name).expect("a valid name")
}

pub(super) fn lane(name: &str) -> LaneName {
    LaneName::parse(name).expect("a valid name")
}

pub(super) fn host(name: &str) -> HostName {
    HostName::parse(name).expect("a valid name")
}
