//! How the process is told to stop, and tells the service manager how it is.

use std::io::IsTerminal;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::reload::Reload;

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
                tracing::info!("stopping; a second signal ends the process immediately");
                tell(&[sd_notify::NotifyState::Stopping]);
                told.cancel();
            }
        }
        tracing::warn!("second signal: exiting immediately");
        std::process::exit(AT_ONCE);
    });
    Ok(stop)
}

/// Reloads whenever a SIGHUP asks for it. One that says that the terminal is gone means what it always did: stop.
pub(super) fn on_hangup(stop: CancellationToken, mut reload: Reload) -> Result<(), Failure> {
    let mut hangup = signal(SignalKind::hangup())?;
    let had_terminal = std::io::stdin().is_terminal();
    tokio::spawn(async move {
        while hangup.recv().await.is_some() && !stop.is_cancelled() {
            if had_terminal && !std::io::stdin().is_terminal() {
                tracing::info!("the terminal was closed; stopping");
                stop.cancel();
                return;
            }
            tell_reloading();
            reload.reload().await;
            tell_ready();
        }
    });
    Ok(())
}

/// Tells the service manager, where there is one, that work has begun.
pub(super) fn tell_ready() {
    tell(&[sd_notify::NotifyState::Ready]);
}

fn tell_reloading() {
    // Without the time, a manager could take an earlier READY for the answer.
    match sd_notify::NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[sd_notify::NotifyState::Reloading, now]),
        Err(error) => tracing::debug!(%error, "cannot notify the service manager"),
    }
}

fn tell(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::debug!(%error, "cannot notify the service manager");
    }
}
