//! The reasons in words.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{MOST_AHEAD, Reason};
use crate::run::lifecycle::{self, FREE_POSTPONEMENTS};
use crate::run::{AttemptedBy, HostName, LaneName, QueueName, Run, RunError, RunId, State, Status, TaskName};
use crate::schedule::Schedule;
use crate::store::Worker;

fn reason(code: &str, message: impl Into<String>, remedy: impl Into<String>) -> Reason {
    Reason { code: code.into(), message: message.into(), remedy: remedy.into() }
}

/// One sentence for the whole. `ahead` is known for a run that waits.
pub(super) fn summary(run: &Run, reasons: &[Reason], ahead: Option<u64>, now: Timestamp) -> String {
    let unless = start_deadline(run, now).map(|reason| format!("; {}", reason.message)).unwrap_or_default();
    sentence(run, reasons, ahead, now) + &unless
}

/// What becomes of a run that does not begin in time, if it has a deadline and has not begun.
pub(super) fn start_deadline(run: &Run, now: Timestamp) -> Option<Reason> {
    let at = run.start_by.filter(|_| !run.status().is_terminal() && !lifecycle::started(run))?;
    let message = match at > now {
        true => format!("it is cancelled unless it begins by {}, in {}", clock(at, now), span(at.duration_since(now))),
        false => "its start deadline has passed, so it is about to be cancelled".into(),
    };
    Some(reason("start_deadline", message, "let it start before then, or submit it again with a later deadline"))
}

fn sentence(run: &Run, reasons: &[Reason], ahead: Option<u64>, now: Timestamp) -> String {
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
        (_, []) => match ahead {
            None | Some(0) => "nothing keeps it from starting: the next free worker takes it".into(),
            Some(ahead) => format!("nothing keeps it from starting: its turn comes when {} started", have(ahead)),
        },
        (_, [only]) => only.message.clone(),
        (_, [first, others @ ..]) => format!("{}, and {} more", first.message, others.len()),
    }
}

pub(super) fn held() -> Reason {
    reason("held", "it was submitted on hold", "enqueue it")
}

pub(super) fn paused(run: &Run) -> Reason {
    let why = run.error.as_ref().map(|error| format!(": {}", error.message)).unwrap_or_default();
    reason("paused", format!("it is paused{why}"), "resume it, or cancel it")
}

/// Nothing to worry about: it goes on within a tenth of a second.
pub(super) fn leased(by: &AttemptedBy) -> Reason {
    let message = format!("worker {} on {} has taken it and begins it as soon as a slot is free", by.worker, by.host);
    reason("leased", message, "nothing to do: it begins, or goes back to the queue, within a moment")
}

pub(super) fn orphaned(host: &HostName, since: Timestamp, now: Timestamp) -> Reason {
    let message = format!("its worker on {host} stopped renewing its lease {} ago", span(now.duration_since(since)));
    reason("orphaned", message, taken_over(host))
}

/// A lease whose worker is silent, if it is, or that nobody has cleared yet.
pub(super) fn lease_running_out(host: &HostName, until: Timestamp, silent: Option<&Worker>, now: Timestamp) -> Reason {
    let unseen = silent.map(|worker| format!("has been silent for {}", span(worker.unseen())));
    if until <= now {
        let unseen = unseen.unwrap_or("did not renew its lease".into());
        let message =
            format!("its worker on {host} {unseen}; the lease ran out {} ago", span(now.duration_since(until)));
        return reason("lease_running_out", message, taken_over(host));
    }
    let unseen = unseen.unwrap_or_default();
    let left = span(until.duration_since(now));
    let message = format!("its worker on {host} {unseen}; the lease runs out at {}, in {left}", clock(until, now));
    let remedy = format!("the attempt goes on if the worker comes back by then; otherwise {}", taken_over(host));
    reason("lease_running_out", message, remedy)
}

fn taken_over(host: &HostName) -> String {
    format!("a worker on {host} takes it over at once, one on another machine after the takeover delay")
}

pub(super) fn waits_for(id: RunId, status: Option<Status>) -> Reason {
    let status = status.map_or("not known any more".into(), |status| format!("{status}"));
    let remedy = format!("it starts once run {id} has succeeded; if that ends otherwise, this run fails");
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

/// If it is `alone`, nothing else keeps the run from starting then.
pub(super) fn due_later(
    run: &Run,
    schedule: Option<&Schedule>,
    postponed: bool,
    alone: bool,
    now: Timestamp,
) -> Reason {
    let at = clock(run.available_at, now);
    let verb = if alone { "starts" } else { "due" };
    let remedy = format!("{verb} at {at}, in {}", span(run.available_at.duration_since(now)));
    match (&run.state, &run.error) {
        (State::Retrying(_), Some(error)) if postponed => {
            let message = format!(
                "its work asked to be tried later ({}: {}); that was {} of {FREE_POSTPONEMENTS} times",
                error.code, error.message, run.postponements
            );
            reason("postponed", message, remedy)
        }
        (State::Retrying(_), Some(error)) => {
            let message = format!(
                "attempt {} failed ({}: {}); the next one is due at {at}",
                run.attempt, error.code, error.message
            );
            reason("retry_wait", message, remedy)
        }
        _ => {
            let slot = run.scheduled.and_then(|scheduled| scheduled.slot);
            let whose = schedule.map(|schedule| format!(" of schedule {}", schedule.spec.name)).unwrap_or_default();
            let slot = slot.map(|slot| format!(" (slot {slot}{whose})")).unwrap_or_default();
            reason("due_later", format!("it is due at {at}{slot}"), remedy)
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
    let remedy = format!("its turn comes after run {occupant} has ended");
    reason("lane_busy", format!("lane {lane} is busy with run {occupant}"), remedy)
}

pub(super) fn lane_turn(lane: &LaneName, waiting: u64) -> Reason {
    let message = format!("{waiting} runs wait in lane {lane}, and others are before it");
    reason("lane_turn", message, "it starts in its turn: one at a time, most urgent first, then oldest")
}

pub(super) fn queue_paused(queue: &QueueName) -> Reason {
    reason("queue_paused", format!("queue {queue} is paused"), format!("resume it: runlane queues resume {queue}"))
}

pub(super) fn queue_closed(queue: &QueueName) -> Reason {
    let remedy = format!("raise the limit or lift it: runlane queues limit {queue} none");
    reason("queue_limit_zero", format!("queue {queue} has a limit of 0: none of its runs starts"), remedy)
}

pub(super) fn queue_full(queue: &QueueName, running: u64, limit: u32, longest: SignedDuration, ahead: u64) -> Reason {
    let message = format!(
        "queue {queue} has {running} of at most {limit} runs running, the longest for {}; {}",
        span(longest),
        before(ahead)
    );
    let remedy = format!("it starts as they end; a higher limit starts it sooner: runlane queues limit {queue} N");
    reason("queue_full", message, remedy)
}

pub(super) fn no_worker(queue: &QueueName) -> Reason {
    let remedy = format!("start one: runlane worker --queues {queue}");
    reason("no_worker", format!("no worker serves queue {queue}"), remedy)
}

pub(super) fn workers_silent(queue: &QueueName, silent: &[&Worker]) -> Reason {
    let shortest = silent.iter().map(|worker| worker.unseen()).min().unwrap_or_default();
    let message = match silent {
        [only] => format!("{} has been silent for {}", the_only(queue, only), span(shortest)),
        _ => format!("{} are silent, the last one for {}", all(queue, silent.len()), span(shortest)),
    };
    reason("workers_silent", message, format!("look at its log, or {}", start_one(queue)))
}

pub(super) fn workers_draining(queue: &QueueName, draining: &[&Worker]) -> Reason {
    let message = match draining {
        [only] => {
            let since = only.draining_since.map(|since| format!(" for {}", span(only.read_at.duration_since(since))));
            format!("{} has been draining{}", the_only(queue, only), since.unwrap_or_default())
        }
        _ => format!("{} are draining", all(queue, draining.len())),
    };
    reason("workers_draining", format!("{message}: no more runs are claimed"), start_one(queue))
}

pub(super) fn workers_without_task(queue: &QueueName, task: &TaskName, without: &[&Worker]) -> Reason {
    let message = match without {
        [only] => format!("{} does not have task {task}", the_only(queue, only)),
        _ => format!("none of the {} workers that serve queue {queue} has task {task}", without.len()),
    };
    reason("no_worker_for_task", message, give_task(task))
}

/// For more than one reason: how many are silent, are draining, and lack the task.
pub(super) fn workers_cannot(queue: &QueueName, task: &TaskName, [silent, draining, without]: [usize; 3]) -> Reason {
    let part = |count: usize, is: &str, are: &str| match count {
        0 => None,
        1 => Some(format!("1 {is}")),
        _ => Some(format!("{count} {are}")),
    };
    let lacks = (format!("does not have task {task}"), format!("do not have task {task}"));
    let parts: Vec<String> = [
        part(silent, "is silent", "are silent"),
        part(draining, "is draining", "are draining"),
        part(without, &lacks.0, &lacks.1),
    ]
    .into_iter()
    .flatten()
    .collect();
    let all = silent + draining + without;
    let message = format!("no worker can take it: of the {all} that serve queue {queue}, {}", parts.join(", "));
    let remedy = if without > 0 { give_task(task) } else { start_one(queue) };
    reason("no_worker", message, remedy)
}

/// `limits` has for each worker how many runs of the queue it executes, and how many it may.
pub(super) fn worker_limit(queue: &QueueName, limits: &[(u64, u64)], ahead: u64) -> Reason {
    let message = match limits {
        [(running, limit)] => {
            format!("the worker that can take it executes {running} of at most {limit} runs of queue {queue}")
        }
        _ => format!("the {} workers that can take it are at their own limits for queue {queue}", limits.len()),
    };
    let remedy = format!("it starts as they end; a higher limit in the worker's `queues` starts it sooner: {queue}:N");
    reason("worker_limit", format!("{message}; {}", before(ahead)), remedy)
}

pub(super) fn all_busy(workers: usize, busy: u64, slots: u64, longest: Option<SignedDuration>, ahead: u64) -> Reason {
    let those = if workers == 1 { "the worker".into() } else { format!("the {workers} workers") };
    let longest = longest.map(|longest| format!(", the longest for {}", span(longest))).unwrap_or_default();
    let message = format!("{busy} of {slots} slots of {those} that can take it are busy{longest}; {}", before(ahead));
    reason("workers_busy", message, "it starts once a slot is free; more workers or slots start it sooner")
}

fn the_only(queue: &QueueName, worker: &Worker) -> String {
    format!("the only worker that serves queue {queue} (on {})", worker.info.host)
}

fn all(queue: &QueueName, workers: usize) -> String {
    format!("all {workers} workers that serve queue {queue}")
}

fn start_one(queue: &QueueName) -> String {
    format!("start another: runlane worker --queues {queue}")
}

fn give_task(task: &TaskName) -> String {
    format!(
        "add [tasks.{task}] to the runlane.toml of a worker and send it SIGHUP, or start a worker that has the task"
    )
}

fn before(ahead: u64) -> String {
    match ahead {
        0 => "it is next".into(),
        1 => "1 run is ahead of it".into(),
        _ => format!("{} are ahead of it", runs(ahead)),
    }
}

fn have(ahead: u64) -> String {
    if ahead == 1 { "1 run ahead of it has".into() } else { format!("{} ahead of it have", runs(ahead)) }
}

fn runs(count: u64) -> String {
    if count < MOST_AHEAD as u64 { format!("{count} runs") } else { format!("{MOST_AHEAD} or more runs") }
}

/// The time of day, with the day where that is not today and with seconds where it is near.
fn clock(at: Timestamp, now: Timestamp) -> String {
    let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
    let near = at.duration_since(now).abs() < SignedDuration::from_mins(2);
    let format = match (day(at) == day(now), near) {
        (_, true) => "%H:%M:%S UTC",
        (true, false) => "%H:%M UTC",
        (false, false) => "%Y-%m-%d %H:%M UTC",
    };
    at.strftime(format).to_string()
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
