//! Lends out slots to those who submit runs in the same process and wait for them.

use std::sync::Arc;

use super::Inner;
use crate::actions::{DirectSlots, NoSlot, Reservation};
use crate::run::{QueueName, RunId};

pub(super) struct Direct(pub(super) Arc<Inner>);

impl DirectSlots for Direct {
    fn reserve(&self, run: RunId, queue: &QueueName) -> Result<Reservation, NoSlot> {
        let (inner, served) = (&self.0, &self.0.settings.queues);
        let own = served.iter().find(|served| served.queue == *queue);
        if own.is_none() && !served.is_empty() {
            return Err(NoSlot::NotServed);
        }
        inner.slots.reserve(run, queue, own.and_then(|served| served.concurrency))?;
        Ok(Box::new(Lent { inner: Arc::clone(inner), run }))
    }
}

struct Lent {
    inner: Arc<Inner>,
    run: RunId,
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.inner.slots.give_up(self.run);
    }
}
