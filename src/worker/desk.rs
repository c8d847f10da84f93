//! Puts together what many attempts have to say to the store: one call at a time, with everything that came meanwhile.

use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};

use crate::store::Result;

/// Waits after a failed call, doubling.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Does what a desk is for.
#[async_trait]
pub(super) trait Clerk<Q, A>: Send + 'static {
    /// What the desk is called in logs.
    const NAME: &'static str;

    /// At most so many items in one call.
    const BATCH: usize = 1000;

    /// One call to the store; one answer for each item.
    async fn settle(&mut self, batch: &[Q]) -> Result<Vec<A>>;
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
        let (inbox, items) = mpsc::channel(C::BATCH);
        tokio::spawn(serve(clerk, items));
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

async fn serve<Q: Send + Sync, A: Send, C: Clerk<Q, A>>(mut clerk: C, mut items: mpsc::Receiver<Item<Q, A>>) {
    let mut batch = Vec::new();
    while items.recv_many(&mut batch, C::BATCH).await > 0 {
        gather(&mut items, &mut batch, C::BATCH).await;
        let (said, answers): (Vec<Q>, Vec<_>) = batch.drain(..).map(|item| (item.said, item.answer)).unzip();
        match insist(&mut clerk, &said).await {
            Some(settled) => answers.into_iter().zip(settled).for_each(|(to, answer)| drop(to.send(answer))),
            // Something in the batch cannot be stored: the others must not suffer for it.
            None if said.len() > 1 => {
                for (said, to) in said.iter().zip(answers) {
                    let settled = insist(&mut clerk, std::slice::from_ref(said)).await;
                    if let Some(answer) = settled.and_then(|mut settled| settled.pop()) {
                        let _ = to.send(answer);
                    }
                }
            }
            None => {}
        }
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
async fn insist<Q: Send + Sync, A: Send, C: Clerk<Q, A>>(clerk: &mut C, batch: &[Q]) -> Option<Vec<A>> {
    let mut wait = FIRST_WAIT;
    loop {
        match clerk.settle(batch).await {
            Ok(answers) => return Some(answers),
            Err(error) if error.blames_data() => {
                tracing::error!(
                    desk = C::NAME,
                    items = batch.len(),
                    error = error.in_full(),
                    "refused by the database"
                );
                return None;
            }
            Err(error) => {
                tracing::warn!(desk = C::NAME, items = batch.len(), error = error.in_full(), ?wait, "trying again");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }
}
