//! Makes a schedule of what a caller sent, and changes one by it.

use jiff::Timestamp;

use crate::actions::{Catalog, TimingRequest, plan_timing};
use crate::http::api::retry;
use crate::http::dto::{NewSchedule, ScheduleChange};
use crate::http::problem::{Code, Problem};
use crate::run::{Json, NewRun};
use crate::schedule::{Overlap, Schedule, ScheduleName, ScheduleSpec, Timing};

const MOST_CATCH_UP: u16 = 1000;
const MOST_JITTER_SECONDS: u32 = 86_400;

/// What is to be done, and when, by a new schedule.
pub(super) fn spec(catalog: &dyn Catalog, body: &NewSchedule, now: Timestamp) -> Result<ScheduleSpec, Problem> {
    let timing = TimingRequest {
        cron: body.cron.clone(),
        timezone: body.timezone.clone(),
        dst: body.dst,
        every_seconds: body.every_seconds,
        starts_at: body.starts_at,
        at: body.at,
    };
    let timing = plan_timing(&timing, now, now)?;
    let payload = body.payload.clone().unwrap_or_else(Json::null);
    let defaults = catalog.admit(&body.task, &payload)?;
    let usual = NewRun::of(body.task.clone(), payload);
    let spec = ScheduleSpec {
        name: body.name.clone().map_or_else(|| named_after(&body.task), Ok)?,
        timing,
        overlap: body.overlap.unwrap_or_default(),
        catch_up_limit: body.catch_up_limit.unwrap_or_default(),
        starting_deadline_seconds: body.starting_deadline_seconds,
        jitter_seconds: body.jitter_seconds.unwrap_or_default(),
        queue: body.queue.clone().or(defaults.queue).unwrap_or(usual.queue),
        lane: body.lane.clone(),
        priority: body.priority.unwrap_or_default(),
        max_attempts: body.max_attempts.or(defaults.max_attempts).unwrap_or(usual.max_attempts),
        timeout_seconds: body.timeout_seconds.or(defaults.timeout_seconds),
        retry: retry::policy(body.retry, defaults.retry)?,
        metadata: body.metadata.clone(),
        task: usual.task,
        payload: usual.payload,
    };
    check(&spec)?;
    Ok(spec)
}

/// What is to be done, and when, by a schedule that is changed.
pub(super) fn changed(
    catalog: &dyn Catalog,
    seen: &Schedule,
    change: &ScheduleChange,
    now: Timestamp,
) -> Result<ScheduleSpec, Problem> {
    if let Some(version) = change.version.filter(|version| *version != seen.version) {
        let detail =
            format!("the schedule is at version {}, but the change is based on version {version}", seen.version);
        return Err(Problem::new(Code::VersionConflict, detail)
            .field("version")
            .hint("read the schedule again and repeat the change"));
    }
    let mut spec = seen.spec.clone();
    if let Some(timing) = timing(&seen.spec.timing, change) {
        let anchor = match seen.spec.timing {
            Timing::Every { from, .. } => from,
            _ => now,
        };
        spec.timing = plan_timing(&timing, anchor, now)?;
    }
    if let Some(task) = &change.task {
        spec.task = task.clone();
    }
    if let Some(payload) = &change.payload {
        spec.payload = payload.clone().unwrap_or_else(Json::null);
    }
    if let Some(name) = &change.name {
        spec.name = name.clone().map_or_else(|| named_after(&spec.task), Ok)?;
    }
    by_the_catalog(catalog, change, &mut spec)?;
    set(&change.lane, &mut spec.lane);
    set_or_default(&change.priority, &mut spec.priority);
    set_or_default(&change.overlap, &mut spec.overlap);
    set_or_default(&change.catch_up_limit, &mut spec.catch_up_limit);
    set_or_default(&change.jitter_seconds, &mut spec.jitter_seconds);
    set(&change.starting_deadline_seconds, &mut spec.starting_deadline_seconds);
    set(&change.metadata, &mut spec.metadata);
    check(&spec)?;
    Ok(spec)
}

/// When it is due from now on, if that changes. A zone alone is that of the expression there is.
fn timing(seen: &Timing, change: &ScheduleChange) -> Option<TimingRequest> {
    let ScheduleChange { cron, timezone, dst, every_seconds, starts_at, at, .. } = change;
    let anew = cron.is_some() || every_seconds.is_some() || at.is_some();
    if !anew && timezone.is_none() && dst.is_none() && starts_at.is_none() {
        return None;
    }
    let mut request = TimingRequest {
        cron: cron.clone(),
        timezone: timezone.clone().flatten(),
        dst: dst.flatten(),
        every_seconds: *every_seconds,
        starts_at: *starts_at,
        at: *at,
    };
    match seen {
        Timing::Cron { cron, zone, dst } if every_seconds.is_none() && at.is_none() => {
            request.cron = request.cron.or_else(|| Some(cron.as_str().to_owned()));
            if change.timezone.is_none() {
                request.timezone = Some(zone.as_str().to_owned());
            }
            if change.dst.is_none() {
                request.dst = Some(*dst);
            }
        }
        Timing::Every { seconds, .. } if !anew && starts_at.is_some() => request.every_seconds = Some(*seconds),
        Timing::Once { at } if !anew => request.at = Some(*at),
        _ => {}
    }
    Some(request)
}

/// What the task has to say, where the change gives it reason to.
fn by_the_catalog(catalog: &dyn Catalog, change: &ScheduleChange, spec: &mut ScheduleSpec) -> Result<(), Problem> {
    let left_to_the_task = change.queue == Some(None)
        || change.max_attempts == Some(None)
        || change.timeout_seconds == Some(None)
        || change.retry.is_some();
    if change.task.is_some() || change.payload.is_some() || left_to_the_task {
        let defaults = catalog.admit(&spec.task, &spec.payload)?;
        let usual = NewRun::of(spec.task.clone(), spec.payload.clone());
        if change.task.is_some() || change.retry.is_some() {
            spec.retry = retry::policy(change.retry.flatten(), defaults.retry)?;
        }
        if change.queue == Some(None) {
            spec.queue = defaults.queue.unwrap_or(usual.queue);
        }
        if change.max_attempts == Some(None) {
            spec.max_attempts = defaults.max_attempts.unwrap_or(usual.max_attempts);
        }
        if change.timeout_seconds == Some(None) {
            spec.timeout_seconds = defaults.timeout_seconds;
        }
    }
    if let Some(Some(queue)) = &change.queue {
        spec.queue = queue.clone();
    }
    if let Some(Some(attempts)) = change.max_attempts {
        spec.max_attempts = attempts;
    }
    if let Some(Some(seconds)) = change.timeout_seconds {
        spec.timeout_seconds = Some(seconds);
    }
    Ok(())
}

/// What the types alone do not say.
fn check(spec: &ScheduleSpec) -> Result<(), Problem> {
    let invalid = |field: &str, detail: String| Err(Problem::new(Code::InvalidField, detail).field(field));
    if spec.metadata.as_ref().is_some_and(|metadata| !metadata.as_str().starts_with('{')) {
        return invalid("metadata", "metadata must be an object".into());
    }
    if spec.task.as_str().ends_with('*') {
        // In a grant that would stand for every task that begins so.
        return invalid("task", "the task of a schedule may not end in *".into());
    }
    if spec.timeout_seconds.is_some_and(|seconds| i32::try_from(seconds.get()).is_err()) {
        return invalid("timeout_seconds", format!("a time limit may be at most {} s", i32::MAX));
    }
    if spec.catch_up_limit > MOST_CATCH_UP {
        return invalid("catch_up_limit", format!("{} slots; give 0 to {MOST_CATCH_UP}", spec.catch_up_limit));
    }
    if spec.jitter_seconds > MOST_JITTER_SECONDS {
        return invalid("jitter_seconds", format!("{} s; give 0 to {MOST_JITTER_SECONDS}", spec.jitter_seconds));
    }
    if spec.overlap == Overlap::Replace && spec.catch_up_limit > 0 {
        let detail = "catch_up_limit cannot be combined with overlap replace: each run would cancel the previous one";
        return Err(Problem::new(Code::ConflictingFields, detail)
            .field("catch_up_limit")
            .hint("leave the field out, or choose forbid or allow"));
    }
    Ok(())
}

fn named_after(task: &crate::run::TaskName) -> Result<ScheduleName, Problem> {
    ScheduleName::parse(task.as_str())
        .map_err(|error| Problem::new(Code::InvalidField, error.to_string()).field("name"))
}

fn set<T: Clone>(given: &Option<Option<T>>, field: &mut Option<T>) {
    if let Some(value) = given {
        *field = value.clone();
    }
}

fn set_or_default<T: Clone + Default>(given: &Option<Option<T>>, field: &mut T) {
    if let Some(value) = given {
        *field = value.clone().unwrap_or_default();
    }
}
