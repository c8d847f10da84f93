//! Batches the writes of many attempts: while a call to the store is under way, items queue up, and the next call takes them all.

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

/// The call to the store that a batcher makes.
#[async_trait]
pub(super) trait BatchCall<Q, A>: Send + Sync + 'static {
    /// What it is called in logs.
    const NAME: &'static str;

    /// At most so many items in one call.
    const BATCH: usize = 1000;

    /// So many calls at a time.
    const CALLS: usize = 1;

    /// One call to the store; one answer for each item.
    async fn store(&self, batch: &[Q]) -> Result<Vec<A>>;

    /// Waits while more items are just about to come to so many.
    async fn gathered(&self, _: usize) {}
}

/// Takes single items and stores them in batches.
pub(super) struct Batcher<Q, A> {
    inbox: mpsc::Sender<Item<Q, A>>,
}

struct Item<Q, A> {
    request: Q,
    answer: oneshot::Sender<A>,
}

impl<Q: Send + Sync + 'static, A: Send + 'static> Batcher<Q, A> {
    /// Starts a task that works until the batcher is dropped.
    pub(super) fn start<C: BatchCall<Q, A>>(call: C) -> Self {
        let (inbox, items) = mpsc::channel(C::BATCH * C::CALLS);
        tokio::spawn(run(Arc::new(call), items));
        Self { inbox }
    }

    /// Adds the item to the next batch and waits for the store's answer, for as long as the store cannot be reached. `None`: the
    /// store refuses the item itself, and would again.
    pub(super) async fn store(&self, request: Q) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        self.inbox.send(Item { request, answer }).await.ok()?;
        answered.await.ok()
    }
}

async fn run<Q, A, C>(call: Arc<C>, mut items: mpsc::Receiver<Item<Q, A>>)
where
    Q: Send + Sync + 'static,
    A: Send + 'static,
    C: BatchCall<Q, A>,
{
    let calls = Arc::new(Semaphore::new(C::CALLS));
    let mut batch = Vec::new();
    while let Ok(turn) = Arc::clone(&calls).acquire_owned().await {
        if batch.is_empty() && items.recv_many(&mut batch, C::BATCH).await == 0 {
            return;
        }
        call.gathered(batch.len()).await;
        gather(&mut items, &mut batch, C::BATCH).await;
        let rest = batch.split_off(share(batch.len(), calls.available_permits() + 1));
        let (call, mine) = (Arc::clone(&call), std::mem::replace(&mut batch, rest));
        tokio::spawn(async move {
            answer(&*call, mine).await;
            drop(turn);
        });
    }
}

/// How many of the items go into the next call: many are shared out among all calls that can be made now.
fn share(items: usize, calls: usize) -> usize {
    if items < MANY { items } else { items.div_ceil(calls) }
}

async fn answer<Q: Send + Sync, A: Send, C: BatchCall<Q, A>>(call: &C, batch: Vec<Item<Q, A>>) {
    let (requests, waiting): (Vec<Q>, Vec<_>) = batch.into_iter().map(|item| (item.request, item.answer)).unzip();
    match call_until_answered(call, &requests).await {
        Some(answers) => waiting.into_iter().zip(answers).for_each(|(to, answer)| drop(to.send(answer))),
        // Something in the batch cannot be stored: the others must not suffer for it.
        None if requests.len() > 1 => {
            for (request, to) in requests.iter().zip(waiting) {
                let answers = call_until_answered(call, std::slice::from_ref(request)).await;
                if let Some(answer) = answers.and_then(|mut answers| answers.pop()) {
                    let _ = to.send(answer);
                }
            }
        }
        None => {}
    }
}

/// Lets tasks run that are about to add items: as long as there are any, that delays the batch by no more than a moment.
async fn gather<T>(items: &mut mpsc::Receiver<T>, batch: &mut Vec<T>, most: usize) {
    loop {
        tokio::task::yield_now().await;
        if items.is_empty() || batch.len() >= most {
            return;
        }
        items.recv_many(batch, most - batch.len()).await;
    }
}

/// Tries until the store answers; `None` if it will not, because of what is in the batch.
async fn call_until_answered<Q: Send + Sync, A: Send, C: BatchCall<Q, A>>(call: &C, batch: &[Q]) -> Option<Vec<A>> {
    let mut wait = FIRST_WAIT;
    loop {
        let answered = AssertUnwindSafe(call.store(batch)).catch_unwind().await;
        match answered {
            Ok(Ok(answers)) => return Some(answers),
            Ok(Err(error)) if error.blames_data() => {
                tracing::error!(
                    call = C::NAME,
                    items = batch.len(),
                    error = error.in_full(),
                    "refused by the database"
                );
                return None;
            }
            Ok(Err(error)) => {
                tracing::warn!(call = C::NAME, items = batch.len(), error = error.in_full(), ?wait, "trying again");
            }
            // Nothing is known then, least of all that the store refused.
            Err(cause) => {
                let panic = panic_message(&*cause);
                tracing::error!(call = C::NAME, items = batch.len(), panic, ?wait, "trying again");
            }
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
