//! What was let in: nothing lost, nothing twice, nothing too much.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, Life, Request, WriteKind};
use super::{Rule, Verdict};
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::run::{KeyMode, RunId, Status};
use crate::store::SubmitOutcome;

pub(super) fn check(facts: &Facts, verdict: &mut Verdict) {
    lost(facts, verdict);
    idempotency(facts, verdict);
    let live = live(facts);
    queue_size(facts, &live, verdict);
    keys(facts, &live, verdict);
}

/// The run that an answer names as the one which carries out the request.
fn carried_out_by(request: &Request) -> Option<RunId> {
    match request.outcome? {
        SubmitOutcome::Created => Some(request.run.id),
        SubmitOutcome::Replaced(run) | SubmitOutcome::Kept(run) | SubmitOutcome::Existing(run) => Some(run),
        _ => None,
    }
}

fn lost(facts: &Facts, verdict: &mut Verdict) {
    let named: BTreeSet<RunId> = facts.requests.iter().filter_map(carried_out_by).collect();
    let gone = |run: &&RunId| facts.runs.get(run).is_none_or(|life| life.last.is_none());
    let gone: Vec<String> = named.iter().filter(gone).map(RunId::to_string).collect();
    if gone.len() > facts.pruned {
        let message = format!("acknowledged, but not there ({} were pruned): {}", facts.pruned, gone.join(", "));
        verdict.broken(Rule::Lost, message);
    }
}

fn idempotency(facts: &Facts, verdict: &mut Verdict) {
    let mut keys: BTreeMap<_, Vec<(&Request, &Vec<u8>, i64)>> = BTreeMap::new();
    for request in &facts.requests {
        if let Some((key, fingerprint, ttl)) = &request.run.idempotency {
            keys.entry((&request.run.workspace, key)).or_default().push((request, fingerprint, *ttl));
        }
    }
    for ((workspace, key), requests) in keys {
        let begin = requests.iter().map(|(request, ..)| request.span.from).min().unwrap_or_default();
        let end = requests.iter().map(|(request, ..)| request.span.to).max().unwrap_or_default();
        let remembered = requests.iter().all(|(_, _, ttl)| end.saturating_sub(begin) < *ttl);
        let accepted = requests.iter().filter_map(|(request, print, _)| Some((carried_out_by(request)?, *print)));
        let different: BTreeSet<(RunId, &Vec<u8>)> = accepted.collect();
        if remembered && different.len() > 1 {
            let runs: Vec<String> = different.iter().map(|(run, _)| run.to_string()).collect();
            let message = format!("key {key} in {workspace} led to different requests or runs: {}", runs.join(", "));
            verdict.broken(Rule::Idempotency, message);
        }
    }
}

/// A run during the time for which it was live for certain.
struct Live<'a> {
    run: RunId,
    request: &'a Request,
    from: i64,
    to: i64,
}

fn live(facts: &Facts) -> Vec<Live<'_>> {
    let lives = facts.runs.iter().filter_map(|(run, life)| {
        let request = life.created.as_ref()?;
        let to = ended_by(life, request)?;
        Some(Live { run: *run, request, from: request.span.to, to })
    });
    lives.filter(|live| live.from < live.to).collect()
}

/// When its first life may have ended; `None` where that is not known. A run that waits for others ends unheard.
fn ended_by(life: &Life, request: &Request) -> Option<i64> {
    if life.replaced || request.run.waits {
        return None;
    }
    let terminal = |kind| matches!(kind, WriteKind::End(status) if status.is_none_or(Status::is_terminal));
    let writes =
        life.writes.iter().filter(|write| write.may_end() && terminal(write.kind)).map(|write| write.span.from);
    let cancels = life.commands.iter().filter(|command| {
        command.command == Command::Cancel && matches!(command.outcome, None | Some(CommandOutcome::Cancelled))
    });
    let ends = writes.chain(cancels.map(|command| command.span.from)).chain(life.expired.iter().map(|pass| pass.from));
    match ends.min() {
        Some(end) => Some(end),
        None => life.last.as_ref().filter(|last| last.is_live()).map(|_| i64::MAX),
    }
}

/// Of those that are live at once, the last to come in saw all the others; its own limit must have allowed it.
fn queue_size(facts: &Facts, live: &[Live<'_>], verdict: &mut Verdict) {
    for last in live {
        let at_once: Vec<&Live<'_>> = live.iter().filter(|l| l.from <= last.from && last.from < l.to).collect();
        let most = at_once.iter().map(|live| live.request.queue_size.unwrap_or(u64::MAX)).max().unwrap_or(u64::MAX);
        if at_once.len() as u64 > most {
            let message = format!("{} runs were live at {}, where {most} may be", at_once.len(), last.from);
            verdict.broken(Rule::QueueSize, message);
        }
    }
    let left = facts.runs.values().filter(|life| life.last.as_ref().is_some_and(|last| last.is_live())).count();
    if let Some(most) = facts.queue_size.filter(|most| left as u64 > *most) {
        verdict.broken(Rule::QueueSize, format!("{left} runs are live in the end, where {most} may be"));
    }
}

fn keys(facts: &Facts, live: &[Live<'_>], verdict: &mut Verdict) {
    let mut named: BTreeMap<_, Vec<RunId>> = BTreeMap::new();
    for last in facts.runs.values().filter_map(|life| life.last.as_ref()).filter(|last| last.is_live()) {
        if let Some(key) = &last.key {
            named.entry((&last.workspace, key)).or_default().push(last.id);
        }
    }
    for ((workspace, key), runs) in named.iter().filter(|(_, runs)| runs.len() > 1) {
        let runs: Vec<String> = runs.iter().map(RunId::to_string).collect();
        verdict.broken(Rule::RunKey, format!("key {key} in {workspace} is that of {}", runs.join(", ")));
    }
    for (run, other) in live.iter().flat_map(|run| live.iter().map(move |other| (run, other))) {
        let throughout = run.from < other.request.span.from && other.request.span.to < run.to;
        if throughout && run.run != other.run && keeps_same_key(facts, run.request, other.request) {
            let message = format!("run {} was made while run {} of the same key was live", other.run, run.run);
            verdict.broken(Rule::RunKey, message);
        }
    }
}

/// Whether both have one key, which no request ever takes from a run.
fn keeps_same_key(facts: &Facts, one: &Request, other: &Request) -> bool {
    let key = |request: &Request| Some((request.run.workspace.clone(), request.run.key.as_ref()?.0.clone()));
    let Some(shared) = key(one).filter(|shared| key(other).as_ref() == Some(shared)) else { return false };
    let keeps = |request: &Request| request.run.key.as_ref().is_some_and(|(_, mode)| *mode == KeyMode::Keep);
    facts.requests.iter().filter(|request| key(request).as_ref() == Some(&shared)).all(keeps)
}
