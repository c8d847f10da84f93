//! Makes what a schedule does of what a caller wrote, or says which field is wrong and what to write instead.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;

use super::{Catalog, Refusal, RetryRequest, TimingMistake, TimingRefusal, TimingRequest, plan_retry, plan_timing};
use crate::clock::to_micros;
use crate::run::{Json, LaneName, NewRun, Priority, QueueName, ScheduleId, TaskName};
use crate::schedule::{Overlap, ScheduleName, ScheduleSpec, Timing};

const MOST_CATCH_UP: u16 = 1000;
const MOST_JITTER_SECONDS: u32 = 86_400;

/// What a schedule is to do, as a caller writes it: what is `None` is left to the task and to defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulePlan {
    /// The kind of work.
    pub task: TaskName,
    /// The input of each run.
    pub payload: Option<Json>,
    /// The stream they join.
    pub queue: Option<QueueName>,
    /// Their serial key.
    pub lane: Option<LaneName>,
    /// Higher goes first.
    pub priority: Option<Priority>,
    /// How many attempts each has.
    pub max_attempts: Option<NonZeroU16>,
    /// How long one attempt may take.
    pub timeout_seconds: Option<NonZeroU32>,
    /// How long to wait between attempts.
    pub retry: Option<RetryRequest>,
    /// The caller's notes, on every run.
    pub metadata: Option<Json>,
    /// When it is due.
    pub timing: TimingRequest,
    /// What happens when it is due and the run before has not ended.
    pub overlap: Option<Overlap>,
    /// How many missed slots are made up for at most.
    pub catch_up_limit: Option<u16>,
    /// How late a run may start at most.
    pub start_within_seconds: Option<NonZeroU32>,
    /// By how much a slot's run may be put off.
    pub jitter_seconds: Option<u32>,
}

/// Why no schedule can be made of a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanRefusal {
    /// A field cannot be used.
    #[error("{}; {}", .0, .0.hint)]
    Field(#[from] TimingRefusal),
    /// The task does not exist here, or does not take the payload.
    #[error(transparent)]
    Task(#[from] Refusal),
}

impl SchedulePlan {
    /// Nothing but the task and when it is due.
    pub fn of(task: TaskName, timing: TimingRequest) -> Self {
        Self {
            task,
            timing,
            payload: None,
            queue: None,
            lane: None,
            priority: None,
            max_attempts: None,
            timeout_seconds: None,
            retry: None,
            metadata: None,
            overlap: None,
            catch_up_limit: None,
            start_within_seconds: None,
            jitter_seconds: None,
        }
    }

    /// What it comes to. Where there is such a schedule, what the plan leaves open and time would decide stays as `seen`: the
    /// first slot of an interval, and an instant that has gone by since.
    pub fn spec(
        &self,
        catalog: &dyn Catalog,
        name: ScheduleName,
        seen: Option<&ScheduleSpec>,
        now: Timestamp,
    ) -> Result<ScheduleSpec, PlanRefusal> {
        let timing = self.timing(seen.map(|seen| &seen.timing), now)?;
        let payload = as_seen(self.payload.clone().unwrap_or_else(Json::null), seen.map(|seen| &seen.payload));
        let seen_metadata = seen.and_then(|seen| seen.metadata.as_ref());
        let metadata = self.metadata.clone().map(|metadata| as_seen(metadata, seen_metadata));
        let defaults = catalog.admit(&self.task, &payload)?;
        let usual = NewRun::of(self.task.clone(), payload);
        let spec = ScheduleSpec {
            name,
            timing,
            overlap: self.overlap.unwrap_or_default(),
            catch_up_limit: self.catch_up_limit.unwrap_or_default(),
            start_within_seconds: self.start_within_seconds,
            jitter_seconds: self.jitter_seconds.unwrap_or_default(),
            queue: self.queue.clone().or(defaults.queue).unwrap_or(usual.queue),
            lane: self.lane.clone(),
            priority: self.priority.unwrap_or_default(),
            max_attempts: self.max_attempts.or(defaults.max_attempts).unwrap_or(usual.max_attempts),
            timeout_seconds: self.timeout_seconds.or(defaults.timeout_seconds),
            retry: plan_retry(self.retry, defaults.retry)?,
            metadata,
            task: usual.task,
            payload: usual.payload,
        };
        check_schedule(&spec)?;
        Ok(spec)
    }

    fn timing(&self, seen: Option<&Timing>, now: Timestamp) -> Result<Timing, TimingRefusal> {
        match seen {
            Some(Timing::Every { from, .. }) => plan_timing(&self.timing, *from, now),
            Some(Timing::Once { at }) if self.timing.at.map(to_micros) == Some(*at) => {
                plan_timing(&self.timing, now, Timestamp::MIN)
            }
            _ => plan_timing(&self.timing, now, now),
        }
    }
}

/// The text that is stored, where the other one says the same with other spaces.
fn as_seen(json: Json, seen: Option<&Json>) -> Json {
    let value = |json: &Json| serde_json::from_str::<serde_json::Value>(json.as_str()).ok();
    match seen.filter(|seen| value(seen) == value(&json)) {
        Some(seen) => seen.clone(),
        None => json,
    }
}

/// What the types alone do not say.
pub fn check_schedule(spec: &ScheduleSpec) -> Result<(), TimingRefusal> {
    let invalid =
        |field, reason: String, hint: String| Err(TimingRefusal { kind: TimingMistake::Invalid, field, reason, hint });
    if spec.metadata.as_ref().is_some_and(|metadata| !metadata.as_str().starts_with('{')) {
        return invalid("metadata", "metadata must be an object".into(), r#"write {"key": "value"}"#.into());
    }
    if spec.task.as_str().ends_with('*') {
        // In a grant that would stand for every task that begins so.
        return invalid("task", "the task of a schedule may not end in *".into(), "name one task".into());
    }
    if spec.timeout_seconds.is_some_and(|seconds| i32::try_from(seconds.get()).is_err()) {
        let reason = format!("a time limit may be at most {} s", i32::MAX);
        return invalid("timeout_seconds", reason, "leave it out for none".into());
    }
    if spec.catch_up_limit > MOST_CATCH_UP {
        let reason = format!("catch_up_limit is {}", spec.catch_up_limit);
        return invalid("catch_up_limit", reason, format!("give 0 to {MOST_CATCH_UP}"));
    }
    if spec.jitter_seconds > MOST_JITTER_SECONDS {
        let reason = format!("jitter_seconds is {}", spec.jitter_seconds);
        return invalid("jitter_seconds", reason, format!("give 0 to {MOST_JITTER_SECONDS}"));
    }
    if spec.overlap == Overlap::Replace && spec.catch_up_limit > 0 {
        return Err(TimingRefusal {
            kind: TimingMistake::Conflict,
            field: "catch_up_limit",
            reason: "catch_up_limit cannot be combined with overlap replace: each run would cancel the previous one"
                .into(),
            hint: "leave the field out, or choose forbid or allow".into(),
        });
    }
    Ok(())
}

/// Whether a schedule may get this name: one that looks like an id, or that no URL can carry, would never be found by it.
pub fn check_schedule_name(name: &ScheduleName) -> Result<(), TimingRefusal> {
    let refused = |reason: String| {
        let hint = "give it a name such as nightly-report".to_owned();
        Err(TimingRefusal { kind: TimingMistake::Invalid, field: "name", reason, hint })
    };
    match name.as_str() {
        text if text.parse::<ScheduleId>().is_ok() => refused(format!("the name {text:?} looks like an id")),
        "." | ".." => refused(format!("the name {:?} means something else in a URL", name.as_str())),
        "preview" => refused("the name \"preview\" is part of the API".to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::actions::AnyTask;

    fn name(text: &str) -> ScheduleName {
        ScheduleName::parse(text).expect("a name")
    }

    fn plan(timing: TimingRequest) -> SchedulePlan {
        SchedulePlan::of(TaskName::parse("report").expect("a name"), timing)
    }

    #[test]
    fn what_time_decided_once_stays_as_it_was_seen() {
        let (now, later) = (Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1000));
        let every = plan(TimingRequest { every_seconds: NonZeroU32::new(60), ..TimingRequest::default() });
        let at = Some(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(10));
        let once = plan(TimingRequest { at, ..TimingRequest::default() });
        for plan in [every, once] {
            let first = plan.spec(&AnyTask, name("a"), None, now).expect("a spec");
            assert_eq!(plan.spec(&AnyTask, name("a"), Some(&first), later).expect("a spec"), first);
        }
    }

    #[test]
    fn json_with_other_spaces_is_no_change() {
        let mut plan = plan(TimingRequest { cron: Some("@daily".into()), ..TimingRequest::default() });
        plan.payload = Some(Json::parse(r#"{"a": [1, 2]}"#).expect("JSON"));
        let first = plan.spec(&AnyTask, name("a"), None, Timestamp::UNIX_EPOCH).expect("a spec");
        plan.payload = Some(Json::parse(r#"{"a":[1,2]}"#).expect("JSON"));
        let second = plan.spec(&AnyTask, name("a"), Some(&first), Timestamp::UNIX_EPOCH).expect("a spec");
        assert_eq!(second, first);
    }

    #[test]
    fn a_name_that_could_not_be_found_again_is_refused() {
        let id = ScheduleId::new();
        for text in [id.to_string(), id.0.simple().to_string(), ".".into(), "..".into(), "preview".into()] {
            assert_eq!(check_schedule_name(&name(&text)).map_err(|refusal| refusal.field), Err("name"), "{text}");
        }
        for text in ["nightly report", "a/b", "...", "01a1e2c9"] {
            assert_eq!(check_schedule_name(&name(text)), Ok(()));
        }
    }
}
