//! Applies one operation to a store, and makes an answer that can be compared.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::{SignedDuration, Timestamp};
use runlane::access::{NewToken, Role, TokenHash, TokenId, TokenName};
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{
    HostName, Idempotency, IdempotencyKey, Jitter, Json, LaneName, NewRun, Priority, QueueName, Run, RunError, RunId,
    RunKey, StartBy, TaskName, WorkerId, WorkspaceName,
};
use runlane::store::{
    Admission, Ahead, Append, AuditEntry, Claim, ClaimRequest, Finish, Lease, NewEvent, QueueChange, QueueLimit,
    ReleaseLease, Renew, Result, Retention, Store, WorkerInfo,
};
use uuid::Uuid;

use super::op::{Ends, LeaseRef, Op, RunRef, Wanted, Wants};
use super::schedules;

/// What the sequence has named so far, from which later operations choose. It follows the reference model.
pub(crate) struct World {
    pub(crate) runs: Vec<(WorkspaceName, RunId)>,
    leases: Vec<Lease>,
    last_turn: Option<WorkspaceName>,
    workers: Vec<WorkerId>,
    /// What the clock shows.
    pub(crate) now: Timestamp,
}

/// An operation whose names are resolved, for any number of stores to carry out.
pub(crate) enum Act {
    Pass(SignedDuration),
    Submit(Vec<NewRun>, Admission),
    Claim(ClaimRequest),
    Other(Op),
    /// Of which run, as which new one.
    Rerun(WorkspaceName, RunId, RunId, Admission),
}

pub(crate) fn workspace(at: u8) -> WorkspaceName {
    // The last one does not exist.
    let name = match at {
        0 => "default",
        1 => "acme",
        _ => "nowhere",
    };
    WorkspaceName::parse(name).expect("a good name")
}

fn queue(at: u8) -> QueueName {
    if at == 0 { QueueName::default() } else { QueueName::parse("bulk").expect("a good name") }
}

fn lane(at: u8) -> LaneName {
    LaneName::parse(if at == 0 { "a" } else { "b" }).expect("a good name")
}

fn ms(time: u32) -> SignedDuration {
    SignedDuration::from_millis(time.into())
}

fn admission(queue_size: Option<u64>) -> Admission {
    Admission { queue_size }
}

fn token(at: u8) -> TokenId {
    TokenId(Uuid::from_u128(u128::from(at) + 1))
}

/// Of a secret.
pub(crate) fn hash(at: u8) -> TokenHash {
    TokenHash([at; 32])
}

fn new_token(id: u8, at: Option<u8>, secret: u8, expiry: Option<u32>) -> NewToken {
    NewToken {
        id: token(id),
        workspace: at.map(workspace),
        name: TokenName::parse(format!("token {id}")).expect("a good name"),
        role: Role::ALL[id as usize % Role::ALL.len()],
        hash: hash(secret),
        expires_in: expiry.map(ms),
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let workers = (0..4).map(|at| WorkerId(Uuid::from_u128(at + 1))).collect();
        Self { runs: Vec::new(), leases: Vec::new(), last_turn: None, workers, now: Timestamp::UNIX_EPOCH }
    }

    /// Ids rise as UUIDv7s do, and do not depend on the time.
    fn next_id(&self) -> RunId {
        RunId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + self.runs.len() as u128))
    }

    fn run(&self, name: RunRef) -> (WorkspaceName, RunId) {
        let unknown = || (workspace(0), RunId(Uuid::from_u128(7)));
        match name {
            RunRef::Back(back) if !self.runs.is_empty() => {
                self.runs[self.runs.len() - 1 - back as usize % self.runs.len()].clone()
            }
            _ => unknown(),
        }
    }

    fn lease(&self, LeaseRef(back, off): LeaseRef) -> Lease {
        let none = Lease { run: RunId(Uuid::from_u128(7)), epoch: 1 };
        let at = self.leases.len().checked_sub(1).map(|last| last - back as usize % self.leases.len());
        let lease = at.map_or(none, |at| self.leases[at]);
        Lease { epoch: lease.epoch + i64::from(off), ..lease }
    }

    /// Takes note of runs that nobody submitted: those of slots.
    pub(crate) fn notice(&mut self, runs: &[(WorkspaceName, RunId)]) {
        for run in runs {
            if !self.runs.contains(run) {
                self.runs.push(run.clone());
            }
        }
    }

    /// Resolves the names of an operation.
    pub(crate) fn resolve(&mut self, op: &Op) -> Act {
        match op {
            Op::Pass(time) => Act::Pass(ms(*time)),
            Op::Submit(wanted, size) => {
                let runs = wanted.iter().map(|wanted| self.new_run(wanted)).collect();
                Act::Submit(runs, admission(*size))
            }
            Op::Claim(wants) => Act::Claim(self.request(wants)),
            Op::Rerun(run, size) => {
                let (workspace, run) = self.run(*run);
                let id = self.next_id();
                self.runs.push((workspace.clone(), id));
                Act::Rerun(workspace, run, id, admission(*size))
            }
            other => Act::Other(other.clone()),
        }
    }

    fn new_run(&mut self, wanted: &Wanted) -> NewRun {
        let mut run = NewRun::of(TaskName::parse("task").expect("a good name"), Json::null());
        run.workspace = workspace(wanted.workspace);
        // An id that another workspace has is a different question, which databases may answer differently.
        let twin = wanted.same_id.map(|back| self.run(RunRef::Back(back))).filter(|(ws, _)| *ws == run.workspace);
        run.id = twin.map_or_else(|| self.next_id(), |(_, id)| id);
        run.queue = queue(wanted.queue);
        run.lane = wanted.lane.map(lane);
        run.priority = Priority::new(wanted.priority).expect("in range");
        run.due = wanted.due;
        run.hold = wanted.hold;
        run.after = wanted.after.iter().map(|upstream| self.run(*upstream).1).collect();
        run.max_attempts = NonZeroU16::new(wanted.max_attempts).expect("not zero");
        run.timeout_seconds = wanted.timeout_seconds.and_then(NonZeroU32::new);
        run.start_by = wanted.start_within.and_then(NonZeroU32::new).map(StartBy::Within);
        run.key = wanted.key.map(|(key, mode)| (RunKey::parse(format!("key-{key}")).expect("a good name"), mode));
        run.idempotency = wanted.idempotency.map(|(key, fingerprint)| Idempotency {
            key: IdempotencyKey::parse(format!("once-{key}")).expect("a good name"),
            fingerprint: vec![fingerprint],
            ttl: SignedDuration::from_secs(60),
        });
        self.runs.push((run.workspace.clone(), run.id));
        run
    }

    fn request(&self, wants: &Wants) -> ClaimRequest {
        let host = HostName::parse(if wants.worker < 2 { "here" } else { "there" }).expect("a good name");
        ClaimRequest {
            queues: wants.queues.iter().map(|at| queue(*at)).collect(),
            tasks: wants.lacks_task.then(|| [TaskName::parse("other").expect("a good name")].into()),
            lease_ttl: ms(wants.ttl_ms),
            takeover_delay: ms(60_000),
            last_turn: wants.last_turn.map(workspace).or(self.last_turn.clone()),
            ahead: wants
                .ahead
                .map(|spare| Ahead { tasks: [TaskName::parse("task").expect("a good name")].into(), spare }),
            ..ClaimRequest::of(Taker { worker: self.workers[wants.worker as usize], host }, wants.capacity)
        }
    }

    /// Notes what the reference model handed out.
    pub(crate) fn learn(&mut self, claim: &Claim) {
        self.leases.extend(claim.runs.iter().map(|claimed| claimed.lease()));
        self.last_turn = claim.last_turn.clone();
    }

    fn worker(&self, at: u8, busy: u32, leaving: bool) -> WorkerInfo {
        WorkerInfo {
            id: self.workers[at as usize],
            host: HostName::parse("here").expect("a good name"),
            pid: 7,
            version: "1".into(),
            queues: vec![queue(at % 2)],
            limits: vec![QueueLimit { queue: queue(at % 2), concurrency: 2, busy }],
            tasks: (busy > 0).then(|| vec![TaskName::parse("t").expect("a good name")]),
            slots: 4,
            busy,
            beat: ms(2_000),
            leaving,
        }
    }
}

/// What a store answered: something to show and compare, and what it handed out.
pub(crate) struct Answer {
    pub(crate) shown: String,
    pub(crate) claim: Option<Claim>,
}

pub(crate) async fn play(store: &dyn Store, world: &World, act: &Act) -> Result<Answer> {
    let shown = match act {
        Act::Pass(_) => String::new(),
        Act::Submit(runs, admission) => format!("{:?}", store.submit(runs, *admission).await?),
        Act::Claim(request) => {
            let claim = store.claim(request).await?;
            let runs: Vec<(Run, bool)> = claim.runs.iter().map(|c| (normal(c.run.clone()), c.adopted)).collect();
            let shown = format!("{runs:#?} then {:?}", claim.last_turn);
            return Ok(Answer { shown, claim: Some(claim) });
        }
        Act::Rerun(workspace, run, id, admission) => {
            format!("{:?}", store.rerun(workspace, *run, *id, *admission).await?)
        }
        Act::Other(op) => other(store, world, op).await?,
    };
    Ok(Answer { shown, claim: None })
}

/// Without what only the store itself needs: its own numbering and counting, and whether somebody waits.
pub(crate) fn normal(run: Run) -> Run {
    Run { seq: 0, revision: 0, awaited: false, ..run }
}

/// All ids of a pass that picks in no particular order.
fn set(mut ids: Vec<RunId>) -> String {
    ids.sort();
    format!("{ids:?}")
}

const ALL: usize = 10_000;

async fn other(store: &dyn Store, world: &World, op: &Op) -> Result<String> {
    Ok(match op {
        Op::Renew(leases, ttl) => {
            let renew =
                |(lease, ago): &(LeaseRef, Option<u32>)| Renew { lease: world.lease(*lease), began: ago.map(ms) };
            let leases: Vec<Renew> = leases.iter().map(renew).collect();
            format!("{:?}", store.renew(&leases, ms(*ttl)).await?)
        }
        Op::Finish(finishes) => {
            let finish = |(lease, ends, jitter, ago): &(LeaseRef, Ends, u32, u32)| Finish {
                lease: world.lease(*lease),
                outcome: outcome(ends, world.now),
                jitter: Jitter(*jitter),
                ran: ms(*ago),
            };
            format!("{:?}", store.finish(&finishes.iter().map(finish).collect::<Vec<_>>()).await?)
        }
        Op::Release(releases) => {
            let release = |(lease, how): &(LeaseRef, _)| ReleaseLease { lease: world.lease(*lease), how: *how };
            format!("{:?}", store.release(&releases.iter().map(release).collect::<Vec<_>>()).await?)
        }
        Op::Append(appends) => {
            let append = |(lease, kind): &(LeaseRef, _)| Append {
                lease: world.lease(*lease),
                events: vec![
                    NewEvent { kind: *kind, data: Json::parse(r#"{"usage":{"tokens":3}}"#).expect("JSON") };
                    2
                ],
            };
            format!("{:?}", store.append(&appends.iter().map(append).collect::<Vec<_>>()).await?)
        }
        Op::Command(runs, command, size) => {
            let runs: Vec<(WorkspaceName, RunId)> = runs.iter().map(|run| world.run(*run)).collect();
            // All in the workspace of the first: the others are foreign there, perhaps.
            let ids: Vec<RunId> = runs.iter().map(|(_, id)| *id).collect();
            format!("{:?}", store.command(&runs[0].0, &ids, *command, admission(*size)).await?)
        }
        Op::Reap => set(store.reap(ALL).await?),
        Op::Promote => format!("{:?}", store.promote(ALL).await?),
        Op::Expire(grace) => set(store.expire(ms(*grace), Jitter(0), ALL).await?),
        Op::Prune(finished, workers, audit) => {
            let retention =
                Retention { finished: ms(*finished), workers: ms(*workers), audit: ms(*audit), usage: ms(*audit) };
            format!("{:?}", store.prune(&retention, ALL).await?)
        }
        Op::LanePolicy(at, name, policy) => {
            format!("{:?}", store.set_lane_policy(&workspace(*at), &lane(*name), *policy).await?)
        }
        Op::ReleaseLane(at, name) => format!("{:?}", store.release_lane(&workspace(*at), &lane(*name)).await?),
        Op::Queue(at, name, paused, limit) => {
            let change = QueueChange { paused: *paused, concurrency: *limit };
            format!("{:?}", store.set_queue(&workspace(*at), &queue(*name), change).await?)
        }
        Op::Heartbeat(at, busy, leaving) => {
            format!("{:?}", store.heartbeat(&world.worker(*at, *busy, *leaving)).await?)
        }
        Op::Drain(at) => format!("{:?}", store.drain(world.workers[*at as usize]).await?),
        Op::Leave(at) => format!("{:?}", store.leave(world.workers[*at as usize]).await?),
        Op::CreateToken(id, at, secret, expiry) => {
            format!("{:?}", store.create_token(&new_token(*id, *at, *secret, *expiry)).await?)
        }
        Op::RevokeToken(id) => format!("{:?}", store.revoke_token(token(*id)).await?),
        Op::Audit(at, times) => {
            let entry = |time| AuditEntry {
                workspace: at.map(workspace),
                actor: Some(token(time)),
                actor_name: "somebody".into(),
                action: "something".into(),
                subject: format!("{time}"),
                detail: None,
            };
            format!("{:?}", store.record_audit(&(0..*times).map(entry).collect::<Vec<_>>()).await?)
        }
        Op::Schedules(ask) => schedules::play(store, ask, world.now).await?,
        Op::Pass(_) | Op::Submit(..) | Op::Claim(_) | Op::Rerun(..) => String::new(),
    })
}

fn outcome(ends: &Ends, now: Timestamp) -> Outcome {
    match ends {
        Ends::Succeeded(output) => {
            Outcome::Succeeded { output: output.map(|n| Json::of(&n).expect("a number is JSON")) }
        }
        Ends::Failed(retry) => Outcome::Failed { error: RunError::new("broken", "it broke"), retry: *retry },
        Ends::TimedOut => Outcome::TimedOut { limit_seconds: None },
        Ends::Cancelled => Outcome::Cancelled,
        Ends::Paused => Outcome::Paused,
        Ends::Lost => Outcome::Lost,
        Ends::Missing(after) => Outcome::Missing { stopped_by: now + SignedDuration::from_secs((*after).into()) },
    }
}
