//! Group commit of submissions: those that arrive while a transaction is in flight share the next one, and so its flush.

use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::transactions::Connections;
use crate::run::NewRun;
use crate::store::script;
use crate::store::{Admission, Result, StoreError, Submission};

/// How long a batch waits for callers that were just answered and are likely to submit again. A transaction takes several times
/// that.
const LINGER: Duration = Duration::from_micros(100);
/// A batch of so many calls starts a second transaction at once: the cost of each transaction is then spread over enough calls.
const LARGE_BATCH: usize = 16;
/// How many transactions large batches may have in flight.
const MOST_FOR_LARGE_BATCHES: usize = 2;
/// How long calls wait for the transaction in flight, if it is held up by a lock or the disk.
const LONGEST_WAIT: Duration = Duration::from_millis(20);
/// How many transactions may be in flight at all.
const MOST_IN_FLIGHT: usize = 4;
/// How many calls share a transaction at most.
const MOST_CALLS: usize = 256;
/// Calls with more runs or more bytes than this are sent by themselves: they gain nothing from sharing.
const MOST_RUNS: usize = 16;
const MOST_BYTES: usize = 64 * 1024;

/// Batches submissions until it is dropped.
pub(super) struct GroupCommit {
    connections: Connections,
    calls: mpsc::UnboundedSender<Call>,
}

/// One submission, and where its answer goes.
struct Call {
    runs: Vec<NewRun>,
    admission: Admission,
    answer: oneshot::Sender<Result<Submission>>,
}

impl GroupCommit {
    pub(super) fn start(connections: Connections) -> Self {
        let (calls, inbox) = mpsc::unbounded_channel();
        tokio::spawn(serve(connections.clone(), inbox));
        Self { connections, calls }
    }

    pub(super) async fn submit(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        if runs.len() > MOST_RUNS || runs.iter().any(may_wait) || script::bytes(runs) > MOST_BYTES {
            return script::submission(&self.connections, runs, admission).await;
        }
        let (answer, answered) = oneshot::channel();
        let call = Call { runs: runs.to_vec(), admission, answer };
        self.calls.send(call).map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }
}

/// Whether a request may have to wait for what somebody else has locked. Others need not wait with it.
fn may_wait(request: &NewRun) -> bool {
    request.lane.is_some() || request.key.is_some() || !request.after.is_empty()
}

async fn serve(connections: Connections, mut inbox: mpsc::UnboundedReceiver<Call>) {
    let (mut in_flight, mut batch, mut answered) = (JoinSet::new(), Vec::new(), 0);
    while inbox.recv_many(&mut batch, MOST_CALLS).await > 0 {
        let mut patience = pin!(sleep(LONGEST_WAIT));
        loop {
            while in_flight.try_join_next().is_some() {}
            match in_flight.len() {
                0 => break linger(&mut inbox, &mut batch, answered).await,
                ..MOST_FOR_LARGE_BATCHES if batch.len() >= LARGE_BATCH => break,
                _ => {}
            }
            let room = MOST_CALLS - batch.len();
            tokio::select! {
                _ = in_flight.join_next() => {}
                _ = inbox.recv_many(&mut batch, room), if room > 0 && !inbox.is_closed() => {}
                () = &mut patience, if in_flight.len() < MOST_IN_FLIGHT => break,
            }
        }
        answered = batch.len();
        let (connections, batch) = (connections.clone(), std::mem::take(&mut batch));
        in_flight.spawn(async move { commit(&connections, batch).await });
    }
    // Transactions in flight are finished, and notify others, even if no caller is left.
    while in_flight.join_next().await.is_some() {}
}

/// Waits a moment for as many callers as were just answered.
async fn linger(inbox: &mut mpsc::UnboundedReceiver<Call>, batch: &mut Vec<Call>, answered: usize) {
    let begun = Instant::now();
    while batch.len() < answered.min(MOST_CALLS) && begun.elapsed() < LINGER {
        tokio::task::yield_now().await;
        if !inbox.is_empty() {
            inbox.recv_many(batch, MOST_CALLS - batch.len()).await;
        }
    }
}

/// Submits the batch and answers every call as if it had come alone.
async fn commit(connections: &Connections, mut batch: Vec<Call>) {
    // A caller that has gone away is not answered, and its runs need not be submitted.
    batch.retain(|call| !call.answer.is_closed());
    while let Some(first) = batch.first() {
        let admission = first.admission;
        let (alike, others) = batch.into_iter().partition(|call| call.admission == admission);
        commit_together(connections, alike, admission).await;
        batch = others;
    }
}

async fn commit_together(connections: &Connections, calls: Vec<Call>, admission: Admission) {
    let runs: Vec<NewRun> = calls.iter().flat_map(|call| &call.runs).cloned().collect();
    match script::submission(connections, &runs, admission).await {
        Ok(Submission { outcomes, at }) => {
            let mut outcomes = outcomes.into_iter();
            for call in calls {
                let outcomes = outcomes.by_ref().take(call.runs.len()).collect();
                let _ = call.answer.send(Ok(Submission { outcomes, at }));
            }
        }
        // Nothing was stored. Each call is submitted alone, so that only the one at fault fails.
        Err(error) if error.blames_data() || matches!(error, StoreError::Contended { .. }) => {
            for call in calls {
                let _ = call.answer.send(script::submission(connections, &call.runs, admission).await);
            }
        }
        Err(error) => calls.into_iter().for_each(|call| drop(call.answer.send(Err(error.again())))),
    }
}
