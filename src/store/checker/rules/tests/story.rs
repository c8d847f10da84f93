//! Writes a recording down call by call. A call lasts 10 ms, and 10 ms pass between two.

use super::super::super::{Call, Entry, FinalRun, FinalState, GrantedLease, Recording, SubmittedRun};
use super::super::{Violation, check};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{HostName, Json, LaneName, NewRun, QueueName, RunId, Status, TaskName, WorkspaceName};
use crate::store::{FinishOutcome, Lease, QueueSettings, Renewal, SubmitOutcome};

pub(super) const MS: i64 = 1_000;
pub(super) const TTL: i64 = 300 * MS;
pub(super) const DELAY: i64 = 1_000 * MS;

#[derive(Clone, Default)]
pub(super) struct Story {
    now: i64,
    entries: Vec<Entry>,
    last: Vec<FinalRun>,
}

pub(super) fn host(name: &str) -> HostName {
    HostName::parse(name).expect("a good name")
}

pub(super) fn request() -> NewRun {
    NewRun::of(TaskName::parse("test").expect("a good name"), Json::null())
}

pub(super) fn in_lane(lane: &str) -> NewRun {
    NewRun { lane: Some(LaneName::parse(lane).expect("a good name")), ..request() }
}

pub(super) fn lease(run: RunId, epoch: i64) -> Lease {
    Lease { run, epoch }
}

impl Story {
    pub(super) fn call(&mut self, call: Call) -> &mut Self {
        self.overlapping(call, 10 * MS)
    }

    /// A call that lasts longer than it takes for the next to begin.
    pub(super) fn overlapping(&mut self, call: Call, lasts: i64) -> &mut Self {
        let number = self.entries.len() as u64;
        let returned = Some(self.now + lasts);
        let invoked = self.now;
        self.entries.push(Entry { actor: "actor".into(), number, invoked, returned, error: None, call });
        self.pass(20 * MS)
    }

    pub(super) fn pass(&mut self, time: i64) -> &mut Self {
        self.now += time;
        self
    }

    /// The call was never answered.
    pub(super) fn unheard(&mut self, call: Call) -> &mut Self {
        self.call(call);
        if let Some(entry) = self.entries.last_mut() {
            entry.returned = None;
        }
        self
    }

    pub(super) fn copy(&self) -> Self {
        self.clone()
    }

    pub(super) fn submit(&mut self, request: &NewRun, outcome: SubmitOutcome) -> &mut Self {
        self.submit_into(request, outcome, None)
    }

    pub(super) fn submit_into(&mut self, run: &NewRun, outcome: SubmitOutcome, queue_size: Option<u64>) -> &mut Self {
        self.call(Call::Submit { runs: vec![SubmittedRun::of(run)], queue_size, answers: Some(vec![outcome]) })
    }

    pub(super) fn granted(&self, request: &NewRun, epoch: i64, attempt: u32) -> GrantedLease {
        GrantedLease {
            lease: lease(request.id, epoch),
            adopted: false,
            attempt,
            max_attempts: request.max_attempts.get().into(),
            workspace: request.workspace.clone(),
            queue: request.queue.clone(),
            lane: request.lane.clone(),
            until: self.now + TTL,
        }
    }

    pub(super) fn claim(&mut self, request: &NewRun, epoch: i64, attempt: u32) -> &mut Self {
        let granted = self.granted(request, epoch, attempt);
        self.grant("here", granted)
    }

    pub(super) fn adopt(&mut self, on: &str, request: &NewRun, epoch: i64, attempt: u32) -> &mut Self {
        let granted = GrantedLease { adopted: true, ..self.granted(request, epoch, attempt) };
        self.grant(on, granted)
    }

    pub(super) fn grant(&mut self, on: &str, granted: GrantedLease) -> &mut Self {
        let granted = Some(vec![granted]);
        self.call(Call::Claim { host: host(on), capacity: 1, takeover_delay: DELAY, granted })
    }

    pub(super) fn renew(&mut self, lease: Lease) -> &mut Self {
        let answers = Some(vec![Renewal::Renewed { stop: None }]);
        self.call(Call::Renew { leases: vec![lease], ttl: TTL, answers })
    }

    pub(super) fn finish(&mut self, lease: Lease, status: Status) -> &mut Self {
        self.call(Call::Finish { leases: vec![lease], answers: Some(vec![FinishOutcome::Accepted(status)]) })
    }

    pub(super) fn refused(&mut self, lease: Lease) -> &mut Self {
        self.call(Call::Finish { leases: vec![lease], answers: Some(vec![FinishOutcome::LeaseLost]) })
    }

    pub(super) fn command(&mut self, run: RunId, command: Command, outcome: CommandOutcome) -> &mut Self {
        self.call(Call::Command { runs: vec![run], command, queue_size: None, answers: Some(vec![outcome]) })
    }

    pub(super) fn set_queue(&mut self, paused: bool, concurrency: Option<u32>) -> &mut Self {
        let settings = Some(QueueSettings { paused, concurrency });
        let (workspace, queue) = (WorkspaceName::default(), QueueName::default());
        self.call(Call::SetQueue { workspace, queue, settings })
    }

    pub(super) fn ends(&mut self, request: &NewRun, status: Status, epoch: i64) -> &mut Self {
        self.last.push(FinalRun {
            id: request.id,
            workspace: request.workspace.clone(),
            key: request.key.as_ref().map(|(key, _)| key.clone()),
            status,
            attempt: epoch.min(1) as u32,
            max_attempts: request.max_attempts.get().into(),
            epoch,
        });
        self
    }

    pub(super) fn judge(&self) -> Vec<Violation> {
        check(&Recording { entries: self.entries.clone() }, &FinalState { runs: self.last.clone() })
    }
}
