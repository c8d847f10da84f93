//! How runs ended, whether they stayed so, and how often they were tried.

use super::facts::{Facts, Life, Span, WriteKind};
use super::{Rule, Verdict};
use crate::run::lifecycle::CommandOutcome;
use crate::run::{RunId, Status};

pub(super) fn check(facts: &Facts, verdict: &mut Verdict) {
    for (run, life) in &facts.runs {
        let endings = endings(life);
        one_ending(*run, life, &endings, verdict);
        for ending in &endings {
            stays_ended(*run, life, *ending, verdict);
            outcome_kept(*run, life, *ending, verdict);
        }
        attempts(*run, life, facts.unheard_grants, verdict);
    }
}

#[derive(Clone, Copy)]
struct Ended {
    span: Span,
    status: Status,
}

impl Ended {
    /// Whether no resume can change it.
    fn for_good(self) -> bool {
        matches!(self.status, Status::Succeeded | Status::Cancelled)
    }
}

/// The endings that were answered for.
fn endings(life: &Life) -> Vec<Ended> {
    let by_worker = life.writes.iter().filter_map(|write| match write.kind {
        WriteKind::End(Some(status)) if status.is_terminal() => Some(Ended { span: write.span, status }),
        _ => None,
    });
    let cancelled = life.commands.iter().filter(|command| command.outcome == Some(CommandOutcome::Cancelled));
    let by_command = cancelled.map(|command| Ended { span: command.span, status: Status::Cancelled });
    let mut endings: Vec<Ended> = by_worker.chain(by_command).collect();
    endings.sort_by_key(|ending| ending.span.from);
    endings
}

fn one_ending(run: RunId, life: &Life, endings: &[Ended], verdict: &mut Verdict) {
    for pair in endings.windows(2) {
        let (first, second) = (pair[0], pair[1]);
        let resumed = life.resumes().any(|resume| resume.span.may_lie_between(first.span, second.span));
        let for_good = first.for_good() && first.span.before(second.span);
        if !resumed || for_good {
            let message =
                format!("run {run} ended {} {} and then {} {}", first.status, first.span, second.status, second.span);
            verdict.broken(Rule::OneEnding, message);
        }
    }
    let lives = 1 + life.resumes().count();
    if endings.len() > lives {
        verdict.broken(Rule::OneEnding, format!("run {run} ended {} times in {lives} lives", endings.len()));
    }
}

fn stays_ended(run: RunId, life: &Life, ending: Ended, verdict: &mut Verdict) {
    let Ended { span, status } = ending;
    for grant in life.grants.iter().filter(|grant| span.before(grant.span)) {
        let resumed = life.resumes().any(|resume| resume.span.may_lie_between(span, grant.span));
        if ending.for_good() || !resumed {
            let message = format!("run {run} ended {status} {span} and was claimed by {} {}", grant.actor, grant.span);
            verdict.broken(Rule::StaysEnded, message);
        }
    }
    let resumed = |outcome| outcome == Some(CommandOutcome::Resumed);
    for command in life.commands.iter().filter(|command| span.before(command.span) && resumed(command.outcome)) {
        if ending.for_good() {
            verdict
                .broken(Rule::StaysEnded, format!("run {run} ended {status} {span} and was resumed {}", command.span));
        }
    }
}

fn outcome_kept(run: RunId, life: &Life, ending: Ended, verdict: &mut Verdict) {
    let Some(last) = &life.last else { return };
    let reopened = life.resumes().any(|resume| resume.span.to > ending.span.from);
    if last.status != ending.status && (ending.for_good() || !reopened) {
        let message = format!("run {run} ended {} {}, but shows {}", ending.status, ending.span, last.status);
        verdict.broken(Rule::OutcomeKept, message);
    }
}

fn attempts(run: RunId, life: &Life, unheard_grants: usize, verdict: &mut Verdict) {
    let of_grants = life.grants.iter().map(|grant| (grant.granted.attempt, grant.granted.max_attempts));
    let of_last = life.last.iter().map(|last| (last.attempt, last.max_attempts));
    for (attempt, most) in of_grants.chain(of_last).filter(|(attempt, most)| attempt > most) {
        verdict.broken(Rule::Attempts, format!("run {run} is in attempt {attempt} of {most}"));
    }
    let Some(created) = life.created.as_ref().filter(|_| !life.replaced) else { return };
    let starts = life.grants.iter().filter(|grant| !grant.granted.adopted).count();
    let returned = |kind| matches!(kind, WriteKind::End(None | Some(Status::Queued)));
    let interrupted = life.writes.iter().filter(|write| write.accepted != Some(false) && returned(write.kind)).count();
    let allowed = created.run.max_attempts as usize * (1 + life.resumes().count()) + interrupted;
    // A lease nobody heard of may have been given back by a finish nobody heard of either.
    if starts > allowed + unheard_grants {
        verdict.broken(Rule::Attempts, format!("run {run} was started {starts} times, where {allowed} were allowed"));
    }
}
