//! Operations as data, small enough to read and to shrink.
//!
//! Runs and leases are named by how many came after them: 0 is the latest. Where there are fewer, the count wraps,
//! so that a shorter sequence still means something.

use proptest::prelude::*;
use runlane::run::lifecycle::{Command, Release, Retry};
use runlane::run::{Due, KeyMode};
use runlane::store::{EventKind, LanePolicy};

use jiff::SignedDuration;

use super::schedules::{Ask, ask};

/// How many ids there are for tokens, and how many secrets: few, so that they meet.
pub(crate) const TOKENS: u8 = 4;

#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// The clock jumps, by so many milliseconds.
    Pass(u32),
    Submit(Vec<Wanted>, Option<u64>),
    Claim(Wants),
    /// Each lease, and how many milliseconds ago its run began, if that is to be said.
    Renew(Vec<(LeaseRef, Option<u32>)>, u32),
    /// Each lease, how it ends, the draw, and how many milliseconds ago it began.
    Finish(Vec<(LeaseRef, Ends, u32, u32)>),
    Release(Vec<(LeaseRef, Release)>),
    Append(Vec<(LeaseRef, EventKind)>),
    Command(Vec<RunRef>, Command, Option<u64>),
    Rerun(RunRef, Option<u64>),
    Reap,
    Promote,
    Expire(u32),
    /// Keeps finished runs, workers, and the audit log, for so many milliseconds.
    Prune(u32, u32, u32),
    LanePolicy(u8, u8, LanePolicy),
    ReleaseLane(u8, u8),
    /// In which workspace, which queue, whether to pause, which limit to set.
    Queue(u8, u8, Option<bool>, Option<Option<u32>>),
    /// Which worker, how busy it is, whether it is leaving.
    Heartbeat(u8, u32, bool),
    Drain(u8),
    Leave(u8),
    /// Which token, where, with which secret, for how many milliseconds.
    CreateToken(u8, Option<u8>, u8, Option<u32>),
    RevokeToken(u8),
    /// Somebody did something, here or everywhere; so many times.
    Audit(Option<u8>, u8),
    /// What is asked of schedules and grants.
    Schedules(Ask),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RunRef {
    /// So many runs were named after it.
    Back(u8),
    /// One that does not exist.
    Unknown,
}

/// So many leases were given after it; and whether the epoch is off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeaseRef(pub(crate) u8, pub(crate) i8);

#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) workspace: u8,
    pub(crate) queue: u8,
    pub(crate) lane: Option<u8>,
    pub(crate) priority: i16,
    pub(crate) due: Due,
    pub(crate) hold: bool,
    pub(crate) after: Vec<RunRef>,
    pub(crate) key: Option<(u8, KeyMode)>,
    /// A key and a fingerprint.
    pub(crate) idempotency: Option<(u8, u8)>,
    pub(crate) max_attempts: u16,
    pub(crate) timeout_seconds: Option<u32>,
    pub(crate) start_within: Option<u32>,
    /// Whether it takes the id of an earlier run.
    pub(crate) same_id: Option<u8>,
}

/// Shows only what is out of the ordinary.
impl std::fmt::Debug for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Wanted");
        let mut show = |unusual: bool, name, value: &dyn std::fmt::Debug| {
            if unusual {
                shown.field(name, value);
            }
        };
        show(self.workspace > 0, "workspace", &self.workspace);
        show(self.queue > 0, "queue", &self.queue);
        show(self.lane.is_some(), "lane", &self.lane);
        show(self.priority != 0, "priority", &self.priority);
        show(self.due != Due::Now, "due", &self.due);
        show(self.hold, "hold", &self.hold);
        show(!self.after.is_empty(), "after", &self.after);
        show(self.key.is_some(), "key", &self.key);
        show(self.idempotency.is_some(), "idempotency", &self.idempotency);
        show(self.max_attempts != 1, "max_attempts", &self.max_attempts);
        show(self.timeout_seconds.is_some(), "timeout_seconds", &self.timeout_seconds);
        show(self.start_within.is_some(), "start_within", &self.start_within);
        show(self.same_id.is_some(), "same_id", &self.same_id);
        shown.finish()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Wants {
    pub(crate) worker: u8,
    /// All when there are none.
    pub(crate) queues: Vec<u8>,
    /// It has only tasks that no run is of.
    pub(crate) lacks_task: bool,
    pub(crate) capacity: usize,
    pub(crate) ttl_ms: u32,
    /// Whose turn was last; `None` to go on from the claim before.
    pub(crate) last_turn: Option<u8>,
    /// To lease ahead of the start: how many ready runs to spare.
    pub(crate) ahead: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Ends {
    Succeeded(Option<u8>),
    Failed(Retry),
    TimedOut,
    Cancelled,
    Paused,
    Lost,
    /// What ran of it has stopped so many seconds from now.
    Missing(u8),
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        5 => prop::sample::select(vec![0, 1, 500, 2_000, 11_000, 61_000, 100_000]).prop_map(Op::Pass),
        8 => (prop::collection::vec(wanted(), 1..4), queue_size()).prop_map(|(runs, size)| Op::Submit(runs, size)),
        8 => wants().prop_map(Op::Claim),
        2 => (prop::collection::vec((lease(), prop::option::of(ago())), 1..3), ttl())
            .prop_map(|(leases, ttl)| Op::Renew(leases, ttl)),
        6 => prop::collection::vec((lease(), ends(), any::<u32>(), ago()), 1..4).prop_map(Op::Finish),
        2 => prop::collection::vec((lease(), release()), 1..3).prop_map(Op::Release),
        1 => prop::collection::vec((lease(), event()), 1..3).prop_map(Op::Append),
        6 => (prop::collection::vec(run(), 1..4), command(), queue_size())
            .prop_map(|(runs, command, size)| Op::Command(runs, command, size)),
        1 => (run(), queue_size()).prop_map(|(run, size)| Op::Rerun(run, size)),
        2 => Just(Op::Reap),
        3 => Just(Op::Promote),
        1 => (0..3_000u32).prop_map(Op::Expire),
        1 => (keep(), keep(), keep()).prop_map(|(finished, workers, audit)| Op::Prune(finished, workers, audit)),
        2 => (0..2u8, 0..2u8, policy()).prop_map(|(workspace, lane, policy)| Op::LanePolicy(workspace, lane, policy)),
        1 => (0..2u8, 0..2u8).prop_map(|(workspace, lane)| Op::ReleaseLane(workspace, lane)),
        2 => (0..2u8, 0..2u8, prop::option::of(any::<bool>()), limit())
            .prop_map(|(workspace, queue, paused, limit)| Op::Queue(workspace, queue, paused, limit)),
        2 => (0..3u8, 0..3u32, prop::bool::weighted(0.2))
            .prop_map(|(worker, busy, leaving)| Op::Heartbeat(worker, busy, leaving)),
        1 => (0..3u8).prop_map(Op::Drain),
        1 => (0..3u8).prop_map(Op::Leave),
        1 => (0..TOKENS, prop::option::of(0..3u8), 0..TOKENS, prop::option::of(keep()))
            .prop_map(|(token, workspace, secret, expiry)| Op::CreateToken(token, workspace, secret, expiry)),
        1 => (0..TOKENS).prop_map(Op::RevokeToken),
        1 => (prop::option::of(0..2u8), 0..4u8).prop_map(|(workspace, times)| Op::Audit(workspace, times)),
        8 => ask().prop_map(Op::Schedules),
    ]
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let place = (prop_oneof![9 => 0..2u8, 1 => Just(9u8)], 0..2u8, prop::option::of(0..2u8), priority());
    let time = (due(), prop::bool::weighted(0.1), prop::collection::vec(run(), 0..3), 1..4u16);
    let names = (
        prop::option::weighted(0.25, (0..2u8, key_mode())),
        prop::option::weighted(0.2, (0..3u8, 0..2u8)),
        prop::option::weighted(0.3, 1..4u32),
        prop::option::weighted(0.05, 0..8u8),
        prop::option::weighted(0.2, 1..20u32),
    );
    (place, time, prop::bool::weighted(0.3), names).prop_map(|(place, time, waits, names)| Wanted {
        workspace: place.0,
        queue: place.1,
        lane: place.2,
        priority: place.3,
        due: time.0,
        hold: time.1,
        after: if waits { time.2 } else { Vec::new() },
        key: names.0,
        idempotency: names.1,
        max_attempts: time.3,
        timeout_seconds: names.2,
        same_id: names.3,
        start_within: names.4,
    })
}

fn wants() -> impl Strategy<Value = Wants> {
    let queues = prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(0..2u8, 1..2)];
    let ahead = prop::option::weighted(0.3, 0..3usize);
    (0..4u8, queues, prop::bool::weighted(0.2), 0..5usize, ttl(), prop::option::weighted(0.2, 0..3u8), ahead).prop_map(
        |(worker, queues, lacks_task, capacity, ttl_ms, last_turn, ahead)| Wants {
            worker,
            queues,
            lacks_task,
            capacity,
            ttl_ms,
            last_turn,
            ahead,
        },
    )
}

/// Milliseconds since work began: now, lately, or before it can have been claimed.
fn ago() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![0, 300, 1_000, 1_000_000])
}

fn run() -> impl Strategy<Value = RunRef> {
    prop_oneof![19 => (0..12u8).prop_map(RunRef::Back), 1 => Just(RunRef::Unknown)]
}

fn lease() -> impl Strategy<Value = LeaseRef> {
    (0..6u8, prop_oneof![8 => Just(0i8), 1 => Just(-1i8), 1 => Just(1i8)]).prop_map(|(back, off)| LeaseRef(back, off))
}

fn ends() -> impl Strategy<Value = Ends> {
    let retry = prop_oneof![
        Just(Retry::Backoff),
        Just(Retry::Never),
        Just(Retry::After(SignedDuration::ZERO)),
        Just(Retry::After(SignedDuration::from_secs(2))),
        Just(Retry::Later(None)),
        Just(Retry::Later(Some(SignedDuration::ZERO))),
        Just(Retry::Later(Some(SignedDuration::from_secs(2)))),
    ];
    prop_oneof![
        4 => prop::option::of(0..3u8).prop_map(Ends::Succeeded),
        3 => retry.prop_map(Ends::Failed),
        1 => Just(Ends::TimedOut),
        1 => Just(Ends::Cancelled),
        1 => Just(Ends::Paused),
        1 => Just(Ends::Lost),
        1 => (0..4u8).prop_map(Ends::Missing),
    ]
}

fn release() -> impl Strategy<Value = Release> {
    prop::sample::select(vec![Release::ForAdoption, Release::ToQueue, Release::ToPaused, Release::Unbegun])
}

fn event() -> impl Strategy<Value = EventKind> {
    prop::sample::select(vec![EventKind::Log, EventKind::Progress, EventKind::Usage])
}

fn command() -> impl Strategy<Value = Command> {
    prop::sample::select(vec![Command::Cancel, Command::Pause, Command::Resume, Command::Enqueue, Command::Dismiss])
}

fn policy() -> impl Strategy<Value = LanePolicy> {
    prop_oneof![2 => Just(LanePolicy::Hold), 1 => Just(LanePolicy::Continue)]
}

fn key_mode() -> impl Strategy<Value = KeyMode> {
    prop::sample::select(vec![KeyMode::Keep, KeyMode::Replace, KeyMode::PreserveAvailableAt])
}

fn due() -> impl Strategy<Value = Due> {
    prop_oneof![4 => Just(Due::Now), 1 => Just(Due::After(SignedDuration::from_secs(2)))]
}

fn priority() -> impl Strategy<Value = i16> {
    prop_oneof![3 => Just(0i16), 1 => prop::sample::select(vec![-5i16, 5])]
}

fn queue_size() -> impl Strategy<Value = Option<u64>> {
    prop::option::weighted(0.15, 1..10u64)
}

fn limit() -> impl Strategy<Value = Option<Option<u32>>> {
    prop::option::of(prop::option::weighted(0.8, 0..3u32))
}

fn ttl() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![10_000u32, 1_000])
}

fn keep() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![0u32, 5_000, 90_000])
}
