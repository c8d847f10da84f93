//! Receives notifications of other processes that runs may have become ready, on a connection of its own.
//!
//! Behind a pooler in transaction mode none arrive, since no session is kept; then workers find runs of other processes by polling.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_postgres::AsyncMessage;

use super::connect::refused;
use super::notify::CHANNEL;
use super::session::Shared;
use crate::store::Result;

const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Listens until it is aborted, again and again if need be.
pub(super) async fn listen(shared: Arc<Shared>) {
    let mut failures = 0;
    loop {
        let began = Instant::now();
        let error = receive(&shared).await.err();
        if began.elapsed() > LONGEST_WAIT {
            failures = 0;
        }
        match failures {
            0 => tracing::warn!(?error, "lost the LISTEN connection; reconnecting"),
            _ => tracing::debug!(?error, failures, "cannot open the LISTEN connection"),
        }
        sleep(wait(failures, shared.notifier.sender.as_u128())).await;
        failures += 1;
    }
}

/// Twice as long each time, up to a point, and up to half as long again: differently long for each store, so that they
/// do not all come back at once.
fn wait(failures: u32, store: u128) -> Duration {
    let wait = SHORTEST_WAIT.saturating_mul(2u32.saturating_pow(failures)).min(LONGEST_WAIT);
    wait + wait * (store % 100) as u32 / 200
}

/// Listens on one connection until that ends.
async fn receive(shared: &Shared) -> Result<()> {
    let (client, messages) = shared.target.connect().await?;
    let mut messages = pin!(messages);
    let command = format!("listen {CHANNEL}");
    let mut begun = pin!(client.batch_execute(&command).fuse());
    let own = shared.notifier.sender.to_string();
    let mut rescan_at = None;
    loop {
        tokio::select! {
            answer = &mut begun => {
                answer.map_err(|error| refused("listening", error))?;
                // Notifications before this were not received.
                rescan_at = signal(shared);
            }
            message = messages.next() => match message {
                Some(Ok(AsyncMessage::Notification(sent))) if sent.payload() != own => rescan_at = signal(shared),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(refused("listening", error)),
                None => return Ok(()),
            },
            () = sleep_until(rescan_at.unwrap_or_else(Instant::now)), if rescan_at.is_some() => {
                rescan_at = None;
                shared.notifier.signals.notify_ready();
            }
        }
    }
}

/// Signals workers that wait. Runs of another process may be before the scan positions: if a full scan is not due yet, workers are
/// signalled again when it is.
fn signal(shared: &Shared) -> Option<Instant> {
    shared.notifier.signals.notify_ready();
    let pause = shared.positions.until_full_scan();
    (!pause.is_zero()).then(|| Instant::now() + pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_differ_between_stores() {
        let first: Vec<u128> = (0..4).map(|failures| wait(failures, 0).as_millis()).collect();
        assert_eq!(first, [100, 200, 400, 800]);
        assert_eq!(wait(1, 50), Duration::from_millis(250));
        assert_eq!(wait(u32::MAX, 0), LONGEST_WAIT);
    }
}
