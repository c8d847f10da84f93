//! Tells whoever waits that something may have become ready: in this process at once, in others by `NOTIFY`.
//!
//! A `NOTIFY` in the transaction of a write would make all such commits wait for each other, so one is sent afterwards,
//! by a task of its own, for everything that came together meanwhile.

use std::time::Duration;

use deadpool_postgres::Pool;
use tokio::sync::watch;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::connect::{Target, refused};
use super::session::connect;
use crate::store::Result;
use crate::store::ready::{News, ReadyBell};

/// Notifications reach every listener of the database, and there is one schema in a database.
pub(super) const CHANNEL: &str = "runlane_ready";

/// Notifications are no closer together than this.
const INTERVAL: Duration = Duration::from_millis(10);
/// One that takes longer is given up: whoever waits will have looked by then.
const LONGEST: Duration = Duration::from_secs(10);

/// Whoever commits does not wait for the disk: there is nothing to lose.
const NOTIFY: &str = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

pub(super) struct Wakes {
    pub(super) bell: ReadyBell,
    /// Only what this process did is passed on; else notifications would go round for ever.
    outgoing: watch::Sender<()>,
    /// Sent along, so that the store knows its own notifications.
    pub(super) sender: Uuid,
}

impl Wakes {
    pub(super) fn new() -> Self {
        Self { bell: ReadyBell::default(), outgoing: watch::Sender::new(()), sender: Uuid::now_v7() }
    }

    /// After a commit of this store's. When runs are due, each process sees to by itself.
    pub(super) fn tell(&self, news: News) {
        if let Some(wait) = news.due_in {
            self.bell.tell_due(wait);
        }
        if news.ready {
            self.bell.ring();
            self.outgoing.send_replace(());
        }
    }

    /// Starts the task that tells other processes. It ends with the store, after a last word if there is one to say.
    pub(super) fn start_to_pass_on(&self, pool: Pool, target: Target) {
        tokio::spawn(pass_on(pool, target, self.outgoing.subscribe(), self.sender.to_string()));
    }
}

/// The first one at once, so that little work starts soon; those that follow together, so that much work costs little.
async fn pass_on(pool: Pool, target: Target, mut outgoing: watch::Receiver<()>, sender: String) {
    while outgoing.changed().await.is_ok() {
        match tokio::time::timeout(LONGEST, notify(&pool, &target, &sender)).await {
            Ok(Ok(())) => {}
            // Others will find out by looking, and why it failed the verbs of this process will say.
            Ok(Err(error)) => tracing::debug!(%error, "other processes were not told that something is ready"),
            Err(_) => tracing::debug!("other processes could not be told in time that something is ready"),
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn notify(pool: &Pool, target: &Target, sender: &str) -> Result<()> {
    let client = connect(pool, target).await?;
    let sent = client.query_typed(NOTIFY, &[(&CHANNEL, Type::TEXT), (&sender, Type::TEXT)]).await;
    sent.map(drop).map_err(|error| refused("notifying", error))
}
