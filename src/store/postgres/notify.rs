//! Notifies workers that runs may have become ready: in this process at once, in others by `NOTIFY`.
//!
//! `NOTIFY` in a writing transaction serialises the commits of all such transactions. So only a process that is otherwise idle
//! piggybacks it on the write. Otherwise it is sent right after the commit if none was sent for a while, or a little later by a task
//! of its own, once for everything that was committed meanwhile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{ClientWrapper, Pool};
use futures::FutureExt;
use tokio::sync::watch;
use uuid::Uuid;

use super::connect::{Target, refused};
use super::session::connect;
use crate::store::Result;
use crate::store::ready::{Notices, Signals};

/// Notifications reach every listener of the database, and there is one schema in a database.
pub(super) const CHANNEL: &str = "runlane_ready";

/// The shortest time between two notifications of a process.
const INTERVAL: Duration = Duration::from_millis(10);
/// A notification that takes longer is given up: workers have polled by then.
const LONGEST: Duration = Duration::from_secs(10);

pub(super) struct Notifier {
    pub(super) signals: Signals,
    /// Asks the task for a `NOTIFY`. Only what this process committed is forwarded, or notifications would go round for ever.
    outgoing: watch::Sender<()>,
    last: Arc<Mutex<Option<Instant>>>,
    /// The payload, by which the store recognises its own notifications.
    pub(super) sender: Uuid,
}

impl Notifier {
    pub(super) fn new() -> Self {
        Self {
            signals: Signals::default(),
            outgoing: watch::Sender::new(()),
            last: Arc::default(),
            sender: Uuid::now_v7(),
        }
    }

    /// Called after a commit, and after one that was not answered. Signals this process, and has other processes notified of ready
    /// runs, unless they were `notified` already. Runs that are due are the business of each process itself.
    pub(super) fn notify(&self, notices: Notices, notified: bool) {
        if let Some(wait) = notices.due_in {
            self.signals.notify_due(wait);
        }
        if notices.ready {
            self.signals.notify_ready();
            if !notified {
                self.outgoing.send_replace(());
            }
        }
    }

    /// Whether the last notification was long enough ago. If so, the caller sends one now.
    pub(super) fn may_notify_now(&self) -> bool {
        may_notify_now(&self.last)
    }

    /// Sends `NOTIFY` on a connection right after the commit, if the last one was long enough ago. Nobody waits for the answer.
    pub(super) fn send_after_commit(&self, client: &ClientWrapper) -> bool {
        let may = self.may_notify_now();
        if may {
            // Polled once, it is sent.
            let _ = client.batch_execute(&notification(self.sender)).now_or_never();
        }
        may
    }

    /// Starts the task that notifies other processes. It ends with the store, after a last notification if one is due.
    pub(super) fn start_forwarding(&self, pool: Pool, target: Target) {
        let last = Arc::clone(&self.last);
        tokio::spawn(forward(pool, target, last, self.outgoing.subscribe(), notification(self.sender)));
    }
}

/// Does not wait for the disk: there is nothing to lose.
fn notification(sender: Uuid) -> String {
    format!("select set_config('synchronous_commit', 'off', true), pg_notify('{CHANNEL}', '{sender}')")
}

/// Whether the last notification was long enough ago; if so, one counts as sent now.
fn may_notify_now(last: &Mutex<Option<Instant>>) -> bool {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let may = last.is_none_or(|last| now.duration_since(last) >= INTERVAL);
    if may {
        *last = Some(now);
    }
    may
}

async fn forward(
    pool: Pool,
    target: Target,
    last: Arc<Mutex<Option<Instant>>>,
    mut outgoing: watch::Receiver<()>,
    notification: String,
) {
    while outgoing.changed().await.is_ok() {
        // Others that were asked for meanwhile are covered by this one.
        tokio::time::sleep(INTERVAL).await;
        while !may_notify_now(&last) {
            tokio::time::sleep(INTERVAL).await;
        }
        outgoing.mark_unchanged();
        match tokio::time::timeout(LONGEST, notify(&pool, &target, &notification)).await {
            Ok(Ok(())) => {}
            // Other processes poll anyway, and the verbs of this process report what is wrong with the database.
            Ok(Err(error)) => tracing::debug!(%error, "other processes were not notified that something is ready"),
            Err(_) => tracing::debug!("other processes could not be notified in time that something is ready"),
        }
    }
}

async fn notify(pool: &Pool, target: &Target, notification: &str) -> Result<()> {
    let client = connect(pool, target).await?;
    client.batch_execute(notification).await.map_err(|error| refused("notifying", error))
}
