//! How a worker works: how much at once, for whom, and with which patience.

use std::time::Duration;

use crate::run::{HostName, QueueName};

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many runs are executed at once.
    pub concurrency: usize,
    /// The queues it serves; all when empty.
    pub queues: Vec<Served>,
    /// The name of the machine. Work that outlives a worker is adopted by workers of the same name.
    pub host: HostName,
    /// How long a lease lasts without being renewed.
    pub lease_ttl: Duration,
    /// How often leases are renewed; a request to cancel or pause is seen within this.
    pub heartbeat: Duration,
    /// How long after a lease ended another machine may take its run over.
    pub takeover_delay: Duration,
    /// The longest wait between two looks at an empty queue.
    pub poll: Duration,
    /// How long a stopping worker waits for what is under way.
    pub shutdown_grace: Duration,
    /// When a stopping worker leaves programs, which run on without it, to the next worker of its machine.
    pub hand_over: HandOver,
}

/// When a stopping worker leaves work that runs on without it to be adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandOver {
    /// Once the grace is over: the next worker may be long in coming.
    AfterGrace,
    /// As soon as nothing else is under way: the next worker can only start when this one has ended.
    AtOnce,
}

/// A queue that a worker serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its name.
    pub queue: QueueName,
    /// At most so many of its runs at once in this worker.
    pub concurrency: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: 2,
            queues: Vec::new(),
            host: this_host(),
            lease_ttl: Duration::from_secs(30),
            heartbeat: Duration::from_secs(2),
            takeover_delay: Duration::from_secs(60),
            poll: Duration::from_secs(3),
            shutdown_grace: Duration::from_secs(300),
            hand_over: HandOver::AfterGrace,
        }
    }
}

impl Settings {
    /// What is wrong with them, naming the setting.
    pub(super) fn problem(&self) -> Option<String> {
        if self.concurrency == 0 {
            return Some("concurrency is 0; a worker needs at least one slot".into());
        }
        if let Some(served) = self.queues.iter().find(|served| served.concurrency == Some(0)) {
            return Some(format!("queue {} has concurrency 0; leave it out instead", served.queue));
        }
        if self.heartbeat.is_zero() || self.poll.is_zero() {
            return Some("heartbeat and poll must be longer than 0".into());
        }
        // Two renewals may fail before anything is lost.
        (self.lease_ttl < 3 * self.heartbeat).then(|| {
            let (ttl, heartbeat) = (self.lease_ttl, self.heartbeat);
            format!("lease_ttl is {ttl:?}; it must be at least three heartbeats, {:?}", 3 * heartbeat)
        })
    }

    /// How long before its lease may have ended work is stopped that nobody could renew.
    pub(super) fn lead(&self, stop_grace: Duration) -> Duration {
        stop_grace.min(self.lease_ttl / 3)
    }
}

fn this_host() -> HostName {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    HostName::parse(name).or_else(|_| HostName::parse("localhost")).expect("a name that is short and printable")
}
