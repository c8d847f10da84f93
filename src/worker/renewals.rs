//! Renews the leases of what is under way.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::Inner;
use super::attempt::ANNOUNCED_AFTER;
use super::claimer::signed;
use super::slots::Slot;
use crate::store::{Lease, Renew, Renewal};

/// Between two calls that say which runs have begun since they were leased ahead.
const ANNOUNCEMENTS_EVERY: Duration = Duration::from_millis(10);

/// Renews all leases, for ever. Those of attempts whose outcome is not yet stored are among them. In between, says which runs
/// have begun since they were leased ahead.
pub(super) async fn renew_leases(inner: Arc<Inner>) {
    let (ttl, heartbeat) = (inner.settings.lease_ttl, inner.settings.heartbeat);
    let mut tick = tokio::time::interval(heartbeat);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let mut slots = tokio::select! {
            _ = tick.tick() => inner.slots.all(),
            () = inner.slots.announced() => {
                tokio::time::sleep(ANNOUNCEMENTS_EVERY).await;
                Vec::new()
            }
        };
        let begun = inner.slots.to_announce(ANNOUNCED_AFTER);
        if slots.is_empty() {
            slots.clone_from(&begun);
        }
        if slots.is_empty() {
            continue;
        }
        let announced: HashSet<Lease> = begun.iter().map(|slot| slot.lease).collect();
        let began = |slot: &Slot| slot.unannounced().filter(|_| announced.contains(&slot.lease)).map(signed);
        let leases: Vec<Renew> = slots.iter().map(|slot| Renew { lease: slot.lease, began: began(slot) }).collect();
        // Taken before the call: the store counts from a later moment.
        let until = Instant::now() + ttl;
        // A call that hangs is given up while there is still time for another.
        match timeout(ttl / 3, inner.store.renew(&leases, signed(ttl))).await {
            Ok(Ok(renewals)) => {
                for ((slot, renew), renewal) in slots.iter().zip(&leases).zip(renewals) {
                    if renew.began.is_some() && matches!(renewal, Renewal::Renewed { .. }) {
                        slot.is_shown();
                    }
                    slot.renewed(renewal, until);
                }
            }
            Ok(Err(error)) => tracing::warn!(leases = leases.len(), error = error.in_full(), "cannot renew leases"),
            Err(_) => tracing::warn!(leases = leases.len(), "the database does not answer a lease renewal"),
        }
    }
}
