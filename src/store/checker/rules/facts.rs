//! The recording sorted by what it is about.

use std::collections::BTreeMap;

use super::super::{Call, Entry, FinalRun, FinalState, GrantedLease, Recording, SubmittedRun};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{HostName, QueueName, RunId, Status, WorkspaceName};
use crate::store::{AppendOutcome, FinishOutcome, Lease, QueueSettings, Renewal, RerunOutcome, SubmitOutcome};

/// The time within which a call took effect; without an end if it was never answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Span {
    pub(super) fn before(self, other: Span) -> bool {
        self.to < other.from
    }

    /// Whether it may have taken effect between the two.
    pub(super) fn may_lie_between(self, first: Span, second: Span) -> bool {
        self.to > first.from && self.from < second.to
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to {
            i64::MAX => write!(f, "after {}", self.from),
            to => write!(f, "between {} and {to}", self.from),
        }
    }
}

/// A lease handed out.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    pub(super) span: Span,
    pub(super) actor: String,
    pub(super) host: HostName,
    pub(super) takeover_delay: i64,
    pub(super) granted: GrantedLease,
}

impl Grant {
    pub(super) fn epoch(&self) -> i64 {
        self.granted.lease.epoch
    }
}

/// Something said under a lease.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeaseWrite {
    pub(super) span: Span,
    pub(super) epoch: i64,
    pub(super) kind: WriteKind,
    /// Unknown if it was never answered.
    pub(super) accepted: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteKind {
    Renew {
        ttl: i64,
    },
    /// Was told that it holds the lease, though nobody renewed it: somebody else had locked the run.
    Busy,
    Append,
    /// A finish or release, and what the run became by it.
    End(Option<Status>),
}

impl LeaseWrite {
    pub(super) fn is_accepted(&self) -> bool {
        self.accepted == Some(true)
    }

    /// Whether it ended the lease, for all one knows.
    pub(super) fn may_end(&self) -> bool {
        matches!(self.kind, WriteKind::End(_)) && self.accepted != Some(false)
    }
}

/// A command about a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commanded {
    pub(super) span: Span,
    pub(super) command: Command,
    pub(super) outcome: Option<CommandOutcome>,
}

impl Commanded {
    pub(super) fn may_resume(&self) -> bool {
        self.command == Command::Resume && matches!(self.outcome, None | Some(CommandOutcome::Resumed))
    }
}

/// A submission of one run.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) span: Span,
    /// Orders those of one batch.
    pub(super) place: usize,
    pub(super) run: SubmittedRun,
    pub(super) queue_size: Option<u64>,
    pub(super) outcome: Option<SubmitOutcome>,
}

/// All that happened to one run.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// The submission that created it.
    pub(super) created: Option<Request>,
    pub(super) replaced: bool,
    /// By epoch.
    pub(super) grants: Vec<Grant>,
    pub(super) writes: Vec<LeaseWrite>,
    pub(super) commands: Vec<Commanded>,
    /// Passes that ended an attempt of it past its time, also those that may have.
    pub(super) expired: Vec<Span>,
    pub(super) last: Option<FinalRun>,
}

impl Life {
    pub(super) fn resumes(&self) -> impl Iterator<Item = &Commanded> {
        self.commands.iter().filter(|command| command.may_resume())
    }
}

/// The settings of a queue that an answer showed; unknown if there was none.
pub(super) type Setting = (Span, Option<QueueSettings>);

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) runs: BTreeMap<RunId, Life>,
    pub(super) requests: Vec<Request>,
    /// How many leases may have been handed out to somebody who never heard of it.
    pub(super) unheard_grants: usize,
    pub(super) settings: BTreeMap<(WorkspaceName, QueueName), Vec<Setting>>,
    /// How many runs may have been forgotten.
    pub(super) pruned: usize,
    /// The largest queue size any admission was made with; `None` if one was made without.
    pub(super) queue_size: Option<u64>,
}

impl Facts {
    pub(super) fn of(recording: &Recording, last: &FinalState) -> Self {
        let mut facts = Self { queue_size: Some(0), ..Self::default() };
        for entry in &recording.entries {
            facts.note(entry);
        }
        let unanswered = recording.entries.iter().filter(|e| matches!(e.call, Call::Expire { ended: None }));
        let unanswered: Vec<Span> = unanswered.map(span).collect();
        for seen in &last.runs {
            facts.life(seen.id).last = Some(seen.clone());
        }
        for life in facts.runs.values_mut() {
            life.grants.sort_by_key(|grant| (grant.epoch(), grant.span.from));
            life.expired.extend(&unanswered);
        }
        facts
    }

    fn life(&mut self, run: RunId) -> &mut Life {
        self.runs.entry(run).or_default()
    }

    fn note(&mut self, entry: &Entry) {
        let span = span(entry);
        match &entry.call {
            Call::Submit { runs, queue_size, answers } => {
                self.admitted(*queue_size);
                for (place, run) in runs.iter().enumerate() {
                    let outcome = answers.as_ref().map(|answers| answers[place]);
                    self.requested(Request { span, place, run: run.clone(), queue_size: *queue_size, outcome });
                }
            }
            Call::Rerun { id, queue_size, answer, .. } => {
                self.admitted(*queue_size);
                if *answer == Some(RerunOutcome::Submitted(SubmitOutcome::Created)) {
                    self.life(*id);
                }
            }
            Call::Claim { granted: None, capacity, .. } => self.unheard_grants += capacity,
            Call::Claim { host, takeover_delay, granted: Some(granted), .. } => {
                for granted in granted {
                    self.life(granted.lease.run).grants.push(Grant {
                        span,
                        actor: entry.actor.clone(),
                        host: host.clone(),
                        takeover_delay: *takeover_delay,
                        granted: granted.clone(),
                    });
                }
            }
            Call::Command { runs, command, queue_size, answers } => {
                if *command == Command::Resume {
                    self.admitted(*queue_size);
                }
                for (at, run) in runs.iter().enumerate() {
                    let outcome = answers.as_ref().map(|answers| answers[at]);
                    self.life(*run).commands.push(Commanded { span, command: *command, outcome });
                }
            }
            Call::Expire { ended } => {
                for run in ended.iter().flatten() {
                    self.life(*run).expired.push(span);
                }
            }
            Call::Prune { runs } => self.pruned = self.pruned.saturating_add(runs.unwrap_or(usize::MAX)),
            Call::SetQueue { workspace, queue, settings } => {
                self.settings.entry((workspace.clone(), queue.clone())).or_default().push((span, *settings));
            }
            writes => self.writes(span, writes),
        }
    }

    fn writes(&mut self, span: Span, call: &Call) {
        let mut say = |lease: &Lease, kind, accepted| {
            self.life(lease.run).writes.push(LeaseWrite { span, epoch: lease.epoch, kind, accepted });
        };
        match call {
            Call::Renew { leases, ttl, answers } => {
                for (at, lease) in leases.iter().enumerate() {
                    let answer = answers.as_ref().map(|answers| answers[at]);
                    let busy = answer == Some(Renewal::Busy);
                    let kind = if busy { WriteKind::Busy } else { WriteKind::Renew { ttl: *ttl } };
                    say(lease, kind, answer.map(|answer| answer != Renewal::LeaseLost));
                }
            }
            Call::Append { leases, answers } => {
                for (at, lease) in leases.iter().enumerate() {
                    let accepted = answers.as_ref().map(|answers| answers[at] != AppendOutcome::LeaseLost);
                    say(lease, WriteKind::Append, accepted);
                }
            }
            Call::Finish { leases, answers } | Call::Release { leases, answers } => {
                for (at, lease) in leases.iter().enumerate() {
                    let answer = answers.as_ref().map(|answers| answers[at]);
                    let status = match answer {
                        Some(FinishOutcome::Accepted(status)) => Some(status),
                        _ => None,
                    };
                    say(lease, WriteKind::End(status), answer.map(|_| status.is_some()));
                }
            }
            _ => {}
        }
    }

    fn admitted(&mut self, queue_size: Option<u64>) {
        self.queue_size = self.queue_size.zip(queue_size).map(|(most, size)| most.max(size));
    }

    fn requested(&mut self, request: Request) {
        match request.outcome {
            Some(SubmitOutcome::Created) => self.life(request.run.id).created = Some(request.clone()),
            Some(SubmitOutcome::Replaced(run)) => self.life(run).replaced = true,
            _ => {}
        }
        self.requests.push(request);
    }
}

fn span(entry: &Entry) -> Span {
    Span { from: entry.invoked, to: entry.returned.unwrap_or(i64::MAX) }
}
