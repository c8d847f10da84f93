//! Which problem it is when a schedule or a grant is not as it should be.

use super::from::NO_ID;
use super::{Code, Problem};
use crate::actions::{ApplyError, PlanRefusal, TimingMistake, TimingRefusal};
use crate::run::ScheduleId;
use crate::schedule::{ScheduleName, Standing};

impl Problem {
    /// There is no such schedule here.
    pub(in crate::http) fn no_schedule(id: &str) -> Self {
        Self::new(Code::ScheduleNotFound, format!("no schedule {id:?} in this workspace")).hint(NO_ID)
    }

    /// There is no such grant here.
    pub(in crate::http) fn no_grant(id: &str) -> Self {
        Self::new(Code::GrantNotFound, format!("no grant {id:?} in this workspace")).hint(NO_ID)
    }

    /// A schedule is to run under a grant that is not there.
    pub(in crate::http) fn unknown_grant() -> Self {
        Self::new(Code::UnknownGrant, "there is no such grant in this workspace")
            .field("grant_id")
            .hint("name a grant of this workspace, or leave the field out to get your own")
    }

    /// A grant does not allow what is asked.
    pub(in crate::http) fn grant_refused(standing: Standing, task: Option<&str>) -> Self {
        let (code, why) = match standing {
            Standing::OutOfScope => {
                let task = task.map_or("its task".to_owned(), |task| format!("the task {task:?}"));
                (Code::GrantScope, format!("the grant does not allow {task}"))
            }
            Standing::Expired => (Code::GrantExpired, "the grant has expired".to_owned()),
            Standing::Good | Standing::Revoked => (Code::GrantRevoked, "the grant was revoked".to_owned()),
        };
        Self::new(code, why).field("grant_id").hint("give the schedule another grant, with grant_id or grant")
    }

    /// Another schedule has the name.
    pub(in crate::http) fn schedule_exists(name: &ScheduleName, other: ScheduleId) -> Self {
        let detail = format!("there is a schedule called {:?}: {other}", name.as_str());
        Self::new(Code::ScheduleExists, detail).field("name").hint(
            "choose another name, or update that schedule: PUT /v1/schedules/{name}, or `runlane schedules apply`",
        )
    }

    /// The schedule is not at the version that was seen.
    pub(in crate::http) fn outdated(found: Option<i64>, field: &str) -> Self {
        let detail = match found {
            Some(version) => format!("the schedule is at version {version}"),
            None => "there is no schedule of this name".to_owned(),
        };
        Self::new(Code::VersionConflict, detail).field(field).hint("read the schedule again and repeat the change")
    }

    /// There is nothing to go on with.
    pub(in crate::http) fn no_slots() -> Self {
        Self::new(Code::NoSlots, "the schedule has no future slots")
            .hint("give it a new cron, every_seconds or at first")
    }
}

impl From<TimingRefusal> for Problem {
    fn from(refusal: TimingRefusal) -> Self {
        let code = match refusal.kind {
            TimingMistake::Missing => Code::MissingField,
            TimingMistake::Conflict => Code::ConflictingFields,
            TimingMistake::Invalid => Code::InvalidField,
        };
        Self::new(code, refusal.reason).field(refusal.field).hint(refusal.hint)
    }
}

impl From<PlanRefusal> for Problem {
    fn from(refusal: PlanRefusal) -> Self {
        match refusal {
            PlanRefusal::Field(refusal) => refusal.into(),
            PlanRefusal::Task(refusal) => refusal.into(),
        }
    }
}

impl From<ApplyError> for Problem {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Plan(refusal) => refusal.into(),
            ApplyError::Outdated(found) => Self::outdated(found, "If-Match"),
            ApplyError::UnknownWorkspace => Self::no_workspace(),
            ApplyError::UnknownGrant => Self::unknown_grant(),
            ApplyError::GrantRefused(standing) => Self::grant_refused(standing, None),
            ApplyError::NoSlots => Self::no_slots(),
            ApplyError::Store(error) => error.into(),
        }
    }
}
