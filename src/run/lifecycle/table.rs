//! The lifecycle as a table, found by trying: every event on runs of every status, by the real transitions.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::sample::{
    asked, at, at_its_last, at_most_once, attempted, by, executed, finished, leased_ahead, now, queued, running,
    upstream,
};
use super::{Command, FREE_INTERRUPTIONS, FREE_POSTPONEMENTS, Outcome, Release, Retry, Step, Taker};
use crate::run::{BlockedBy, Ending, Jitter, Run, RunError, RunId, State, Status, Stop, Tenure};

/// What can happen to a run, in the words of the table.
pub const EVENTS: [&str; 25] = [
    "claim",
    "start deadline passes",
    "claim ahead",
    "begin",
    "adopt",
    "renew",
    "lease runs out",
    "succeed",
    "fail",
    "ask for later",
    "lose",
    "time out",
    "stopped by cancel",
    "stopped by pause",
    "release for adoption",
    "release to queue",
    "release to paused",
    "release unbegun",
    "cancel",
    "pause",
    "resume",
    "enqueue",
    "dismiss",
    "rerun",
    "upstream failed",
];

/// A markdown table: events down, statuses across, and in each cell what the run may become. `–` is a refusal.
pub fn markdown() -> String {
    let mut table = String::from("| |");
    Status::ALL.iter().for_each(|status| table.push_str(&format!(" {status} |")));
    table.push_str("\n|---|");
    Status::ALL.iter().for_each(|_| table.push_str("---|"));
    for event in EVENTS {
        table.push_str(&format!("\n| **{event}** |"));
        Status::ALL.iter().for_each(|status| table.push_str(&format!(" {} |", cell(*status, event))));
    }
    table.push('\n');
    table
}

fn cell(status: Status, event: &str) -> String {
    let words: Vec<&str> = outcomes(status, event).into_iter().map(Status::as_str).collect();
    if words.is_empty() { "–".into() } else { words.join(", ") }
}

/// What runs of `status` may become by the event; nothing if it is refused whatever else is true of them. For
/// `rerun`, what the new run is.
///
/// # Panics
/// When there is no such event.
pub fn outcomes(status: Status, event: &str) -> BTreeSet<Status> {
    samples(status).iter().flat_map(|run| after(run, event)).map(|run| run.status()).collect()
}

/// Runs of a status that differ in everything transitions look at.
fn samples(status: Status) -> Vec<Run> {
    match status {
        Status::Pending => vec![Run { state: State::Pending, ..queued() }],
        Status::Queued => waiting(queued(), State::Queued).into_iter().chain(leased()).collect(),
        Status::Retrying => waiting(attempted(1), State::Retrying),
        Status::Paused => [queued(), attempted(1)].map(|run| Run { state: State::Paused, ..run }).into(),
        Status::Running => all_running(),
        Status::Succeeded => ended(Ending::Succeeded),
        Status::Failed => ended(Ending::Failed),
        Status::TimedOut => ended(Ending::TimedOut),
        Status::Cancelled => ended(Ending::Cancelled),
    }
}

fn waiting(run: Run, state: fn(Option<BlockedBy>) -> State) -> Vec<Run> {
    let reasons = BlockedBy::ALL.into_iter().filter(|reason| *reason != BlockedBy::Worker).map(Some).chain([None]);
    reasons.map(|reason| Run { state: state(reason), ..run.clone() }).collect()
}

fn leased() -> [Run; 3] {
    [None, Some(Stop::Cancel), Some(Stop::Pause)].map(leased_ahead)
}

fn all_running() -> Vec<Run> {
    let held = [None, Some(Stop::Cancel), Some(Stop::Pause)].map(|stop| stop.map_or_else(running, asked));
    let run_out = executed(Tenure::Leased { until: now() }, None);
    let orphaned = executed(Tenure::Orphaned { since: at(-3600) }, None);
    let mut runs = Vec::new();
    for run in held.into_iter().chain([run_out, orphaned]) {
        let interrupted = Run { interruptions: FREE_INTERRUPTIONS, ..run.clone() };
        runs.extend([run.clone(), at_its_last(run.clone()), at_most_once(run.clone())]);
        runs.extend([interrupted.clone(), at_its_last(interrupted)]);
        let postponed = Run { postponements: FREE_POSTPONEMENTS, ..run };
        runs.extend([postponed.clone(), at_its_last(postponed)]);
    }
    runs
}

fn ended(ending: Ending) -> Vec<Run> {
    let before_the_first = State::Finished { ending, at: now(), by: None };
    vec![finished(ending), Run { state: before_the_first, ..queued() }]
}

/// The run after the event, or nothing. Two ways lead to `time out`: its worker says so, or maintenance finds it.
fn after(run: &Run, event: &str) -> Vec<Run> {
    let taker = Taker { worker: by(now()).worker, host: by(now()).host };
    let finish = |outcome| super::finish(run.clone(), run.epoch, outcome, Jitter(0), now(), now()).ok();
    let release = |how| super::release(run.clone(), run.epoch, how, now()).ok();
    let command = |command| super::command(run.clone(), command, false, now()).ok().map(|(step, _)| step);
    let fail = |retry| Outcome::Failed { error: RunError::new("exit", "exit code 1"), retry };
    let step = match event {
        "claim" => super::claim(run.clone(), &taker, at(30), now()),
        "start deadline passes" => super::end_if_too_late(Run { start_by: Some(now()), ..run.clone() }, now()),
        "claim ahead" => super::claim_ahead(run.clone(), &taker, at(30), now()),
        "begin" => {
            let begun = super::begin(run.clone(), now());
            (begun != *run).then(|| Step::to(begun))
        }
        "adopt" => super::adopt(run.clone(), &taker, at(30)),
        "renew" => super::renew(run.clone(), run.epoch, at(30), None, now()).ok().map(|(step, _)| step),
        "lease runs out" => super::orphan(run.clone(), now()),
        "succeed" => finish(Outcome::Succeeded { output: None }),
        "fail" => finish(fail(Retry::Backoff)),
        "ask for later" => finish(fail(Retry::Later(None))),
        "lose" => {
            let missing = Outcome::Missing { stopped_by: at(60) };
            return [Outcome::Lost, missing].into_iter().filter_map(finish).map(|step| step.run).collect();
        }
        "time out" => {
            let found = super::overdue(run.clone(), SignedDuration::ZERO, Jitter(0), at(3600));
            return finish(Outcome::TimedOut { limit_seconds: None })
                .into_iter()
                .chain(found)
                .map(|step| step.run)
                .collect();
        }
        "stopped by cancel" => finish(Outcome::Cancelled),
        "stopped by pause" => finish(Outcome::Paused),
        "release for adoption" => release(Release::ForAdoption),
        "release to queue" => release(Release::ToQueue),
        "release to paused" => release(Release::ToPaused),
        "release unbegun" => release(Release::Unbegun),
        "cancel" => command(Command::Cancel),
        "pause" => command(Command::Pause),
        "resume" => command(Command::Resume),
        "enqueue" => command(Command::Enqueue),
        "dismiss" => command(Command::Dismiss),
        "rerun" => return vec![super::submit(&super::rerun(run, RunId::new()), 2, false, now())],
        "upstream failed" => super::upstream_failed(run.clone(), upstream(), Status::Failed, now()),
        unknown => panic!("there is no event {unknown:?}"),
    };
    step.into_iter().map(|step| step.run).collect()
}
