//! Puts concurrent submissions together: one transaction at a time, with everything that came meanwhile.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::submit_runs;
use crate::run::NewRun;
use crate::store::{Admission, Store, StoreError, SubmitOutcome};

/// At most so many submissions in one transaction.
const BATCH: usize = 1000;

/// Where single submissions are handed in. Clones share the desk, which works until the last of them is dropped.
#[derive(Clone)]
pub struct SubmitDesk {
    inbox: mpsc::Sender<Item>,
}

/// Why there is no answer about a submission.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SubmitError {
    /// The store failed; with what, it told the log already.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// The desk is closed.
    #[error("the server takes no more submissions")]
    Closed,
}

type Answer = Result<SubmitOutcome, SubmitError>;

struct Item {
    request: NewRun,
    answer: oneshot::Sender<Answer>,
}

impl SubmitDesk {
    /// A desk in front of a store. Needs a runtime, in which it works.
    pub fn open(store: Arc<dyn Store>, admission: Admission) -> Self {
        let (inbox, items) = mpsc::channel(BATCH);
        tokio::spawn(serve(store, admission, items));
        Self { inbox }
    }

    /// Hands a submission in; answered after its commit. The submission goes on if the caller stops waiting.
    pub async fn submit(&self, request: NewRun) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.inbox.send(Item { request, answer }).await.map_err(|_| SubmitError::Closed)?;
        answered.await.unwrap_or(Err(SubmitError::Closed))
    }
}

async fn serve(store: Arc<dyn Store>, admission: Admission, mut items: mpsc::Receiver<Item>) {
    let mut batch = Vec::new();
    while items.recv_many(&mut batch, BATCH).await > 0 {
        let (requests, callers): (Vec<_>, Vec<_>) = batch.drain(..).map(|item| (item.request, item.answer)).unzip();
        let answers = together(store.as_ref(), &requests, admission).await;
        callers.into_iter().zip(answers).for_each(|(caller, answer)| drop(caller.send(answer)));
    }
}

async fn together(store: &dyn Store, requests: &[NewRun], admission: Admission) -> Vec<Answer> {
    match submit_runs(store, requests, admission).await {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        // Something in the batch cannot be stored: the others must not suffer for it.
        Err(error) if requests.len() > 1 && error.blames_data() => {
            let mut answers = Vec::with_capacity(requests.len());
            for request in requests {
                answers.push(alone(store, request, admission).await);
            }
            answers
        }
        Err(error) => vec![Err(told(error)); requests.len()],
    }
}

async fn alone(store: &dyn Store, request: &NewRun, admission: Admission) -> Answer {
    let mut outcomes = submit_runs(store, std::slice::from_ref(request), admission).await.map_err(told)?;
    outcomes.pop().ok_or_else(|| told(StoreError::Corrupt("no answer to a submission".into())))
}

fn told(error: StoreError) -> SubmitError {
    tracing::error!(error = error.in_full(), "submissions failed");
    SubmitError::Store(Arc::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::run::{Json, TaskName};
    use crate::store::memory::MemoryStore;

    #[tokio::test]
    async fn each_caller_gets_its_own_answer() {
        let desk = SubmitDesk::open(Arc::new(MemoryStore::new(Clock::Database)), Admission { queue_size: Some(2) });
        let request = || NewRun::of(TaskName::parse("t").expect("a name"), Json::null());
        let answers = futures::future::join_all((0..5).map(|_| desk.submit(request()))).await;
        let created = answers.iter().filter(|answer| matches!(answer, Ok(SubmitOutcome::Created))).count();
        let full = answers.iter().filter(|answer| matches!(answer, Ok(SubmitOutcome::QueueFull))).count();
        assert_eq!((created, full), (2, 3));
    }
}
