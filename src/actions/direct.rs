//! Direct mode: a run is executed while its caller waits, by a slot of this process that is set aside before it is stored.

use crate::run::{QueueName, RunId};

/// The slots of the worker in this process.
pub trait DirectSlots: Send + Sync + 'static {
    /// Sets a slot aside for a run that is about to be stored, or says why not.
    fn reserve(&self, run: RunId, queue: &QueueName) -> Result<Reservation, NoSlot>;
}

/// A slot that is set aside for as long as this is kept.
pub type Reservation = Box<dyn Send>;

/// Why no slot was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSlot {
    /// All are taken.
    #[error("every slot is busy")]
    Full,
    /// The worker would never look at it.
    #[error("the worker does not serve this queue")]
    NotServed,
    /// The worker takes no more runs.
    #[error("the worker is draining")]
    Leaving,
}
