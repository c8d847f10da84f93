//! What the worker tells an execution while it goes on: to stop, to let go, and how long its lease is good for.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::{Gone, Report, Reporter, TimedReport};

/// What an execution is to do. Orders only become stricter: go on, then stop, then leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Work.
    #[default]
    GoOn,
    /// End the work: ask it to, and use force after the grace.
    Stop {
        /// How long it may take to stop by itself.
        grace: Duration,
    },
    /// Have nothing more to do with it: the lease is gone or given back. What can run on by itself is not touched,
    /// since another worker may already look after it; what lives in this process ends.
    Leave,
}

/// What there is to know, in one channel: a channel costs more than anything else that an attempt is begun with.
struct Instructions {
    order: Order,
    leased_until: Instant,
}

/// The executor's end.
#[derive(Clone)]
pub struct Control {
    instructions: watch::Receiver<Instructions>,
    /// Until when the lease was good the last time that was asked for.
    seen_until: Instant,
    reporter: Arc<dyn Reporter>,
}

/// The worker's end.
pub struct ControlSender {
    instructions: watch::Sender<Instructions>,
}

impl Control {
    /// Both ends, for a lease that is good until `until`.
    pub fn new(until: Instant, reporter: Arc<dyn Reporter>) -> (ControlSender, Self) {
        let (sender, receiver) = watch::channel(Instructions { order: Order::GoOn, leased_until: until });
        (ControlSender { instructions: sender }, Self { instructions: receiver, seen_until: until, reporter })
    }

    /// The order in force.
    pub fn order(&self) -> Order {
        self.instructions.borrow().order
    }

    /// Waits for an order other than to go on. A worker that is gone wants nothing more to do with it.
    pub async fn ordered(&mut self) -> Order {
        self.instructions.wait_for(|now| now.order != Order::GoOn).await.map_or(Order::Leave, |now| now.order)
    }

    /// Waits for the order to have nothing more to do with it.
    pub async fn left(&mut self) {
        let _ = self.instructions.wait_for(|now| now.order == Order::Leave).await;
    }

    /// Until when the lease is surely held, by this machine's clock.
    pub fn leased_until(&self) -> Instant {
        self.instructions.borrow().leased_until
    }

    /// Waits until the lease was extended; `None` if nobody will any more.
    pub async fn extended(&mut self) -> Option<Instant> {
        self.seen_until = self.instructions.wait_for(|now| now.leased_until > self.seen_until).await.ok()?.leased_until;
        Some(self.seen_until)
    }

    /// Hands reports on; answers when they are stored, with the number of the last event.
    pub async fn report(&self, reports: Vec<Report>) -> Result<i64, Gone> {
        self.reporter.report(reports).await
    }

    /// As [`Control::report`], for what was said earlier.
    pub async fn relay(&self, said: Vec<TimedReport>) -> Result<i64, Gone> {
        self.reporter.relay(said).await
    }

    /// How many reports of this attempt are stored after the event of that number.
    pub async fn reported_since(&self, event: i64) -> Result<u64, Gone> {
        self.reporter.reported_since(event).await
    }
}

impl ControlSender {
    /// Gives an order, unless a stricter one is in force.
    pub fn order(&self, order: Order) {
        self.instructions.send_if_modified(|now| {
            let stricter = rank(order) > rank(now.order);
            if stricter {
                now.order = order;
            }
            stricter
        });
    }

    /// Says that the lease was extended.
    pub fn extend(&self, until: Instant) {
        self.instructions.send_if_modified(|now| {
            let longer = until > now.leased_until;
            if longer {
                now.leased_until = until;
            }
            longer
        });
    }

    /// Until when the lease is surely held.
    pub fn leased_until(&self) -> Instant {
        self.instructions.borrow().leased_until
    }
}

fn rank(order: Order) -> u8 {
    match order {
        Order::GoOn => 0,
        Order::Stop { .. } => 1,
        Order::Leave => 2,
    }
}
