//! Tells whoever waits that something may have become ready: in this process at once, in others by `NOTIFY`.
//!
//! A `NOTIFY` in the transaction of a write makes all such commits wait for each other. So only a process that has nothing else
//! under way sends one like that. Else one follows right behind the commit, where there was none for a while, or is sent a little
//! later by a task of its own, for everything that came together meanwhile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{ClientWrapper, Pool};
use futures::FutureExt;
use tokio::sync::watch;
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

pub(super) struct Wakes {
    pub(super) bell: ReadyBell,
    /// Only what this process did is passed on; else notifications would go round for ever.
    outgoing: watch::Sender<()>,
    last: Arc<Mutex<Option<Instant>>>,
    /// Sent along, so that the store knows its own notifications.
    pub(super) sender: Uuid,
}

impl Wakes {
    pub(super) fn new() -> Self {
        Self {
            bell: ReadyBell::default(),
            outgoing: watch::Sender::new(()),
            last: Arc::default(),
            sender: Uuid::now_v7(),
        }
    }

    /// After a commit of this store's, or one that was not answered. When runs are due, each process sees to by itself.
    /// Others hear of what is ready soon, unless they were `told` behind the commit.
    pub(super) fn tell(&self, news: News, told: bool) {
        if let Some(wait) = news.due_in {
            self.bell.tell_due(wait);
        }
        if news.ready {
            self.bell.ring();
            if !told {
                self.outgoing.send_replace(());
            }
        }
    }

    /// Whether it is time for a word to other processes; whoever asks sends it then.
    pub(super) fn may_go_now(&self) -> bool {
        may_go_now(&self.last)
    }

    /// Sends the word to other processes on a connection that has just been given a commit, if it is time for one. Nobody
    /// waits for the answer.
    pub(super) fn send_behind_commit(&self, client: &ClientWrapper) -> bool {
        let may = self.may_go_now();
        if may {
            // What was begun is sent, whether or not anybody waits.
            let _ = client.batch_execute(&notification(self.sender)).now_or_never();
        }
        may
    }

    /// Starts the task that tells other processes. It ends with the store, after a last word if there is one to say.
    pub(super) fn start_to_pass_on(&self, pool: Pool, target: Target) {
        let last = Arc::clone(&self.last);
        tokio::spawn(pass_on(pool, target, last, self.outgoing.subscribe(), notification(self.sender)));
    }
}

/// Whoever commits it does not wait for the disk: there is nothing to lose.
fn notification(sender: Uuid) -> String {
    format!("select set_config('synchronous_commit', 'off', true), pg_notify('{CHANNEL}', '{sender}')")
}

/// Whether the last one was long enough ago; if so, this is now the last.
fn may_go_now(last: &Mutex<Option<Instant>>) -> bool {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let may = last.is_none_or(|last| now.duration_since(last) >= INTERVAL);
    if may {
        *last = Some(now);
    }
    may
}

async fn pass_on(
    pool: Pool,
    target: Target,
    last: Arc<Mutex<Option<Instant>>>,
    mut outgoing: watch::Receiver<()>,
    notification: String,
) {
    while outgoing.changed().await.is_ok() {
        // One was sent just before, and perhaps another meanwhile.
        tokio::time::sleep(INTERVAL).await;
        while !may_go_now(&last) {
            tokio::time::sleep(INTERVAL).await;
        }
        outgoing.mark_unchanged();
        match tokio::time::timeout(LONGEST, notify(&pool, &target, &notification)).await {
            Ok(Ok(())) => {}
            // Others will find out by looking, and why it failed the verbs of this process will say.
            Ok(Err(error)) => tracing::debug!(%error, "other processes were not told that something is ready"),
            Err(_) => tracing::debug!("other processes could not be told in time that something is ready"),
        }
    }
}

async fn notify(pool: &Pool, target: &Target, notification: &str) -> Result<()> {
    let client = connect(pool, target).await?;
    client.batch_execute(notification).await.map_err(|error| refused("notifying", error))
}
