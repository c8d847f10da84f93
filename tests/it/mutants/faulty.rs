//! A store that misbehaves in one chosen way, so that the checker's eyes can be tested.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use jiff::SignedDuration;
use runlane::run::lifecycle::{Command, CommandOutcome};
use runlane::run::{LaneName, NewRun, Priority, QueueName, RunId, Status, WorkspaceName};
use runlane::store::*;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Writes under leases that are lost are accepted.
    AcceptsStaleWrites,
    /// Renewals of leases that are lost are accepted.
    RenewsLostLeases,
    /// A run that was handed out is handed out again.
    HandsOutTwice,
    /// An adopted run keeps its epoch.
    AdoptsWithoutEpoch,
    /// Other hosts take over at once.
    TakesOverAtOnce,
    /// Lanes are not serial.
    ForgetsLanes,
    /// Later runs of a lane go first.
    ReversesLanes,
    /// Concurrency limits are accepted and forgotten.
    ForgetsLimits,
    /// Pauses of queues are accepted and forgotten.
    ForgetsPauses,
    /// Some submissions are acknowledged and dropped.
    LosesSubmissions,
    /// Waiting runs are said to be cancelled, and are not.
    StartsCancelledRuns,
    /// Idempotency keys are not remembered.
    ForgetsIdempotency,
    /// Any number of runs is let in.
    ForgetsQueueSize,
    /// Runs have no keys.
    ForgetsKeys,
    /// Runs are tried more often than allowed.
    TriesTooOften,
    /// Outcomes are accepted and forgotten.
    DropsOutcomes,
}

impl Fault {
    pub(crate) const ALL: [Fault; 16] = [
        Fault::AcceptsStaleWrites,
        Fault::RenewsLostLeases,
        Fault::HandsOutTwice,
        Fault::AdoptsWithoutEpoch,
        Fault::TakesOverAtOnce,
        Fault::ForgetsLanes,
        Fault::ReversesLanes,
        Fault::ForgetsLimits,
        Fault::ForgetsPauses,
        Fault::LosesSubmissions,
        Fault::StartsCancelledRuns,
        Fault::ForgetsIdempotency,
        Fault::ForgetsQueueSize,
        Fault::ForgetsKeys,
        Fault::TriesTooOften,
        Fault::DropsOutcomes,
    ];
}

pub(crate) struct Faulty {
    store: Arc<dyn Store>,
    fault: Fault,
    count: AtomicU64,
    handed_out: Mutex<Vec<Claimed>>,
    lanes: Mutex<std::collections::HashMap<RunId, LaneName>>,
}

impl Faulty {
    pub(crate) fn new(store: Arc<dyn Store>, fault: Fault) -> Wrapped<Self> {
        let (handed_out, lanes) = (Mutex::default(), Mutex::default());
        Wrapped(Self { store, fault, count: AtomicU64::new(0), handed_out, lanes })
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// Every so often.
    fn strikes(&self, fault: Fault, every: u64) -> bool {
        self.has(fault) && self.count.fetch_add(1, Ordering::Relaxed) % every == every - 1
    }

    fn spoil_request(&self, run: &NewRun) -> NewRun {
        let mut run = run.clone();
        match self.fault {
            Fault::ForgetsLanes => {
                if let Some(lane) = run.lane.take() {
                    self.lanes.lock().unwrap_or_else(PoisonError::into_inner).insert(run.id, lane);
                }
            }
            Fault::ReversesLanes => {
                let place = self.count.fetch_add(1, Ordering::Relaxed).min(1000) as i16;
                run.priority = Priority::new(place).unwrap_or_default();
            }
            Fault::ForgetsIdempotency => run.idempotency = None,
            Fault::ForgetsKeys => run.key = None,
            Fault::TriesTooOften => run.max_attempts = run.max_attempts.saturating_add(5),
            _ => {}
        }
        run
    }

    fn spoil_wish(&self, request: &ClaimRequest) -> ClaimRequest {
        let takeover_delay =
            if self.has(Fault::TakesOverAtOnce) { SignedDuration::ZERO } else { request.takeover_delay };
        ClaimRequest { takeover_delay, ..request.clone() }
    }

    fn spoil_claim(&self, claim: &mut Claim) {
        match self.fault {
            Fault::AdoptsWithoutEpoch => {
                claim.runs.iter_mut().filter(|claimed| claimed.adopted).for_each(|claimed| claimed.run.epoch -= 1);
            }
            Fault::ForgetsLanes => {
                let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
                claim.runs.iter_mut().for_each(|claimed| claimed.run.lane = lanes.get(&claimed.run.id).cloned());
            }
            Fault::HandsOutTwice => {
                let mut handed_out = self.handed_out.lock().unwrap_or_else(PoisonError::into_inner);
                let again = std::mem::replace(&mut *handed_out, claim.runs.clone());
                if self.strikes(Fault::HandsOutTwice, 10) {
                    claim.runs.extend(again);
                }
            }
            _ => {}
        }
    }

    fn spoil_end(&self, outcomes: Vec<FinishOutcome>) -> Vec<FinishOutcome> {
        let spoil = |outcome| match outcome {
            FinishOutcome::LeaseLost if self.has(Fault::AcceptsStaleWrites) => {
                FinishOutcome::Accepted(Status::Succeeded)
            }
            outcome => outcome,
        };
        outcomes.into_iter().map(spoil).collect()
    }
}

#[async_trait]
impl StoreWrapper for Faulty {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        if self.strikes(Fault::LosesSubmissions, 20) {
            return Ok(Submission { outcomes: vec![SubmitOutcome::Created; runs.len()], ..Submission::default() });
        }
        let admission = if self.has(Fault::ForgetsQueueSize) { Admission::default() } else { admission };
        let runs: Vec<NewRun> = runs.iter().map(|run| self.spoil_request(run)).collect();
        self.store.submission(&runs, admission).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        let mut claim = self.store.claim(&self.spoil_wish(request)).await?;
        self.spoil_claim(&mut claim);
        Ok(claim)
    }

    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
        let answers = self.store.renew(leases, ttl).await?;
        let spoil = |answer| match answer {
            Renewal::LeaseLost if self.has(Fault::RenewsLostLeases) => Renewal::Renewed { stop: None },
            answer => answer,
        };
        Ok(answers.into_iter().map(spoil).collect())
    }

    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
        if self.strikes(Fault::DropsOutcomes, 20) {
            return Ok(vec![FinishOutcome::Accepted(Status::Succeeded); finishes.len()]);
        }
        Ok(self.spoil_end(self.store.finish(finishes).await?))
    }

    async fn finish_and_claim(&self, finishes: &[Finish], next: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        if self.strikes(Fault::DropsOutcomes, 20) {
            return Ok((vec![FinishOutcome::Accepted(Status::Succeeded); finishes.len()], Claim::default()));
        }
        let (outcomes, mut claim) = self.store.finish_and_claim(finishes, &self.spoil_wish(next)).await?;
        self.spoil_claim(&mut claim);
        Ok((self.spoil_end(outcomes), claim))
    }

    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        Ok(self.spoil_end(self.store.release(releases).await?))
    }

    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>> {
        if self.has(Fault::StartsCancelledRuns) && command == Command::Cancel {
            let status = self.store.run(workspace, runs[0]).await?.map(|run| run.status());
            if status == Some(Status::Queued) {
                return Ok(vec![CommandOutcome::Cancelled]);
            }
        }
        self.store.command(workspace, runs, command, admission).await
    }

    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        let mut spoilt = change;
        if self.has(Fault::ForgetsLimits) {
            spoilt.concurrency = None;
        }
        if self.has(Fault::ForgetsPauses) {
            spoilt.paused = None;
        }
        let settings = self.store.set_queue(workspace, queue, spoilt).await?;
        Ok(settings.map(|settings| change.applied_to(settings)))
    }
}
