//! The reasons in words.

use jiff::{SignedDuration, Timestamp};

use super::Reason;
use crate::run::lifecycle::FREE_POSTPONEMENTS;
use crate::run::{HostName, LaneName, QueueName, Run, RunError, RunId, State, Status};
use crate::schedule::Schedule;

fn reason(code: &str, message: impl Into<String>, remedy: impl Into<String>) -> Reason {
    Reason { code: code.into(), message: message.into(), remedy: remedy.into() }
}

/// One sentence for the whole.
pub(super) fn summary(run: &Run, reasons: &[Reason], now: Timestamp) -> String {
    match (&run.state, reasons) {
        (State::Finished { ending, at, .. }, _) => {
            let why = run.error.as_ref().map(|error| format!(": {} ({})", error.message, error.code));
            format!("it {} {} ago{}", ending.status(), span(now.duration_since(*at)), why.unwrap_or_default())
        }
        (State::Running(execution), []) => {
            let since = span(now.duration_since(execution.by.started_at));
            let asked = execution.stop.map(|stop| format!("; asked to {}", stop.as_str()));
            let asked = asked.unwrap_or_default();
            format!("attempt {} has been running on {} for {since}{asked}", run.attempt, execution.by.host)
        }
        (_, []) => "nothing keeps it from starting: the next free worker takes it".into(),
        (_, [only]) => only.message.clone(),
        (_, [first, others @ ..]) => format!("{}, and {} more", first.message, others.len()),
    }
}

pub(super) fn held() -> Reason {
    reason("held", "it was submitted to be held", "enqueue it")
}

pub(super) fn paused(run: &Run) -> Reason {
    let why = run.error.as_ref().map(|error| format!(": {}", error.message)).unwrap_or_default();
    reason("paused", format!("it is paused{why}"), "resume it, or cancel it")
}

pub(super) fn orphaned(host: &HostName, since: Timestamp, now: Timestamp) -> Reason {
    let message = format!("its worker on {host} stopped renewing its lease {} ago", span(now.duration_since(since)));
    let remedy = format!("a worker on {host} adopts it at once, one on another machine after the takeover delay");
    reason("orphaned", message, remedy)
}

pub(super) fn waits_for(id: RunId, status: Option<Status>) -> Reason {
    let status = status.map_or("not known any more".into(), |status| format!("{status}"));
    let remedy = format!("run {id} succeeding; if it ends otherwise, this run fails");
    reason("upstream", format!("it waits for run {id}, which is {status}"), remedy)
}

pub(super) fn grant_refused(error: &RunError, schedule: Option<&Schedule>) -> Reason {
    let message = format!("{}: it will fail instead of starting", error.message);
    let again = match schedule {
        None => "cancel it; its schedule is gone".to_owned(),
        Some(schedule) => format!(
            "give schedule {} another grant: runlane schedules edit {} --grant ID; or cancel the run",
            schedule.spec.name, schedule.id
        ),
    };
    reason(&error.code, message, again)
}

pub(super) fn due_later(run: &Run, schedule: Option<&Schedule>, postponed: bool, now: Timestamp) -> Reason {
    let wait = span(run.available_at.duration_since(now));
    match (&run.state, &run.error) {
        (State::Retrying(_), Some(error)) if postponed => {
            let message = format!(
                "its work asked to be tried later ({}: {}), which is in {wait}, at {}; postponed {} of {} times",
                error.code, error.message, run.available_at, run.postponements, FREE_POSTPONEMENTS
            );
            reason("postponed", message, "time")
        }
        (State::Retrying(_), Some(error)) => {
            let message = format!(
                "attempt {} failed ({}: {}); the next one is due in {wait}, at {}",
                run.attempt, error.code, error.message, run.available_at
            );
            reason("retry_wait", message, "time")
        }
        _ => {
            let slot = run.scheduled.and_then(|scheduled| scheduled.slot);
            let whose = schedule.map(|schedule| format!(" of schedule {}", schedule.spec.name)).unwrap_or_default();
            let slot = slot.map(|slot| format!(" (slot {slot}{whose})")).unwrap_or_default();
            reason("due_later", format!("it is due in {wait}, at {}{slot}", run.available_at), "time")
        }
    }
}

pub(super) fn lane_held(lane: &LaneName, holder: &Run, now: Timestamp) -> Reason {
    let since = holder.finished_at().map(|at| format!(" {} ago", span(now.duration_since(at)))).unwrap_or_default();
    let message = format!("lane {lane} is held by run {}, {}{since}", holder.id, holder.status());
    // What has ended cannot be cancelled.
    let what = if holder.status().is_terminal() { "resume or dismiss" } else { "resume, cancel or dismiss" };
    reason("lane_held", message, format!("{what} run {}, or release the lane", holder.id))
}

pub(super) fn lane_busy(lane: &LaneName, occupant: RunId) -> Reason {
    reason("lane_busy", format!("lane {lane} is busy with run {occupant}"), format!("the end of run {occupant}"))
}

pub(super) fn lane_turn(lane: &LaneName, waiting: u64) -> Reason {
    let message = format!("{waiting} runs wait in lane {lane}, and others are before it");
    reason("lane_turn", message, "its turn: one at a time, most urgent first, then oldest")
}

pub(super) fn queue_paused(queue: &QueueName) -> Reason {
    reason("queue_paused", format!("queue {queue} is paused"), format!("resume queue {queue}"))
}

pub(super) fn queue_full(queue: &QueueName, running: u64, limit: u32) -> Reason {
    let message = format!("queue {queue} has {running} of {limit} runs running");
    reason("queue_full", message, "the end of one of them, or a higher limit")
}

pub(super) fn no_worker(queue: &QueueName) -> Reason {
    reason(
        "no_worker",
        format!("no worker serves queue {queue}"),
        format!("start one: runlane worker --queues {queue}"),
    )
}

pub(super) fn all_busy(queue: &QueueName, busy: u32, slots: u32) -> Reason {
    let message = format!("{busy} of {slots} slots of the workers that serve queue {queue} are busy");
    reason("workers_busy", message, "the end of a run, or more workers or slots")
}

/// `3 min`, `2 h`: as precise as people want it.
fn span(duration: SignedDuration) -> String {
    match duration.as_secs().max(0) {
        0 if duration.as_millis() > 0 => "less than a second".into(),
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds @ 120..=7199 => format!("{} min", seconds / 60),
        seconds @ 7200..=172_799 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
