//! Takes submissions in: those that come while others are under way share the next transaction, and so its flush.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool_postgres::Pool;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::session::{Session, Shared, Tries};
use super::transact;
use crate::run::{NewRun, RunId, WorkspaceName};
use crate::store::script::{self, Tx};
use crate::store::{Admission, Result, StoreError, Submission, SubmitOutcome};

/// How long those are waited for who were just answered and are likely to ask again. A transaction takes several times that.
const GATHERING: Duration = Duration::from_micros(100);
/// So many calls do not wait for the transaction under way, as fewer do: what each of the two costs by itself is then spread
/// over enough of them.
const MANY: usize = 16;
/// So many transactions at once are worth it then.
const BESIDE: usize = 2;
/// How long a call waits for the transaction under way at most. One that is held up by a lock or the disk does not hold up others.
const PATIENCE: Duration = Duration::from_millis(20);
/// So many transactions at once all the same.
const AT_MOST: usize = 4;
/// At most so many calls share one.
const GROUP: usize = 256;
/// A call with more runs than this gains nothing by company.
const MOST_RUNS: usize = 16;

/// Where submissions are handed in.
pub(super) struct Intake {
    clerk: Clerk,
    calls: mpsc::UnboundedSender<Call>,
}

/// One submission, and where its answer goes.
struct Call {
    runs: Vec<NewRun>,
    admission: Admission,
    answer: oneshot::Sender<Result<Submission>>,
}

impl Intake {
    /// It works until it is dropped.
    pub(super) fn open(pool: Pool, shared: Arc<Shared>) -> Self {
        let clerk = Clerk { pool, shared };
        let (calls, inbox) = mpsc::unbounded_channel();
        tokio::spawn(serve(clerk.clone(), inbox));
        Self { clerk, calls }
    }

    pub(super) async fn submit(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        if runs.len() > MOST_RUNS || runs.iter().any(may_wait) {
            return self.clerk.submit(runs, admission).await;
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

async fn serve(clerk: Clerk, mut inbox: mpsc::UnboundedReceiver<Call>) {
    let (mut under_way, mut group, mut answered) = (JoinSet::new(), Vec::new(), 0);
    while inbox.recv_many(&mut group, GROUP).await > 0 {
        let mut patience = pin!(sleep(PATIENCE));
        loop {
            while under_way.try_join_next().is_some() {}
            match under_way.len() {
                0 => break gather(&mut inbox, &mut group, answered).await,
                ..BESIDE if group.len() >= MANY => break,
                _ => {}
            }
            let room = GROUP - group.len();
            tokio::select! {
                _ = under_way.join_next() => {}
                _ = inbox.recv_many(&mut group, room), if room > 0 && !inbox.is_closed() => {}
                () = &mut patience, if under_way.len() < AT_MOST => break,
            }
        }
        answered = group.len();
        let (clerk, group) = (clerk.clone(), std::mem::take(&mut group));
        under_way.spawn(async move { clerk.settle(group).await });
    }
}

/// Lets those come who were just answered and are likely to ask again.
async fn gather(inbox: &mut mpsc::UnboundedReceiver<Call>, group: &mut Vec<Call>, answered: usize) {
    let begun = Instant::now();
    while group.len() < answered.min(GROUP) && begun.elapsed() < GATHERING {
        tokio::task::yield_now().await;
        if !inbox.is_empty() {
            inbox.recv_many(group, GROUP - group.len()).await;
        }
    }
}

/// Does the work.
#[derive(Clone)]
struct Clerk {
    pool: Pool,
    shared: Arc<Shared>,
}

impl Clerk {
    /// Answers every call, each as if it had come alone.
    async fn settle(&self, mut group: Vec<Call>) {
        // Whoever has gone away meanwhile is not told anything, and so need not have asked.
        group.retain(|call| !call.answer.is_closed());
        while let Some(first) = group.first() {
            let admission = first.admission;
            let (alike, others) = group.into_iter().partition(|call| call.admission == admission);
            self.settle_together(alike, admission).await;
            group = others;
        }
    }

    async fn settle_together(&self, calls: Vec<Call>, admission: Admission) {
        let runs: Vec<NewRun> = calls.iter().flat_map(|call| &call.runs).cloned().collect();
        match self.submit(&runs, admission).await {
            Ok(Submission { outcomes, at }) => {
                let mut outcomes = outcomes.into_iter();
                for call in calls {
                    let outcomes = outcomes.by_ref().take(call.runs.len()).collect();
                    let _ = call.answer.send(Ok(Submission { outcomes, at }));
                }
            }
            // Nothing was stored, and whose fault it is shows when each tries alone.
            Err(error) if error.blames_data() || matches!(error, StoreError::Contended { .. }) => {
                for call in calls {
                    let _ = call.answer.send(self.submit(&call.runs, admission).await);
                }
            }
            Err(error) => calls.into_iter().for_each(|call| drop(call.answer.send(Err(error.again())))),
        }
    }

    async fn submit(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        let mut tries = Tries::new();
        let mut unanswered: Option<Submission> = None;
        loop {
            let mut judged = Submission::default();
            let submitted = self.submit_once(runs, admission, &mut judged).await;
            if let Some(first) = &unanswered {
                judged.outcomes = settled(runs, &first.outcomes, judged.outcomes);
            }
            match submitted {
                Ok(()) => return Ok(judged),
                Err(StoreError::Ambiguous(_)) if self.was_committed(runs, &judged.outcomes).await? => {
                    return Ok(judged);
                }
                Err(StoreError::Ambiguous(_)) => tries.after_ambiguity().await?,
                Err(error) => return Err(error),
            }
            unanswered = Some(judged);
        }
    }

    /// Leaves the answers in `judged` even if the commit was not answered.
    async fn submit_once(&self, runs: &[NewRun], admission: Admission, judged: &mut Submission) -> Result<()> {
        let mut tried = false;
        transact!(self.begin(), tx => async {
            match std::mem::replace(&mut tried, true) {
                false => script::submit(tx, runs, admission, judged).await,
                true => script::submit_looking(tx, runs, admission, judged).await,
            }
        })
    }

    /// Whether a submission was committed after all: then the runs it was to create are there, all of them.
    async fn was_committed(&self, runs: &[NewRun], judged: &[SubmitOutcome]) -> Result<bool> {
        let created: Vec<_> = runs
            .iter()
            .zip(judged)
            .filter(|(_, outcome)| **outcome == SubmitOutcome::Created)
            .map(|(run, _)| (run.workspace.clone(), run.id))
            .collect();
        let known = transact!(self.begin(), tx => tx.known_runs(&created))?;
        let is_there =
            |(workspace, id): &(WorkspaceName, RunId)| known.get(id).is_some_and(|(owner, _)| owner == workspace);
        Ok(!created.is_empty() && created.iter().all(is_there))
    }

    async fn begin(&self) -> Result<Session> {
        Session::begin(&self.pool, &self.shared, "submit").await
    }
}

/// The answers to a submission that was made again because the first commit was not answered. What the first would have
/// created and the second found there, the first did create, only later than anybody could see.
fn settled(runs: &[NewRun], first: &[SubmitOutcome], second: Vec<SubmitOutcome>) -> Vec<SubmitOutcome> {
    let settle = |((run, first), second): ((&NewRun, &SubmitOutcome), SubmitOutcome)| match (first, second) {
        (SubmitOutcome::Created, SubmitOutcome::DuplicateId) => SubmitOutcome::Created,
        (SubmitOutcome::Created, SubmitOutcome::Existing(id)) if id == run.id => SubmitOutcome::Created,
        (_, second) => second,
    };
    runs.iter().zip(first).zip(second).map(settle).collect()
}
