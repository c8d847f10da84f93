//! A schedule: work that is to be done again and again.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

use super::Timing;
use crate::clock::later;
use crate::run::{
    Due, GrantId, Json, KeyMode, LaneName, NewRun, Priority, QueueName, RetryPolicy, RunId, RunKey, ScheduleId,
    Scheduled, StartBy, TaskName, WorkspaceName, names,
};

names! {
    /// What people call a schedule.
    ScheduleName, "name";
}

/// What is to be done, and when.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ScheduleSpec {
    /// What people call it.
    pub name: ScheduleName,
    /// When it is due.
    pub timing: Timing,
    /// What happens when it is due and the run before has not ended.
    pub overlap: Overlap,
    /// How many missed slots are made up for at most, the latest of them.
    pub catch_up_limit: u16,
    /// How late a run may start at most; later, it is not started at all.
    pub start_within_seconds: Option<NonZeroU32>,
    /// By how much a slot's run may be put off, so that not everything begins on the hour.
    pub jitter_seconds: u32,
    /// The kind of work.
    pub task: TaskName,
    /// The input of each run.
    pub payload: Json,
    /// The stream they join.
    pub queue: QueueName,
    /// Their serial key. Without one, those that may not overlap share a lane of their own.
    pub lane: Option<LaneName>,
    /// Higher goes first.
    pub priority: Priority,
    /// How many attempts each has.
    pub max_attempts: NonZeroU16,
    /// How long one attempt may take.
    pub timeout_seconds: Option<NonZeroU32>,
    /// How long to wait between attempts, where the default does not do.
    pub retry: Option<RetryPolicy>,
    /// The caller's notes, on every run.
    pub metadata: Option<Json>,
}

/// What happens when a slot is due and the run before it has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The slot is skipped: the next one follows the end of the run before.
    #[default]
    Forbid,
    /// Both run.
    Allow,
    /// The run before is cancelled, and the new one starts when it has stopped.
    Replace,
}

/// A schedule to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSchedule {
    /// Chosen by the caller, so that an ambiguous answer can be settled by asking again.
    pub id: ScheduleId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// What is to be done, and when.
    pub spec: ScheduleSpec,
    /// Under which permission.
    pub grant: GrantId,
    /// Whether it begins at once.
    pub enabled: bool,
}

/// A schedule as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its id.
    pub id: ScheduleId,
    /// The tenant.
    pub workspace: WorkspaceName,
    /// What is to be done, and when.
    pub spec: ScheduleSpec,
    /// Under which permission.
    pub grant: GrantId,
    /// Why it is not at work; `None` if it is.
    pub disabled: Option<Disabled>,
    /// The run that brings the next one, by starting or by ending.
    pub head: Option<Head>,
    /// The latest slot whose run has started, or ended before it could.
    pub last_slot: Option<Timestamp>,
    /// When it was made, resumed or last given other times: no slot before that is owed.
    pub since: Timestamp,
    /// Rises by one with every edit.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last edited, enabled or disabled.
    pub updated_at: Timestamp,
}

/// The run at the end of a schedule's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which one.
    pub run: RunId,
    /// Its slot.
    pub slot: Timestamp,
}

/// Why a schedule is not at work.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Disabled {
    /// Stable: `paused`, `completed`, `grant_expired`, `grant_revoked`, `grant_scope`.
    pub code: String,
    /// What happened, in a sentence.
    pub message: String,
}

impl Disabled {
    /// Somebody asked for it.
    pub fn paused() -> Self {
        Self { code: "paused".into(), message: "paused by a caller".into() }
    }

    /// Whether it is because there are no more slots.
    pub fn is_completed(&self) -> bool {
        *self == Self::completed()
    }

    /// There are no more slots.
    pub fn completed() -> Self {
        Self { code: "completed".into(), message: "its last slot is over".into() }
    }
}

impl Schedule {
    /// The schedule that is made of a request; its chain is yet to begin.
    pub fn new(request: &NewSchedule, now: Timestamp) -> Self {
        Self {
            id: request.id,
            workspace: request.workspace.clone(),
            spec: request.spec.clone(),
            grant: request.grant,
            disabled: (!request.enabled).then(Disabled::paused),
            head: None,
            last_slot: None,
            since: now,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether its runs would be the same as those of `other`, whatever it is called.
    pub fn brings_the_same_runs(&self, other: &Schedule) -> bool {
        let renamed = ScheduleSpec { name: other.spec.name.clone(), ..self.spec.clone() };
        renamed == other.spec && self.grant == other.grant && self.disabled.is_none() == other.disabled.is_none()
    }

    /// The slot that comes next, as far as can be said now.
    pub fn next_slot(&self, now: Timestamp) -> Option<Timestamp> {
        if self.disabled.is_some() {
            return None;
        }
        match self.head {
            Some(head) if self.last_slot.is_none_or(|last| last < head.slot) => Some(head.slot),
            _ => self.spec.timing.next_after(self.last_slot.map_or(now, |last| last.max(now))),
        }
    }

    /// The run of a slot, as it is submitted at `now`.
    pub fn run_of_slot(&self, slot: Timestamp, now: Timestamp) -> NewRun {
        // Edited, it is another run, even of the same slot and at the same time.
        let mut run = self.run_now(id_of(self.id, slot, Some(self.version), now));
        run.due = Due::At(self.due(slot));
        run.start_by = self.spec.start_within_seconds.map(StartBy::Within);
        // Ids and times are short and printable, so this is always a name.
        run.key = RunKey::parse(format!("{}:{slot}", self.id)).ok().map(|key| (key, KeyMode::Keep));
        run.scheduled = Some(Scheduled { schedule: self.id, slot: Some(slot), grant: self.grant });
        run
    }

    /// A run outside of all slots, because somebody asked for it.
    pub fn run_now(&self, id: RunId) -> NewRun {
        let spec = &self.spec;
        let own_lane = || LaneName::parse(format!("schedule:{}", self.id)).ok();
        NewRun {
            id,
            workspace: self.workspace.clone(),
            queue: spec.queue.clone(),
            lane: spec.lane.clone().or_else(|| if spec.overlap == Overlap::Allow { None } else { own_lane() }),
            priority: spec.priority,
            metadata: spec.metadata.clone(),
            max_attempts: spec.max_attempts,
            timeout_seconds: spec.timeout_seconds,
            retry: spec.retry,
            scheduled: Some(Scheduled { schedule: self.id, slot: None, grant: self.grant }),
            ..NewRun::of(spec.task.clone(), spec.payload.clone())
        }
    }

    /// When a slot's run is due: the same whenever it is asked.
    pub fn due(&self, slot: Timestamp) -> Timestamp {
        let spread = u64::from(self.spec.jitter_seconds) * 1_000_000;
        let digest = digest(self.id, slot, 0);
        let draw = u64::from_be_bytes([
            digest[16], digest[17], digest[18], digest[19], digest[20], digest[21], digest[22], digest[23],
        ]);
        let micros = draw.checked_rem(spread).unwrap_or_default();
        later(slot, SignedDuration::from_micros(micros as i64))
    }

    /// Whether a run that is to start now would start too late.
    pub fn is_too_late(&self, slot: Timestamp, now: Timestamp) -> bool {
        let patience = |seconds: NonZeroU32| SignedDuration::from_secs(seconds.get().into());
        self.spec.start_within_seconds.is_some_and(|seconds| later(self.due(slot), patience(seconds)) <= now)
    }
}

/// The bit after the time of an id.
const FIRST_RANDOM_BIT: u8 = 0x08;

/// An id for what is made at `now` of a slot: in order of time as others, and the same on every database. A record of
/// skipped slots, which has no `version`, comes before the run made at the same instant, whose slot is later.
pub(super) fn id_of(schedule: ScheduleId, slot: Timestamp, version: Option<i64>, now: Timestamp) -> RunId {
    let digest = digest(schedule, slot, version.unwrap_or_default());
    let mut random = [0; 10];
    random.copy_from_slice(&digest[..10]);
    match version {
        Some(_) => random[0] |= FIRST_RANDOM_BIT,
        None => random[0] &= !FIRST_RANDOM_BIT,
    }
    let millis = u64::try_from(now.as_millisecond()).unwrap_or_default();
    RunId(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
}

fn digest(schedule: ScheduleId, slot: Timestamp, version: i64) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(schedule.0.as_bytes());
    hash.update(slot.as_microsecond().to_be_bytes());
    hash.update(version.to_be_bytes());
    hash.finalize().into()
}
