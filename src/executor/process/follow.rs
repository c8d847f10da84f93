//! Accompanies an attempt that its shim looks after: passes on leases and orders, hands on the log, reads the end.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::directory::Directory;
use super::identity::Handle;
use super::remains::{SHIM_WAIT, end_marked};
use super::shims::Shim;
use super::ship::Shipper;
use super::{ProcessExecutor, outcome};
use crate::executor::{Completion, Control, Order, Work};

/// Between tries to write a lease to a disk that is full.
const WRITE_PACE: Duration = Duration::from_millis(500);

/// A shim that is at work on an attempt.
pub(super) enum Followed {
    /// For this worker, which began the attempt.
    Own(Shim),
    /// For another, or for nobody. Its end is the attempt's.
    Adopted(Handle),
}

impl ProcessExecutor {
    /// Follows the work to its end, or until it is to be left.
    pub(super) async fn follow(
        &self,
        directory: &Directory,
        work: &Work,
        mut shim: Followed,
        control: Control,
    ) -> Completion {
        let mut left = control.clone();
        tokio::select! {
            biased;
            () = left.left() => Completion::Left,
            is_free = self.accompany(directory, work, &mut shim, &control) => {
                if let Followed::Own(shim) = shim && is_free {
                    self.host.shims().put(shim);
                }
                self.finish(directory, work, &control).await
            }
        }
    }

    /// Hands on what is left of the log of an attempt that has ended, and says how it did.
    pub(super) async fn conclude(&self, directory: &Directory, work: &Work, control: Control) -> Completion {
        let mut left = control.clone();
        let (_, ended) = watch::channel(true);
        tokio::select! {
            biased;
            () = left.left() => Completion::Left,
            () = Shipper::new(directory, control.clone(), self.task.limits.log_bytes).run(ended) => self.finish(directory, work, &control).await,
        }
    }

    /// Until the attempt has ended; answers whether the shim is there for another of this worker.
    async fn accompany(&self, directory: &Directory, work: &Work, shim: &mut Followed, control: &Control) -> bool {
        let (over, ended) = watch::channel(false);
        let shipping = Shipper::new(directory, control.clone(), self.task.limits.log_bytes).run(ended);
        let watching = async {
            let is_free = shim.ended().await;
            over.send_replace(true);
            is_free
        };
        tokio::select! {
            (is_free, ()) = async { tokio::join!(watching, shipping) } => is_free,
            never = self.pass_on(directory, work, control.clone()) => never,
            never = self.force(directory, work, control.clone()) => never,
        }
    }

    /// Keeps the lease file in step with the worker's lease and orders. Never returns.
    async fn pass_on<T>(&self, directory: &Directory, work: &Work, mut control: Control) -> T {
        let mut orders = control.clone();
        // One that came while the attempt was begun is passed on, too.
        let mut is_stopping = false;
        loop {
            tokio::select! {
                extended = control.extended() => if extended.is_none() {
                    return std::future::pending().await;
                },
                order = orders.ordered(), if !is_stopping => match order {
                    Order::Stop { .. } => is_stopping = true,
                    _ => return std::future::pending().await,
                },
            }
            while let Err(error) = self.write_lease(directory, work.epoch, &control) {
                tracing::warn!(run = %work.run, attempt = work.attempt, %error, "cannot write the lease");
                sleep(WRITE_PACE).await;
            }
        }
    }

    /// Ends the work over the head of a shim that does not do as ordered. Never returns.
    async fn force<T>(&self, directory: &Directory, work: &Work, mut control: Control) -> T {
        if let Order::Stop { grace } = control.ordered().await {
            sleep(grace.saturating_add(SHIM_WAIT)).await;
            tracing::warn!(run = %work.run, attempt = work.attempt, "the shim does not stop the program; killing both");
            self.lost(directory, work).await;
        }
        std::future::pending().await
    }

    /// The attempt has ended: by the shim's record, or without one.
    async fn finish(&self, directory: &Directory, work: &Work, control: &Control) -> Completion {
        match directory.exit_record() {
            Ok(Some(exit)) => return outcome::completion(directory, &self.task, &exit, control.order()),
            Ok(None) => tracing::warn!(run = %work.run, attempt = work.attempt, "the shim left no exit record"),
            Err(error) => {
                tracing::error!(run = %work.run, attempt = work.attempt, %error, "cannot read the exit record");
            }
        }
        match (self.lost(directory, work).await, control.order()) {
            (Completion::NotFound, Order::Stop { .. }) => Completion::Stopped,
            (lost, _) => lost,
        }
    }

    /// Nothing of it may run, though what is on record of it cannot be reached.
    pub(super) async fn lost_without_directory(&self, work: &Work) -> Completion {
        let path = self.host.attempts().path_of(work.run, work.attempt);
        if let Err(error) = end_marked(&path).await {
            tracing::error!(run = %work.run, attempt = work.attempt, %error, "cannot end what is left of the attempt");
        }
        Completion::NotFound
    }

    /// Nobody looks after it, so nothing of it may run; unless a later worker does, in the same place.
    pub(super) async fn lost(&self, directory: &Directory, work: &Work) -> Completion {
        if directory.is_taken_over(work.epoch) {
            return Completion::Left;
        }
        if let Err(error) = directory.end_remains().await {
            tracing::error!(run = %work.run, attempt = work.attempt, %error, "cannot kill the remaining processes of the attempt");
        }
        Completion::NotFound
    }
}

impl Followed {
    /// Waits until it has ended the attempt; answers whether it is there for another of this worker.
    async fn ended(&mut self) -> bool {
        match self {
            Self::Own(shim) => shim.ended().await,
            Self::Adopted(shim) => {
                shim.ended().await;
                false
            }
        }
    }
}
