//! What a database must be able to do within one transaction.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::future::Future;

use jiff::{SignedDuration, Timestamp};

use super::{Interest, ScheduleTx, StreamKey};
use crate::access::{Token, TokenHash, TokenId};
use crate::run::{
    Attempt, IdempotencyKey, LaneName, NewRun, QueueName, Run, RunId, RunKey, ScheduleId, Status, WorkspaceName,
};
use crate::store::{Claim, ClaimRequest, Finish, LanePolicy, Lease, NewEvent, Renew, Renewal, Result, Retention};

pub(in crate::store) type LaneKey = (WorkspaceName, LaneName);
pub(in crate::store) type QueueKey = (WorkspaceName, QueueName);

/// A request made before under an idempotency key.
#[derive(Clone, Debug)]
pub(in crate::store) struct Remembered {
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) key: IdempotencyKey,
    pub(in crate::store) fingerprint: Vec<u8>,
    pub(in crate::store) run: RunId,
    pub(in crate::store) expires_at: Timestamp,
}

/// A stream that has ready runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Stream {
    pub(in crate::store) key: StreamKey,
    /// Whether its queue has a limit.
    pub(in crate::store) limited: bool,
}

/// The streams found.
#[derive(Clone, Debug)]
pub(in crate::store) struct Ready {
    pub(in crate::store) streams: Vec<Stream>,
    /// Whether these are all; if not, asking again in the same transaction gives all.
    pub(in crate::store) complete: bool,
}

/// How many more runs a limited queue may have running.
#[derive(Clone, Debug)]
pub(in crate::store) struct Room {
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) queue: QueueName,
    pub(in crate::store) free: usize,
}

/// Leave to claim so many runs from a stream.
#[derive(Clone, Debug)]
pub(in crate::store) struct Turn {
    pub(in crate::store) stream: StreamKey,
    pub(in crate::store) take: usize,
}

/// A ready run's place in its stream: most urgent first, then oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct Place {
    pub(in crate::store) urgency: i16,
    pub(in crate::store) seq: i64,
    /// Which of the turns asked for it.
    pub(in crate::store) turn: usize,
    /// Whether the run may be leased ahead of its start, as far as the run alone decides.
    pub(in crate::store) may_go_ahead: bool,
}

/// What stands at the front of a lane.
#[derive(Clone, Debug)]
pub(in crate::store) struct Front {
    /// A run is running or waits to try again, or a stopped run holds the lane.
    pub(in crate::store) closed: bool,
    /// The run that is ready now.
    pub(in crate::store) ready: Option<RunId>,
    /// The run that should be next.
    pub(in crate::store) first: Option<RunId>,
}

/// What [`Tx::finish_plain`] ended, and what that leaves free.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Ended {
    pub(in crate::store) runs: HashSet<RunId>,
    pub(in crate::store) lanes: BTreeSet<LaneKey>,
    /// Whether a queue that has a limit was left.
    pub(in crate::store) limited: bool,
}

/// A run that was found to be due.
#[derive(Clone, Debug)]
pub(in crate::store) struct FoundDue {
    pub(in crate::store) lane: Option<LaneKey>,
    /// Of which schedule, if it is a slot's.
    pub(in crate::store) schedule: Option<ScheduleId>,
}

/// One open transaction. Statements that lock do so in order of id; those that read what a lock protects are
/// separate statements, so that they see what was committed while the lock was waited for.
#[rustfmt::skip]
pub(in crate::store) trait Tx: ScheduleTx {
    /// The time now: asked again each time, since locks may have been waited for.
    fn now(&mut self) -> impl Future<Output = Result<Timestamp>> + Send;

    /// Something may have become ready for a claim: whoever waits for that is told after the commit.
    fn made_ready(&mut self);

    /// A run was put off for so long: whoever frees runs whose time has come is told after the commit.
    fn put_off(&mut self, wait: SignedDuration);

    /// The next statement is the last of the transaction, whatever it answers: its commit need not wait for that, nor need
    /// the word to others that something is ready, if it may have made something so.
    fn commit_with_next(&mut self, _may_make_ready: bool) {}

    // Submission
    fn known_workspaces(&mut self, names: &[WorkspaceName]) -> impl Future<Output = Result<HashSet<WorkspaceName>>> + Send;
    /// Which of these ids runs have already, with their workspace and status: live ones of any workspace, finished
    /// ones of the workspace named with them.
    fn known_runs(&mut self, ids: &[(WorkspaceName, RunId)]) -> impl Future<Output = Result<HashMap<RunId, (WorkspaceName, Status)>>> + Send;
    fn remembered(&mut self, keys: &[(WorkspaceName, IdempotencyKey)]) -> impl Future<Output = Result<Vec<Remembered>>> + Send;
    fn remember(&mut self, requests: &[Remembered]) -> impl Future<Output = Result<()>> + Send;
    /// Locks the live runs that have these keys.
    fn keyed_runs(&mut self, keys: &[(WorkspaceName, RunKey)]) -> impl Future<Output = Result<Vec<Run>>> + Send;
    /// Counts live runs, one admission at a time until the commit.
    fn count_live(&mut self) -> impl Future<Output = Result<u64>> + Send;
    /// Inserts plain runs, which are ready at once, except those whose ids are taken; answers which of them came in, and when.
    /// The database gives each its `seq` and its time. It may also refuse all of them as if others had got in the way: then
    /// whoever submits them is to look first.
    fn insert_ready(&mut self, requests: &[NewRun]) -> impl Future<Output = Result<(Vec<bool>, Timestamp)>> + Send;
    /// Inserts live runs in this order; the database gives each its `seq`.
    fn insert_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<()>> + Send;
    /// Inserts runs that ended as they came in; the database gives each its `seq`.
    fn insert_finished(&mut self, runs: &[Run]) -> impl Future<Output = Result<()>> + Send;

    // Runs
    fn lock_runs(&mut self, ids: &[RunId]) -> impl Future<Output = Result<Vec<Run>>> + Send;
    fn lock_finished(&mut self, workspace: &WorkspaceName, ids: &[RunId]) -> impl Future<Output = Result<Vec<Run>>> + Send;
    /// Writes live runs, each only where its row is still at the revision before; answers how many it wrote.
    fn update_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<usize>> + Send;
    /// Moves live runs into history, as [`Tx::update_runs`] writes them.
    fn end_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<usize>> + Send;
    /// Moves finished runs back among the live, as [`Tx::update_runs`] writes them.
    fn revive_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<usize>> + Send;
    fn insert_attempts(&mut self, attempts: &[(RunId, Attempt)]) -> impl Future<Output = Result<()>> + Send;

    // Waiting for other runs
    fn insert_waits(&mut self, waits: &[(RunId, RunId)]) -> impl Future<Output = Result<()>> + Send;
    /// Marks those of these runs that are live, and so locks them; answers with them and their lanes.
    fn mark_awaited(&mut self, upstreams: &[RunId]) -> impl Future<Output = Result<HashMap<RunId, Option<LaneKey>>>> + Send;
    /// The pairs (run, upstream) for these upstream runs.
    fn waits_on(&mut self, upstreams: &[RunId]) -> impl Future<Output = Result<Vec<(RunId, RunId)>>> + Send;
    fn delete_waits(&mut self, waits: &[(RunId, RunId)]) -> impl Future<Output = Result<()>> + Send;
    fn delete_waits_of(&mut self, runs: &[RunId]) -> impl Future<Output = Result<()>> + Send;
    /// Which of these runs still wait for another.
    fn waiting(&mut self, runs: &[RunId]) -> impl Future<Output = Result<HashSet<RunId>>> + Send;

    // Lanes
    /// Locks lanes, making those that are new, and answers with their policies.
    fn lock_lanes(&mut self, lanes: &[LaneKey]) -> impl Future<Output = Result<HashMap<LaneKey, LanePolicy>>> + Send;
    fn set_lane_policy(&mut self, lane: &LaneKey, policy: LanePolicy) -> impl Future<Output = Result<()>> + Send;
    fn insert_holds(&mut self, holds: &[(RunId, LaneKey)]) -> impl Future<Output = Result<()>> + Send;
    /// Ends the holds of these runs; answers with those that held.
    fn delete_holds(&mut self, runs: &[RunId]) -> impl Future<Output = Result<HashSet<RunId>>> + Send;
    fn delete_lane_holds(&mut self, lane: &LaneKey) -> impl Future<Output = Result<usize>> + Send;
    fn lane_fronts(&mut self, lanes: &[LaneKey]) -> impl Future<Output = Result<Vec<Front>>> + Send;
    /// Puts runs that are still ready back behind their lanes; answers with them.
    fn lane_demote(&mut self, runs: &[RunId]) -> impl Future<Output = Result<HashSet<RunId>>> + Send;
    /// Makes runs that are still behind their lanes ready.
    fn lane_promote(&mut self, runs: &[RunId]) -> impl Future<Output = Result<()>> + Send;

    /// Starts those of these runs that are still behind their lanes, of tasks and in queues that the worker serves, the queues
    /// neither paused nor limited, with no grant to be checked; answers with them.
    fn lane_claim(&mut self, runs: &[RunId], request: &ClaimRequest) -> impl Future<Output = Result<Vec<Run>>> + Send;

    // Claiming
    /// Whether there is nothing to adopt, and nothing to claim for whoever asks for this.
    fn is_idle(&mut self, interest: &Interest) -> impl Future<Output = Result<bool>> + Send;
    /// Claims what neither a look around nor a lock has to be waited for, which may be nothing. `None`: a claim as usual waits for
    /// nobody here.
    fn claim_known(&mut self, request: &ClaimRequest) -> impl Future<Output = Result<Option<Claim>>> + Send;
    /// Takes over what was left behind; answers with that, and with what [`Tx::ready_streams`] would.
    fn adopt(&mut self, request: &ClaimRequest) -> impl Future<Output = Result<(Vec<(Run, Timestamp)>, Ready)>> + Send;
    /// The streams that the worker serves, that have something to claim and are not paused: of each workspace as many as are
    /// looked at together.
    fn ready_streams(&mut self, interest: &Interest) -> impl Future<Output = Result<Ready>> + Send;
    /// Locks these limited queues and counts what runs in them.
    fn lock_rooms(&mut self, queues: &[QueueKey]) -> impl Future<Output = Result<Vec<Room>>> + Send;
    /// The places of the first `take` ready runs of each stream, without locking them.
    fn ready_places(&mut self, turns: &[Turn]) -> impl Future<Output = Result<Vec<Place>>> + Send;
    fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> impl Future<Output = Result<Vec<Run>>> + Send;

    // Attempts
    /// Extends leases, without waiting for a locked run; leaves out those that are lost.
    fn renew(&mut self, leases: &[Renew], ttl: SignedDuration) -> impl Future<Output = Result<HashMap<Lease, Renewal>>> + Send;
    /// Ends those held attempts that succeeded and that no other run waits for; answers with them.
    fn finish_plain(&mut self, finishes: &[&Finish]) -> impl Future<Output = Result<Ended>> + Send;
    /// Whether one of these queues has a limit.
    fn any_limited(&mut self, queues: &[QueueKey]) -> impl Future<Output = Result<bool>> + Send;
    /// Adds events to a run that is locked; answers with the last sequence number.
    fn append(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) -> impl Future<Output = Result<i64>> + Send;

    // Access
    /// Stores a token, unless there is one with its id or its hash.
    fn insert_token(&mut self, token: &Token, hash: &TokenHash) -> impl Future<Output = Result<bool>> + Send;
    fn token_exists(&mut self, token: TokenId) -> impl Future<Output = Result<bool>> + Send;
    /// Revokes a token that is not revoked.
    fn revoke_token(&mut self, token: TokenId) -> impl Future<Output = Result<bool>> + Send;

    // Maintenance
    fn reap(&mut self, limit: usize) -> impl Future<Output = Result<Vec<RunId>>> + Send;
    /// Frees runs that are due.
    fn promote(&mut self, limit: usize) -> impl Future<Output = Result<Vec<FoundDue>>> + Send;
    /// How long it is until the next run that waits for its time is due.
    fn next_due(&mut self) -> impl Future<Output = Result<Option<SignedDuration>>> + Send;
    /// Locks attempts past their time that nobody else has locked.
    fn overdue_runs(&mut self, grace: SignedDuration, limit: usize) -> impl Future<Output = Result<Vec<Run>>> + Send;
    fn prune_finished(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_idempotency(&mut self, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_workers(&mut self, retention: &Retention) -> impl Future<Output = Result<usize>> + Send;
    fn prune_audit(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_lanes(&mut self, limit: usize) -> impl Future<Output = Result<()>> + Send;
}
