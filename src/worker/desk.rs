//! Puts together what many attempts have to say to the store: few calls at a time, with everything that came meanwhile.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::executor::native::panic_message;
use crate::store::Result;

/// Waits after a failed call, doubling.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// So many items are worth more than one call.
const MANY: usize = 256;

/// Does what a desk is for.
#[async_trait]
pub(super) trait Clerk<Q, A>: Send + Sync + 'static {
    /// What the desk is called in logs.
    const NAME: &'static str;

    /// At most so many items in one call.
    const BATCH: usize = 1000;

    /// So many calls at a time.
    const CALLS: usize = 1;

    /// One call to the store; one answer for each item.
    async fn settle(&self, batch: &[Q]) -> Result<Vec<A>>;

    /// Waits while more items are just about to come to so many.
    async fn gathered(&self, _: usize) {}
}

/// Where items are handed in.
pub(super) struct Desk<Q, A> {
    inbox: mpsc::Sender<Item<Q, A>>,
}

struct Item<Q, A> {
    said: Q,
    answer: oneshot::Sender<A>,
}

impl<Q: Send + Sync + 'static, A: Send + 'static> Desk<Q, A> {
    /// A desk that works until it is dropped.
    pub(super) fn open<C: Clerk<Q, A>>(clerk: C) -> Self {
        let (inbox, items) = mpsc::channel(C::BATCH * C::CALLS);
        tokio::spawn(serve(Arc::new(clerk), items));
        Self { inbox }
    }

    /// Hands an item in and waits for the store's answer, for as long as the store cannot be reached. `None`: the
    /// store refuses the item itself, and would again.
    pub(super) async fn settle(&self, said: Q) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        self.inbox.send(Item { said, answer }).await.ok()?;
        answered.await.ok()
    }
}

async fn serve<Q, A, C>(clerk: Arc<C>, mut items: mpsc::Receiver<Item<Q, A>>)
where
    Q: Send + Sync + 'static,
    A: Send + 'static,
    C: Clerk<Q, A>,
{
    let calls = Arc::new(Semaphore::new(C::CALLS));
    let mut batch = Vec::new();
    while let Ok(call) = Arc::clone(&calls).acquire_owned().await {
        if batch.is_empty() && items.recv_many(&mut batch, C::BATCH).await == 0 {
            return;
        }
        clerk.gathered(batch.len()).await;
        gather(&mut items, &mut batch, C::BATCH).await;
        let rest = batch.split_off(share(batch.len(), calls.available_permits() + 1));
        let (clerk, mine) = (Arc::clone(&clerk), std::mem::replace(&mut batch, rest));
        tokio::spawn(async move {
            answer(&*clerk, mine).await;
            drop(call);
        });
    }
}

/// How many of the items go into the next call: many are shared out among all calls that can be made now.
fn share(items: usize, calls: usize) -> usize {
    if items < MANY { items } else { items.div_ceil(calls) }
}

async fn answer<Q: Send + Sync, A: Send, C: Clerk<Q, A>>(clerk: &C, batch: Vec<Item<Q, A>>) {
    let (said, answers): (Vec<Q>, Vec<_>) = batch.into_iter().map(|item| (item.said, item.answer)).unzip();
    match insist(clerk, &said).await {
        Some(settled) => answers.into_iter().zip(settled).for_each(|(to, answer)| drop(to.send(answer))),
        // Something in the batch cannot be stored: the others must not suffer for it.
        None if said.len() > 1 => {
            for (said, to) in said.iter().zip(answers) {
                let settled = insist(clerk, std::slice::from_ref(said)).await;
                if let Some(answer) = settled.and_then(|mut settled| settled.pop()) {
                    let _ = to.send(answer);
                }
            }
        }
        None => {}
    }
}

/// Lets those come who are just about to: as long as there are any, they cost nobody more than a moment.
async fn gather<T>(items: &mut mpsc::Receiver<T>, batch: &mut Vec<T>, most: usize) {
    loop {
        tokio::task::yield_now().await;
        if items.is_empty() || batch.len() >= most {
            return;
        }
        items.recv_many(batch, most - batch.len()).await;
    }
}

/// Tries until the store answers; `None` if it will not, because of what was said.
async fn insist<Q: Send + Sync, A: Send, C: Clerk<Q, A>>(clerk: &C, batch: &[Q]) -> Option<Vec<A>> {
    let mut wait = FIRST_WAIT;
    loop {
        let settled = AssertUnwindSafe(clerk.settle(batch)).catch_unwind().await;
        match settled {
            Ok(Ok(answers)) => return Some(answers),
            Ok(Err(error)) if error.blames_data() => {
                tracing::error!(
                    desk = C::NAME,
                    items = batch.len(),
                    error = error.in_full(),
                    "refused by the database"
                );
                return None;
            }
            Ok(Err(error)) => {
                tracing::warn!(desk = C::NAME, items = batch.len(), error = error.in_full(), ?wait, "trying again");
            }
            // Nothing is known then, least of all that the store refused.
            Err(cause) => {
                let panic = panic_message(&*cause);
                tracing::error!(desk = C::NAME, items = batch.len(), panic, ?wait, "trying again");
            }
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
