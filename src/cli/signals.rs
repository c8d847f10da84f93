//! How the process is told to stop, and tells the service manager how it is.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Failure;

/// What a process that was stopped by a second signal exits with.
const AT_ONCE: i32 = 130;

/// A token that the first SIGTERM or SIGINT cancels. A second one ends the process at once: what runs in processes of
/// its own goes on and is adopted, everything else is found by its lease running out.
pub(super) fn listen() -> Result<CancellationToken, Failure> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if first {
                tracing::info!("told to stop; a second signal ends the process at once");
                tell(sd_notify::NotifyState::Stopping);
                told.cancel();
            }
        }
        tracing::warn!("told to stop again; leaving at once");
        std::process::exit(AT_ONCE);
    });
    Ok(stop)
}

/// Tells the service manager, where there is one, that work has begun.
pub(super) fn tell_ready() {
    tell(sd_notify::NotifyState::Ready);
}

fn tell(state: sd_notify::NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::debug!(%error, "no service manager was told");
    }
}
