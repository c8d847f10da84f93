//! Lanes: one run at a time, in order of submission.

use std::collections::BTreeMap;

use super::facts::{Facts, Grant, Life, Request};
use super::running::{Running, running};
use super::{Rule, Verdict};
use crate::run::lifecycle::Command;
use crate::run::{LaneName, RunId, Status, WorkspaceName};

pub(super) fn check(facts: &Facts, verdict: &mut Verdict) {
    overlap(facts, verdict);
    order(facts, verdict);
}

fn overlap(facts: &Facts, verdict: &mut Verdict) {
    let mut lanes: BTreeMap<(WorkspaceName, LaneName), Vec<Running<'_>>> = BTreeMap::new();
    for attempt in running(facts) {
        let granted = &attempt.grant.granted;
        if let Some(lane) = granted.lane.clone() {
            lanes.entry((granted.workspace.clone(), lane)).or_default().push(attempt);
        }
    }
    for ((workspace, lane), mut attempts) in lanes {
        attempts.sort_by_key(|attempt| attempt.from);
        for pair in attempts.windows(2).filter(|pair| pair[0].run != pair[1].run && pair[1].from < pair[0].to) {
            let (first, second) = (&pair[0], &pair[1]);
            let message = format!(
                "runs {} (claimed {}) and {} (claimed {}) of lane {lane} in {workspace} ran at once",
                first.run, first.grant.span, second.run, second.grant.span
            );
            verdict.broken(Rule::LaneOverlap, message);
        }
    }
}

/// A run of a lane, as it came in, and its first start.
struct Runner<'a> {
    run: RunId,
    life: &'a Life,
    request: &'a Request,
    start: Option<&'a Grant>,
}

fn order(facts: &Facts, verdict: &mut Verdict) {
    let mut lanes: BTreeMap<(&WorkspaceName, &LaneName), Vec<Runner<'_>>> = BTreeMap::new();
    for (run, life) in facts.runs.iter().filter(|(_, life)| !life.replaced) {
        let Some(request) = &life.created else { continue };
        let Some(lane) = &request.run.lane else { continue };
        let start = life.grants.iter().find(|grant| grant.epoch() == 1);
        lanes.entry((&request.run.workspace, lane)).or_default().push(Runner { run: *run, life, request, start });
    }
    for ((workspace, lane), runners) in lanes {
        for first in runners.iter().filter(|first| first.could_always_go()) {
            for second in runners.iter().filter(|second| first.goes_before(second) && first.overtaken_by(second)) {
                let message = format!(
                    "run {} of lane {lane} in {workspace} started before run {}, which was submitted earlier",
                    second.run, first.run
                );
                verdict.broken(Rule::LaneOrder, message);
            }
        }
    }
}

impl Runner<'_> {
    /// Whether nothing but its lane ever kept it from starting.
    fn could_always_go(&self) -> bool {
        let moved = |command| matches!(command, Command::Pause | Command::Resume | Command::Enqueue);
        let submitted = &self.request.run;
        submitted.at_once && !submitted.waits && !self.life.commands.iter().any(|command| moved(command.command))
    }

    fn goes_before(&self, other: &Runner<'_>) -> bool {
        let (mine, theirs) = (self.request, other.request);
        let earlier = mine.span.before(theirs.span) || mine.span == theirs.span && mine.place < theirs.place;
        earlier && mine.run.priority >= theirs.run.priority
    }

    fn overtaken_by(&self, other: &Runner<'_>) -> bool {
        let waits = || self.life.last.as_ref().is_some_and(|last| last.status == Status::Queued && last.epoch == 0);
        match (self.start, other.start) {
            (Some(mine), Some(theirs)) => theirs.span.before(mine.span),
            (None, Some(_)) => waits(),
            _ => false,
        }
    }
}
