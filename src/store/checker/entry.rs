//! One call to a store: who made it, when, and what was asked and answered.

use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{
    Due, HostName, IdempotencyKey, KeyMode, LaneName, NewRun, Priority, QueueName, RunId, RunKey, State, Tenure,
    WorkspaceName,
};
use crate::store::{
    AppendOutcome, Claim, ClaimRequest, Claimed, FinishOutcome, Lease, QueueSettings, Renewal, RerunOutcome,
    SubmitOutcome,
};

/// A call. It is written twice, when it begins and when it is answered, so that what a killed process was doing is
/// known. Times are microseconds of the store's clock.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Entry {
    /// Who called.
    pub actor: String,
    /// The actor's how-manieth call.
    pub number: u64,
    /// When it began.
    pub invoked: i64,
    /// When it was answered; it may take effect at any later time if it never was.
    pub returned: Option<i64>,
    /// What the store could not do.
    pub error: Option<String>,
    /// What was asked, and answered.
    pub call: Call,
}

/// What was asked, with what was answered, if anything.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the verbs of the store say it")]
pub enum Call {
    Submit { runs: Vec<SubmittedRun>, queue_size: Option<u64>, answers: Option<Vec<SubmitOutcome>> },
    Rerun { workspace: WorkspaceName, id: RunId, queue_size: Option<u64>, answer: Option<RerunOutcome> },
    Claim { host: HostName, capacity: usize, takeover_delay: i64, granted: Option<Vec<GrantedLease>> },
    Renew { leases: Vec<Lease>, ttl: i64, answers: Option<Vec<Renewal>> },
    Finish { leases: Vec<Lease>, answers: Option<Vec<FinishOutcome>> },
    Release { leases: Vec<Lease>, answers: Option<Vec<FinishOutcome>> },
    Append { leases: Vec<Lease>, answers: Option<Vec<AppendOutcome>> },
    Command { runs: Vec<RunId>, command: Command, queue_size: Option<u64>, answers: Option<Vec<CommandOutcome>> },
    Expire { ended: Option<Vec<RunId>> },
    Prune { runs: Option<usize> },
    SetQueue { workspace: WorkspaceName, queue: QueueName, settings: Option<QueueSettings> },
}

impl Call {
    pub(super) fn claim(request: &ClaimRequest, answer: Option<&Claim>) -> Self {
        Self::Claim {
            host: request.taker.host.clone(),
            capacity: request.capacity,
            takeover_delay: request.takeover_delay.as_micros() as i64,
            granted: answer.map(|claim| claim.runs.iter().map(GrantedLease::of).collect()),
        }
    }
}

/// What of a requested run the checker judges by.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct SubmittedRun {
    /// The id it asked for.
    pub id: RunId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// Its serial key.
    pub lane: Option<LaneName>,
    /// How urgent it is.
    pub priority: Priority,
    /// How many attempts it has.
    pub max_attempts: u32,
    /// Whether it may start at once: no delay, not held.
    pub at_once: bool,
    /// Whether it waits for other runs.
    pub waits: bool,
    /// Its name.
    pub key: Option<(RunKey, KeyMode)>,
    /// Its idempotency key, the digest of the request, and how many microseconds the key is remembered.
    pub idempotency: Option<(IdempotencyKey, Vec<u8>, i64)>,
}

impl SubmittedRun {
    /// What `request` asks.
    pub fn of(request: &NewRun) -> Self {
        Self {
            id: request.id,
            workspace: request.workspace.clone(),
            lane: request.lane.clone(),
            priority: request.priority,
            max_attempts: request.max_attempts.get().into(),
            at_once: request.due == Due::Now && !request.hold,
            waits: !request.after.is_empty(),
            key: request.key.clone(),
            idempotency: request
                .idempotency
                .as_ref()
                .map(|known| (known.key.clone(), known.fingerprint.clone(), known.ttl.as_micros() as i64)),
        }
    }
}

/// A lease handed out, with what the run was at that time.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct GrantedLease {
    /// The lease.
    pub lease: Lease,
    /// Whether the attempt was under way.
    pub adopted: bool,
    /// Which attempt it is.
    pub attempt: u32,
    /// How many there may be.
    pub max_attempts: u32,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// The stream.
    pub queue: QueueName,
    /// The serial key.
    pub lane: Option<LaneName>,
    /// When the lease ends, unless renewed.
    pub until: i64,
}

impl GrantedLease {
    /// What a claim handed out.
    pub fn of(claimed: &Claimed) -> Self {
        let run = &claimed.run;
        let until = match run.execution().map(|execution| execution.tenure) {
            Some(Tenure::Leased { until }) => until.as_microsecond(),
            Some(Tenure::Orphaned { since }) => since.as_microsecond(),
            None => i64::MIN,
        };
        // What is leased ahead counts once it has begun.
        let uncounted = u32::from(matches!(run.state, State::Leased(_)));
        Self {
            lease: claimed.lease(),
            adopted: claimed.adopted,
            attempt: run.attempt + uncounted,
            max_attempts: run.max_attempts,
            workspace: run.workspace.clone(),
            queue: run.queue.clone(),
            lane: run.lane.clone(),
            until,
        }
    }
}
