//! The signal that something may have become ready for a claim. It is a hint, to wait less long for the next look;
//! looking is the truth.

use tokio::sync::watch;

/// Says that something may have become ready for a claim since it was last asked. Take it before the claim after which
/// to wait, so that nothing gets lost in between, and look from time to time all the same: a process may end between
/// its commit and the signal, and a run may become ready by the passing of time.
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

/// What a store rings, after the commit and before it answers.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct ReadyBell(watch::Sender<u64>);

impl ReadyBell {
    pub(in crate::store) fn ring(&self) {
        self.0.send_modify(|rings| *rings = rings.wrapping_add(1));
    }

    pub(in crate::store) fn signal(&self) -> ReadySignal {
        ReadySignal(self.0.subscribe())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_signal_tells_of_many_rings_once_and_of_none_before_it() {
        let bell = ReadyBell::default();
        bell.ring();
        let mut signal = bell.signal();
        assert!(!signal.take());
        bell.ring();
        bell.ring();
        assert_eq!(signal.changed().now_or_never(), Some(()));
        assert_eq!(signal.changed().now_or_never(), None);
        bell.ring();
        assert!(signal.take());
        assert!(!signal.take());
    }

    #[test]
    fn when_the_store_is_gone_the_signal_is_silent() {
        let bell = ReadyBell::default();
        let mut signal = bell.signal();
        drop(bell);
        assert_eq!(signal.changed().now_or_never(), None);
        assert!(!signal.take());
    }
}
