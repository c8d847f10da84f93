//! Makes a schedule of what a caller sent, and changes one by it.

use jiff::Timestamp;

use crate::actions::{Catalog, Naming, SchedulePlan, TimingRequest, check_schedule, check_schedule_name, plan_timing};
use crate::http::api::retry;
use crate::http::dto::{NewSchedule, ScheduleChange};
use crate::http::problem::{Code, Problem};
use crate::run::{Json, NewRun};
use crate::schedule::{Schedule, ScheduleName, ScheduleSpec, Timing};

/// What is to be done, and when, by a new schedule.
pub(super) fn spec(
    catalog: &dyn Catalog,
    body: &NewSchedule,
    now: Timestamp,
) -> Result<(ScheduleSpec, Naming), Problem> {
    let (name, naming) = match &body.name {
        Some(name) => (name.clone(), Naming::AsGiven),
        None => (named_after(&body.task)?, Naming::AfterTask),
    };
    if naming == Naming::AsGiven {
        check_schedule_name(&name)?;
    }
    Ok((plan(body).spec(catalog, name, None, now)?, naming))
}

/// What the caller wrote.
pub(super) fn plan(body: &NewSchedule) -> SchedulePlan {
    SchedulePlan {
        task: body.task.clone(),
        payload: body.payload.clone(),
        queue: body.queue.clone(),
        lane: body.lane.clone(),
        priority: body.priority,
        max_attempts: body.max_attempts,
        timeout_seconds: body.timeout_seconds,
        retry: body.retry.map(retry::request),
        metadata: body.metadata.clone(),
        timing: TimingRequest {
            cron: body.cron.clone(),
            timezone: body.timezone.clone(),
            dst: body.dst,
            every_seconds: body.every_seconds,
            starts_at: body.starts_at,
            at: body.at,
        },
        overlap: body.overlap,
        catch_up_limit: body.catch_up_limit,
        start_within_seconds: body.start_within_seconds,
        jitter_seconds: body.jitter_seconds,
    }
}

/// What is to be done, and when, by a schedule that is changed.
pub(super) fn changed(
    catalog: &dyn Catalog,
    seen: &Schedule,
    change: &ScheduleChange,
    now: Timestamp,
) -> Result<(ScheduleSpec, Naming), Problem> {
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
    let naming = if change.name == Some(None) { Naming::AfterTask } else { Naming::AsGiven };
    if naming == Naming::AsGiven && spec.name != seen.spec.name {
        check_schedule_name(&spec.name)?;
    }
    by_the_catalog(catalog, change, &mut spec)?;
    set(&change.lane, &mut spec.lane);
    set_or_default(&change.priority, &mut spec.priority);
    set_or_default(&change.overlap, &mut spec.overlap);
    set_or_default(&change.catch_up_limit, &mut spec.catch_up_limit);
    set_or_default(&change.jitter_seconds, &mut spec.jitter_seconds);
    set(&change.start_within_seconds, &mut spec.start_within_seconds);
    set(&change.metadata, &mut spec.metadata);
    check_schedule(&spec)?;
    Ok((spec, naming))
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
