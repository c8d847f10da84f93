//! The two rhythms of a worker: it renews the leases of what is under way, and says that it is there.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::Inner;
use super::claimer::signed;
use super::telemetry;
use crate::store::{Duty, WorkerInfo};

/// How often a worker says that it is there.
const BEAT: Duration = Duration::from_secs(10);

/// Renews all leases, for ever. Those of attempts whose outcome is not yet stored are among them.
pub(super) async fn renew_leases(inner: Arc<Inner>) {
    let (ttl, heartbeat) = (inner.settings.lease_ttl, inner.settings.heartbeat);
    let mut tick = tokio::time::interval(heartbeat);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let slots = inner.slots.all();
        if slots.is_empty() {
            continue;
        }
        let leases: Vec<_> = slots.iter().map(|slot| slot.lease).collect();
        // Taken before the call: the store counts from a later moment.
        let until = Instant::now() + ttl;
        // A call that hangs is given up while there is still time for another.
        match timeout(ttl / 3, inner.store.renew(&leases, signed(ttl))).await {
            Ok(Ok(renewals)) => slots.iter().zip(renewals).for_each(|(slot, renewal)| slot.renewed(renewal, until)),
            Ok(Err(error)) => tracing::warn!(leases = leases.len(), error = error.in_full(), "cannot renew leases"),
            Err(_) => tracing::warn!(leases = leases.len(), "the database does not answer a lease renewal"),
        }
    }
}

/// Says that the worker is there, for ever, and hears whether it is to leave.
pub(super) async fn beat(inner: Arc<Inner>, drain: CancellationToken) {
    let mut tick = tokio::time::interval(BEAT);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let info = info(&inner);
        telemetry::slots(info.slots, info.busy);
        match inner.store.heartbeat(&info).await {
            Ok(Duty::Drain) if !drain.is_cancelled() => {
                tracing::info!(worker = %inner.id, "asked to drain");
                drain.cancel();
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(error = error.in_full(), "cannot send the heartbeat of the worker"),
        }
    }
}

fn info(inner: &Inner) -> WorkerInfo {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    WorkerInfo {
        id: inner.id,
        host: inner.settings.host.clone(),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").into(),
        queues: inner.settings.queues.iter().map(|served| served.queue.clone()).collect(),
        slots: count(inner.settings.concurrency),
        busy: count(inner.slots.busy()),
    }
}
