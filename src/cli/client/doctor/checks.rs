//! Judges what was found out about workers, leases, lanes and queues.

use jiff::{SignedDuration, Timestamp};

use super::facts::{Facts, Wanted};
use super::report::Check;
use crate::cli::client::render::{ago, counted, span};
use crate::cli::client::seen::Worker;

/// How long after its end a lease should have been noticed by the reaper of some process.
const REAPED_WITHIN: SignedDuration = SignedDuration::from_secs(15);

pub(super) fn of(facts: &Facts, now: Timestamp) -> Vec<Check> {
    let mut checks = vec![workers(facts, now)];
    checks.extend(ahead(facts, now));
    checks.push(unserved(facts));
    checks.extend(without_task(facts));
    checks.push(leases(facts, now));
    checks.push(lanes(facts));
    checks.push(queues(facts));
    checks
}

fn workers(facts: &Facts, now: Timestamp) -> Check {
    const NAME: &str = "workers";
    let (silent, alive): (Vec<_>, Vec<_>) = facts.workers.iter().partition(|worker| worker.is_silent());
    let slots: u32 = alive.iter().map(|worker| worker.slots).sum();
    let busy: u32 = alive.iter().map(|worker| worker.busy).sum();
    let words = format!("{} at work, {busy} of {slots} slots busy", counted(alive.len() as u64, "worker"));
    if alive.is_empty() {
        let last = facts.workers.iter().filter_map(|worker| worker.seen_at).max();
        let words = last.map_or("none was ever seen".into(), |at| format!("none; the last was seen {}", ago(at, now)));
        return Check::fail(NAME, words, "start one: runlane worker, or runlane serve");
    }
    if let Some(worker) = silent.first() {
        let seen = worker.seen_at.map_or(String::new(), |at| format!(", last seen {}", ago(at, now)));
        let first = format!("{} on {}{seen}", worker.id, worker.host);
        let words = format!("{words}; {} silent: {first}", silent.len());
        return Check::warn(
            NAME,
            words,
            "it vanished without leaving: look at its log; it is forgotten a day after it was last seen",
        );
    }
    if alive.iter().all(|worker| worker.draining) {
        return Check::warn(NAME, format!("{words}, and all are draining"), "start another: runlane worker");
    }
    Check::ok(NAME, words)
}

/// Workers report by the database's clock: a report from the future is a clock that is off.
fn ahead(facts: &Facts, now: Timestamp) -> Option<Check> {
    let newest = facts.workers.iter().filter_map(|worker| worker.seen_at).max()?;
    let ahead = newest.duration_since(now);
    (ahead > SignedDuration::from_secs(2)).then(|| {
        let words = format!("the database's clock is {} ahead of this machine's", span(ahead));
        Check::warn("clock", words, "set the clocks by NTP; runs are timed by the database's")
    })
}

fn unserved(facts: &Facts) -> Check {
    let serves = |name: &String| working(facts).any(|worker| worker.serves(name));
    let forsaken: Vec<&str> = facts
        .queues
        .iter()
        .filter(|queue| queue.waiting > 0 && !queue.paused && !serves(&queue.name))
        .map(|queue| queue.name.as_str())
        .collect();
    let waiting: u64 = facts.queues.iter().map(|queue| queue.waiting).sum();
    match forsaken.first() {
        None if waiting == 0 => Check::ok("backlog", "nothing waits"),
        None => Check::ok("backlog", format!("{} waiting, each in a queue that is served", counted(waiting, "run"))),
        Some(first) => Check::fail(
            "backlog",
            format!("runs wait in queues that no worker serves: {}", forsaken.join(", ")),
            format!("start a worker for it: runlane worker --queues {first}"),
        ),
    }
}

/// Runs of tasks that none of the workers of their queue has. Where no worker serves the queue, that is said already.
fn without_task(facts: &Facts) -> Option<Check> {
    let missing = |wanted: &Wanted| {
        let mut serving = working(facts).filter(|worker| worker.serves(&wanted.queue)).peekable();
        serving.peek().is_some() && !serving.any(|worker| worker.has_task(&wanted.task))
    };
    let found: Vec<_> = facts.waiting.iter().filter(|(wanted, _)| missing(wanted)).collect();
    let (first, runs) = found.first()?;
    let words = format!(
        "no worker of queue {} has task {}, and {} for it{}",
        first.queue,
        first.task,
        wait(**runs),
        if found.len() > 1 {
            format!("; so with {} more", counted(found.len() as u64 - 1, "task"))
        } else {
            String::new()
        }
    );
    let remedy = format!("add [tasks.{}] to the runlane.toml of a worker and send it SIGHUP", first.task);
    Some(Check::fail("tasks", words, remedy))
}

fn working(facts: &Facts) -> impl Iterator<Item = &Worker> {
    facts.workers.iter().filter(|worker| worker.is_working())
}

fn leases(facts: &Facts, now: Timestamp) -> Check {
    let ended = |at: Timestamp| now.duration_since(at) > REAPED_WITHIN;
    let stuck: Vec<&str> = facts
        .running
        .iter()
        .filter(|run| run.lease.as_ref().and_then(|lease| lease.expires_at).is_none_or(ended))
        .map(|run| run.id.as_str())
        .collect();
    match stuck.as_slice() {
        [] if facts.running.is_empty() => Check::ok("leases", "nothing runs"),
        [] => {
            Check::ok("leases", format!("{} running, each under a lease", counted(facts.running.len() as u64, "run")))
        }
        [first, ..] => Check::warn(
            "leases",
            format!("{} running without a worker: {first}{}", counted(stuck.len() as u64, "run"), more(stuck.len())),
            "a worker on the same machine adopts them at once, another one after the takeover delay; is there one?",
        ),
    }
}

fn lanes(facts: &Facts) -> Check {
    let held: Vec<&str> =
        facts.lanes.iter().filter(|lane| !lane.held_by.is_empty()).map(|lane| lane.name.as_str()).collect();
    match held.as_slice() {
        [] => Check::ok("lanes", format!("{}, none held", counted(facts.lanes.len() as u64, "lane"))),
        [first, ..] => Check::warn(
            "lanes",
            format!("{} held: {first}{}", counted(held.len() as u64, "lane"), more(held.len())),
            format!("resume or dismiss the run that holds it, or: runlane lanes release {first}"),
        ),
    }
}

fn queues(facts: &Facts) -> Check {
    let waits = facts.queues.iter().filter(|queue| queue.waiting > 0);
    for queue in waits {
        if queue.paused {
            let words = format!("{} is paused, and {} in it", queue.name, wait(queue.waiting));
            return Check::warn("queues", words, format!("runlane queues resume {}", queue.name));
        }
        if let Some(most) = queue.concurrency.filter(|most| queue.running >= u64::from(*most)) {
            let words = format!("{} is at its limit of {most}, and {} in it", queue.name, wait(queue.waiting));
            return Check::warn("queues", words, format!("if that is too slow: runlane queues limit {} N", queue.name));
        }
    }
    Check::ok(
        "queues",
        format!("{}, none paused or at its limit with runs waiting", counted(facts.queues.len() as u64, "queue")),
    )
}

fn wait(runs: u64) -> String {
    if runs == 1 { "1 run waits".into() } else { format!("{} wait", counted(runs, "run")) }
}

fn more(all: usize) -> String {
    if all > 1 { format!(" and {} more", all - 1) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::client::doctor::report::Level;
    use crate::cli::client::seen;
    use serde_json::json;

    fn facts(value: serde_json::Value) -> Facts {
        let part =
            |name: &str| crate::cli::client::doc::Doc::of(&json!({"data": value.get(name).unwrap_or(&json!([]))}));
        Facts {
            workers: seen::list(&part("workers")).expect("workers"),
            queues: seen::list(&part("queues")).expect("queues"),
            lanes: seen::list(&part("lanes")).expect("lanes"),
            running: seen::list(&part("running")).expect("runs"),
            waiting: serde_json::from_value::<Vec<(String, String)>>(value["waiting"].clone())
                .unwrap_or_default()
                .into_iter()
                .map(|(queue, task)| (Wanted { queue, task }, 2))
                .collect(),
        }
    }

    fn levels(value: serde_json::Value) -> Vec<(&'static str, Level)> {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
        of(&facts(value), now).into_iter().map(|check| (check.name, check.level)).collect()
    }

    #[test]
    fn a_healthy_deployment_passes() {
        let found = levels(json!({
            "workers": [{"id": "w", "slots": 2, "seen_at": "2026-11-15T11:59:58Z"}],
            "queues": [{"name": "default", "waiting": 3}],
            "running": [{"id": "r", "lease": {"expires_at": "2026-11-15T12:00:20Z"}}],
        }));
        assert!(found.iter().all(|(_, level)| *level == Level::Ok), "{found:?}");
    }

    #[test]
    fn what_is_stuck_is_found() {
        let found = levels(json!({
            "workers": [{"id": "w", "slots": 2, "seen_at": "2026-11-15T12:00:09Z", "queues": ["mail"]}],
            "queues": [{"name": "default", "waiting": 3}, {"name": "mail", "paused": true, "waiting": 1}],
            "lanes": [{"name": "a", "held_by": ["r"]}],
            "running": [{"id": "r"}, {"id": "s", "lease": {"expires_at": "2026-11-15T11:00:00Z"}}],
        }));
        let expected = [
            ("workers", Level::Ok),
            ("clock", Level::Warn),
            ("backlog", Level::Fail),
            ("leases", Level::Warn),
            ("lanes", Level::Warn),
            ("queues", Level::Warn),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_task_that_no_live_worker_of_the_queue_has_is_found() {
        let found = |worker: serde_json::Value| {
            let workers = json!([worker, {"id": "old", "state": "silent", "tasks": ["resize"]}]);
            let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
            let facts = facts(json!({"workers": workers, "waiting": [["default", "resize"]]}));
            of(&facts, now).into_iter().find(|check| check.name == "tasks").map(|check| check.message)
        };
        let words = "no worker of queue default has task resize, and 2 runs wait for it";
        assert_eq!(found(json!({"tasks": ["send"]})).as_deref(), Some(words));
        assert_eq!(found(json!({"tasks": ["resize"]})), None);
        assert_eq!(found(json!({})), None, "it did not say");
        assert_eq!(found(json!({"queues": ["other"], "tasks": []})), None, "that no worker serves the queue is said");
    }
}
