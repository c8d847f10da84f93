//! The signal that a run may have ended, for those in the same process who wait for it. It is a hint, to look sooner;
//! looking is the truth.

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::run::RunId;

/// Whoever falls behind by more than this looks, whatever it was.
const KEPT: usize = 1024;

/// Rung by the worker of a process, heard by whoever waits there. Clones share it.
#[derive(Clone, Debug)]
pub struct EndSignal(broadcast::Sender<RunId>);

impl Default for EndSignal {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl EndSignal {
    /// Says that an attempt of the run has ended, and the run with it, perhaps.
    pub fn ring(&self, run: RunId) {
        // Nobody may be waiting.
        drop(self.0.send(run));
    }

    /// Hears what is said of a run from now on.
    pub fn listen(&self, run: RunId) -> EndListener {
        EndListener { run, rings: Some(self.0.subscribe()) }
    }
}

/// Waits for what is said of one run.
pub struct EndListener {
    run: RunId,
    rings: Option<broadcast::Receiver<RunId>>,
}

impl EndListener {
    /// Waits until the run may have ended; for ever if nobody is left to say so. May be given up and asked again.
    pub async fn rung(&mut self) {
        while let Some(rings) = &mut self.rings {
            match rings.recv().await {
                Ok(run) if run != self.run => {}
                Ok(_) | Err(RecvError::Lagged(_)) => return,
                Err(RecvError::Closed) => self.rings = None,
            }
        }
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn who_waits_for_a_run_hears_of_that_run_alone() {
        let signal = EndSignal::default();
        let (mine, other) = (RunId::new(), RunId::new());
        let mut listener = signal.listen(mine);
        signal.ring(other);
        assert_eq!(listener.rung().now_or_never(), None);
        signal.ring(mine);
        assert_eq!(listener.rung().now_or_never(), Some(()));
        assert_eq!(listener.rung().now_or_never(), None);
        for _ in 0..=KEPT {
            signal.ring(other);
        }
        assert_eq!(listener.rung().now_or_never(), Some(()), "it cannot know what it missed");
        drop(signal);
        while listener.rung().now_or_never().is_some() {}
    }
}
