//! The signals that something may have become ready for a claim, or will by the passing of time. They are hints, which shorten the
//! wait for the next poll; nothing depends on them.

use std::time::{Duration, Instant};

use jiff::SignedDuration;
use tokio::sync::watch;

/// Says that something may have become ready for a claim since it was last asked. Take it before the claim after which
/// to wait, so that nothing gets lost in between, and poll from time to time all the same: a process may end between its commit
/// and the signal, and a run may become ready by the passing of time.
#[derive(Clone, Debug)]
pub struct ReadySignal(watch::Receiver<u64>);

impl ReadySignal {
    /// Waits until there is something new: not at all if there is already, for ever once the store is gone. May be given
    /// up and asked again at any time.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether there is something new, without waiting; asked again, there is not.
    pub fn take(&mut self) -> bool {
        let changed = self.0.has_changed().unwrap_or(false);
        self.0.mark_unchanged();
        changed
    }
}

/// Says when the next of the runs is due that verbs of this store have put off since it was last cleared.
#[derive(Debug)]
pub struct DueSignal {
    earliest: watch::Sender<Option<Instant>>,
    changes: watch::Receiver<Option<Instant>>,
}

impl DueSignal {
    /// Waits until it is known that a run is due before `at`, and answers when.
    pub async fn sooner_than(&mut self, at: Instant) -> Instant {
        let sooner = self.changes.wait_for(|earliest| earliest.is_some_and(|earliest| earliest < at)).await;
        match sooner.ok().and_then(|earliest| *earliest) {
            Some(earliest) => earliest,
            None => std::future::pending().await,
        }
    }

    /// Forgets what is known: to be called before reading what is due.
    pub fn clear(&self) {
        self.earliest.send_replace(None);
    }
}

/// What to notify others of when a transaction is committed.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Notices {
    /// Something may have become ready for a claim.
    pub(in crate::store) ready: bool,
    /// A run will be due after this time.
    pub(in crate::store) due_in: Option<SignedDuration>,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl Notices {
    pub(in crate::store) fn add(&mut self, other: Self) {
        self.ready |= other.ready;
        self.due_in = [self.due_in, other.due_in].into_iter().flatten().min();
    }
}

/// The sending side of the signals of a store, which it uses after a commit and before it answers.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Signals {
    ready: watch::Sender<u64>,
    earliest: watch::Sender<Option<Instant>>,
}

impl Signals {
    pub(in crate::store) fn notify_ready(&self) {
        self.ready.send_modify(|ready| *ready = ready.wrapping_add(1));
    }

    pub(in crate::store) fn notify_due(&self, wait: SignedDuration) {
        let wait = Duration::try_from(wait).unwrap_or_default();
        // What is due in years, others will find long before.
        let Some(at) = Instant::now().checked_add(wait) else { return };
        self.earliest.send_if_modified(|earliest| {
            let sooner = earliest.is_none_or(|earliest| at < earliest);
            if sooner {
                *earliest = Some(at);
            }
            sooner
        });
    }

    pub(in crate::store) fn ready_signal(&self) -> ReadySignal {
        ReadySignal(self.ready.subscribe())
    }

    pub(in crate::store) fn due_signal(&self) -> DueSignal {
        DueSignal { earliest: self.earliest.clone(), changes: self.earliest.subscribe() }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_signal_reports_many_notifications_once_and_none_before_it() {
        let signals = Signals::default();
        signals.notify_ready();
        let mut signal = signals.ready_signal();
        assert!(!signal.take());
        signals.notify_ready();
        signals.notify_ready();
        assert_eq!(signal.changed().now_or_never(), Some(()));
        assert_eq!(signal.changed().now_or_never(), None);
        signals.notify_ready();
        assert!(signal.take());
        assert!(!signal.take());
    }

    #[test]
    fn the_earliest_time_is_told_until_it_is_cleared() {
        let signals = Signals::default();
        let mut signal = signals.due_signal();
        let at = |seconds| Instant::now() + Duration::from_secs(seconds);
        signals.notify_due(SignedDuration::from_secs(20));
        signals.notify_due(SignedDuration::from_secs(10));
        signals.notify_due(SignedDuration::from_secs(30));
        assert_eq!(signal.sooner_than(at(5)).now_or_never(), None);
        let sooner = signal.sooner_than(at(15)).now_or_never().expect("it is known");
        assert!(sooner < at(11) && sooner > at(8));
        signal.clear();
        assert_eq!(signal.sooner_than(at(3600)).now_or_never(), None);
    }

    #[test]
    fn when_the_store_is_gone_the_signal_is_silent() {
        let signals = Signals::default();
        let mut signal = signals.ready_signal();
        drop(signals);
        assert_eq!(signal.changed().now_or_never(), None);
        assert!(!signal.take());
    }
}
