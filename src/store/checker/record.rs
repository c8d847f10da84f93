//! A store that writes down what is asked of another one, and what it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::SignedDuration;

use super::{Call, Entry, Log, SubmittedRun};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{Jitter, NewRun, QueueName, RunId, WorkspaceName};
use crate::store::{
    Admission, Append, AppendOutcome, Claim, ClaimRequest, Finish, FinishOutcome, Pruned, QueueChange, QueueSettings,
    ReleaseLease, Renew, Renewal, RerunOutcome, Result, Retention, Store, StoreWrapper, Submission, Wrapped,
};

/// One actor's view of a store. Reads, and verbs the checker does not judge, pass through unrecorded.
pub struct Recorder {
    store: Arc<dyn Store>,
    actor: String,
    calls: AtomicU64,
    log: Arc<Log>,
}

impl Recorder {
    /// Records what `actor` does with `store`. The name must be the actor's own, over all processes.
    pub fn new(store: Arc<dyn Store>, actor: impl Into<String>, log: Arc<Log>) -> Wrapped<Self> {
        Wrapped(Self { store, actor: actor.into(), calls: AtomicU64::new(0), log })
    }

    /// Writes the call down before and after; `call` makes its record from the answer, or from none.
    async fn note<T>(&self, verb: impl Future<Output = Result<T>>, call: impl Fn(Option<&T>) -> Call) -> Result<T> {
        let entry = self.open(call(None));
        let answer = verb.await;
        self.close(entry, &answer, call);
        answer
    }

    fn open(&self, call: Call) -> Entry {
        let entry = Entry {
            actor: self.actor.clone(),
            number: self.calls.fetch_add(1, Ordering::Relaxed),
            invoked: self.log.stamps.next(),
            returned: None,
            error: None,
            call,
        };
        self.log.write(entry.clone());
        entry
    }

    fn close<T>(&self, mut entry: Entry, answer: &Result<T>, call: impl Fn(Option<&T>) -> Call) {
        match answer {
            Ok(answer) => (entry.returned, entry.call) = (Some(self.log.stamps.next()), call(Some(answer))),
            // Whether it was done is not known for sure, so it counts as unanswered.
            Err(error) => entry.error = Some(with_sources(error)),
        }
        self.log.write(entry);
    }
}

fn finish(finishes: &[Finish], answers: Option<&Vec<FinishOutcome>>) -> Call {
    Call::Finish { leases: finishes.iter().map(|finish| finish.lease).collect(), answers: answers.cloned() }
}

fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}

fn micros(span: SignedDuration) -> i64 {
    span.as_micros() as i64
}

#[async_trait]
impl StoreWrapper for Recorder {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn submission(&self, runs: &[NewRun], admission: Admission) -> Result<Submission> {
        self.note(self.store.submission(runs, admission), |submission| Call::Submit {
            runs: runs.iter().map(SubmittedRun::of).collect(),
            queue_size: admission.queue_size,
            answers: submission.map(|submission| submission.outcomes.clone()),
        })
        .await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        self.note(self.store.claim(request), |answer| Call::claim(request, answer)).await
    }

    async fn renew(&self, leases: &[Renew], ttl: SignedDuration) -> Result<Vec<Renewal>> {
        self.note(self.store.renew(leases, ttl), |answers| Call::Renew {
            leases: leases.iter().map(|renew| renew.lease).collect(),
            ttl: micros(ttl),
            answers: answers.cloned(),
        })
        .await
    }

    async fn finish(&self, finishes: &[Finish]) -> Result<Vec<FinishOutcome>> {
        self.note(self.store.finish(finishes), |answers| finish(finishes, answers)).await
    }

    /// Two calls at the same time.
    async fn finish_and_claim(&self, finishes: &[Finish], next: &ClaimRequest) -> Result<(Vec<FinishOutcome>, Claim)> {
        let claim = |answer: Option<&(_, Claim)>| Call::claim(next, answer.map(|(_, claim)| claim));
        let claiming = self.open(claim(None));
        let answer = self
            .note(self.store.finish_and_claim(finishes, next), |answer| {
                finish(finishes, answer.map(|(ended, _)| ended))
            })
            .await;
        self.close(claiming, &answer, claim);
        answer
    }

    async fn release(&self, releases: &[ReleaseLease]) -> Result<Vec<FinishOutcome>> {
        self.note(self.store.release(releases), |answers| Call::Release {
            leases: releases.iter().map(|release| release.lease).collect(),
            answers: answers.cloned(),
        })
        .await
    }

    async fn append(&self, appends: &[Append]) -> Result<Vec<AppendOutcome>> {
        self.note(self.store.append(appends), |answers| Call::Append {
            leases: appends.iter().map(|append| append.lease).collect(),
            answers: answers.cloned(),
        })
        .await
    }

    async fn command(
        &self,
        workspace: &WorkspaceName,
        runs: &[RunId],
        command: Command,
        admission: Admission,
    ) -> Result<Vec<CommandOutcome>> {
        self.note(self.store.command(workspace, runs, command, admission), |answers| Call::Command {
            runs: runs.to_vec(),
            command,
            queue_size: admission.queue_size,
            answers: answers.cloned(),
        })
        .await
    }

    async fn rerun(
        &self,
        workspace: &WorkspaceName,
        run: RunId,
        id: RunId,
        admission: Admission,
    ) -> Result<RerunOutcome> {
        self.note(self.store.rerun(workspace, run, id, admission), |answer| Call::Rerun {
            workspace: workspace.clone(),
            id,
            queue_size: admission.queue_size,
            answer: answer.copied(),
        })
        .await
    }

    async fn expire(&self, grace: SignedDuration, jitter: Jitter, limit: usize) -> Result<Vec<RunId>> {
        self.note(self.store.expire(grace, jitter, limit), |ended| Call::Expire { ended: ended.cloned() }).await
    }

    async fn prune(&self, retention: &Retention, limit: usize) -> Result<Pruned> {
        self.note(self.store.prune(retention, limit), |pruned| Call::Prune { runs: pruned.map(|pruned| pruned.runs) })
            .await
    }

    async fn set_queue(
        &self,
        workspace: &WorkspaceName,
        queue: &QueueName,
        change: QueueChange,
    ) -> Result<Option<QueueSettings>> {
        self.note(self.store.set_queue(workspace, queue, change), |settings| Call::SetQueue {
            workspace: workspace.clone(),
            queue: queue.clone(),
            settings: settings.copied().flatten(),
        })
        .await
    }
}
