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
/// How long calls wait for the transaction under way, if it is held up by a lock or the disk.
const PATIENCE: Duration = Duration::from_millis(20);
/// So many transactions at once at most, all the same.
const AT_MOST: usize = 4;
/// At most so many calls share one.
const GROUP: usize = 256;
/// A call with more runs than this, or more to say, gains nothing by company.
const MOST_RUNS: usize = 16;
const MOST_BYTES: usize = 64 * 1024;

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
        if runs.len() > MOST_RUNS || runs.iter().any(may_wait) || script::bytes(runs) > MOST_BYTES {
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
    // What is under way is seen through, and told of, even if nobody is left to be answered.
    while under_way.join_next().await.is_some() {}
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
        let (mut judged, mut tried) = (Submission::default(), false);
        match self.submit_once(runs, admission, &mut judged, &mut tried).await {
            Err(StoreError::Ambiguous(_)) => {}
            answer => return answer.map(|()| judged),
        }
        // From here on it may have been stored, whatever else goes wrong.
        self.settle_doubt(runs, admission, judged, &mut tried).await.map_err(|error| match error {
            StoreError::Ambiguous(_) => error,
            error => StoreError::Ambiguous(Box::new(error)),
        })
    }

    /// Finds out whether a submission whose commit was not answered was stored, and makes it again if it was not.
    async fn settle_doubt(
        &self,
        runs: &[NewRun],
        admission: Admission,
        mut first: Submission,
        tried: &mut bool,
    ) -> Result<Submission> {
        let mut tries = Tries::new();
        loop {
            if self.was_committed(runs, &first.outcomes).await? {
                return Ok(first);
            }
            tries.after_ambiguity().await?;
            let mut judged = Submission::default();
            let submitted = self.submit_once(runs, admission, &mut judged, tried).await;
            let judged = settled(runs, &first, judged);
            match submitted {
                Ok(()) => return Ok(judged),
                Err(StoreError::Ambiguous(_)) => first = judged,
                Err(error) => return Err(error),
            }
        }
    }

    /// Leaves the answers in `judged` even if the commit was not answered. Only the first try of all goes without a look at
    /// what is there.
    async fn submit_once(
        &self,
        runs: &[NewRun],
        admission: Admission,
        judged: &mut Submission,
        tried: &mut bool,
    ) -> Result<()> {
        transact!(self.begin(), tx => async {
            match std::mem::replace(tried, true) {
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

/// The answers to a submission that was made again because the first commit was not answered. If all that the first would
/// have created was there the second time, the first did create it, only later than anybody could see; it is not known when.
fn settled(runs: &[NewRun], first: &Submission, second: Submission) -> Submission {
    let is_there = |run: &NewRun, outcome: &SubmitOutcome| match outcome {
        SubmitOutcome::DuplicateId => true,
        SubmitOutcome::Existing(id) => *id == run.id,
        _ => false,
    };
    let created = |at: &usize| first.outcomes.get(*at) == Some(&SubmitOutcome::Created);
    let by_the_first: Vec<usize> = (0..second.outcomes.len()).filter(created).collect();
    if by_the_first.is_empty() || !by_the_first.iter().all(|at| is_there(&runs[*at], &second.outcomes[*at])) {
        return second;
    }
    let mut outcomes = second.outcomes;
    by_the_first.into_iter().for_each(|at| outcomes[at] = SubmitOutcome::Created);
    Submission { outcomes, at: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Json, TaskName};
    use SubmitOutcome::{Created, DuplicateId};
    use jiff::Timestamp;

    fn settle(first: [SubmitOutcome; 2], second: [SubmitOutcome; 2]) -> Submission {
        let run = || NewRun::of(TaskName::parse("work").expect("a name"), Json::null());
        let submission =
            |outcomes: [SubmitOutcome; 2]| Submission { outcomes: outcomes.into(), at: Some(Timestamp::MAX) };
        settled(&[run(), run()], &submission(first), submission(second))
    }

    #[test]
    fn what_the_first_try_stored_after_all_was_created_by_it_nobody_knows_when() {
        let settled = settle([Created, Created], [DuplicateId, DuplicateId]);
        assert_eq!(settled, Submission { outcomes: vec![Created, Created], at: None });
        assert_eq!(settle([Created, DuplicateId], [DuplicateId, DuplicateId]).outcomes, [Created, DuplicateId]);
    }

    /// The first try did not come to look, and took all ids for new ones.
    #[test]
    fn an_id_that_was_there_before_is_a_duplicate_if_the_first_try_stored_nothing() {
        let settled = settle([Created, Created], [Created, DuplicateId]);
        assert_eq!(settled, Submission { outcomes: vec![Created, DuplicateId], at: Some(Timestamp::MAX) });
    }
}
