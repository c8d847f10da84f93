//! Who held a run, and whether only they had a say.

use super::facts::{Facts, Grant, LeaseWrite, Life, Span, WriteKind};
use super::{Rule, Verdict};
use crate::run::RunId;

/// How far the times of the recording may be from the store's clock, in microseconds.
const SLACK: i64 = 2_000;

pub(super) fn check(facts: &Facts, verdict: &mut Verdict) {
    for (run, life) in &facts.runs {
        epochs(*run, life, verdict);
        one_holder(*run, life, verdict);
        takeover(*run, life, verdict);
        for write in life.writes.iter().filter(|write| write.is_accepted()) {
            stale(*run, life, write, facts.unheard_grants > 0, verdict);
            expired(*run, life, write, verdict);
        }
        one_end(*run, life, verdict);
    }
    missing_epochs(facts, verdict);
}

fn epochs(run: RunId, life: &Life, verdict: &mut Verdict) {
    for pair in life.grants.windows(2) {
        let (first, second) = (&pair[0], &pair[1]);
        let epoch = second.epoch();
        if first.epoch() == epoch {
            let both = format!("{} {} and {} {}", first.actor, first.span, second.actor, second.span);
            verdict.broken(Rule::Epochs, format!("epoch {epoch} of run {run} was given twice: to {both}"));
            continue;
        }
        if second.span.before(first.span) {
            verdict.broken(Rule::Epochs, format!("run {run} got epoch {epoch} before epoch {}", first.epoch()));
        }
        let next = first.epoch() + 1 == epoch;
        let (was, is) = (first.granted.attempt, second.granted.attempt);
        if next && second.granted.adopted && is != was {
            verdict
                .broken(Rule::Epochs, format!("run {run} was adopted in attempt {was} and is in attempt {is} by it"));
        }
        if next && !second.granted.adopted && is != was && is != was + 1 {
            verdict.broken(Rule::Epochs, format!("attempt {is} of run {run} follows attempt {was}"));
        }
    }
}

/// Epochs that nobody was given, beyond what claims without an answer can explain.
fn missing_epochs(facts: &Facts, verdict: &mut Verdict) {
    let mut missing = 0;
    let mut runs = Vec::new();
    for (run, life) in &facts.runs {
        let given: std::collections::BTreeSet<i64> = life.grants.iter().map(Grant::epoch).collect();
        let Some(last) = &life.last else { continue };
        let highest = given.last().copied().unwrap_or_default();
        if last.epoch < highest {
            let shown = last.epoch;
            verdict.broken(Rule::Epochs, format!("run {run} shows epoch {shown} after epoch {highest} was given"));
        }
        let gap = last.epoch.max(highest) - given.len() as i64;
        if gap > 0 {
            missing += gap as usize;
            runs.push(format!("{gap} of run {run}"));
        }
    }
    if missing > facts.unheard_grants {
        verdict.broken(Rule::Epochs, format!("epochs that nobody was given: {}", runs.join(", ")));
    }
}

/// No lease is given while another one is held for certain.
fn one_holder(run: RunId, life: &Life, verdict: &mut Verdict) {
    for held in &life.grants {
        let until = held_until(life, held);
        for other in life.grants.iter().filter(|other| other.epoch() != held.epoch()) {
            if held.span.before(other.span) && other.span.to.saturating_add(SLACK) < until {
                let message = format!(
                    "{} held run {run} under epoch {} until {until} at least, but {} was given epoch {} {}",
                    held.actor,
                    held.epoch(),
                    other.actor,
                    other.epoch(),
                    other.span
                );
                verdict.broken(Rule::OneHolder, message);
            }
        }
    }
}

/// The time up to which the lease was live for certain.
fn held_until(life: &Life, held: &Grant) -> i64 {
    let ends = life.writes.iter().filter(|write| write.epoch == held.epoch() && write.may_end());
    let ends = ends.map(|write| write.span.from);
    let expired = life.expired.iter().filter(|pass| pass.to > held.span.from).map(|pass| pass.from);
    ends.chain(expired).min().unwrap_or(i64::MAX).min(earliest_end(life, held))
}

/// The earliest time at which the lease may run out: by the last renewal, whichever that was.
fn earliest_end(life: &Life, held: &Grant) -> i64 {
    let renewals: Vec<(Span, i64, bool)> = renewals(life, held.epoch()).collect();
    let sure = |(_, _, accepted): &&(Span, i64, bool)| *accepted;
    let followed = |span: Span| renewals.iter().filter(sure).any(|(later, ..)| span.before(*later));
    let by_renewal = renewals.iter().filter(|(span, ..)| !followed(*span)).map(|(span, ttl, _)| span.from + ttl);
    let by_grant = Some(held.granted.until).filter(|_| !renewals.iter().any(|(_, _, accepted)| *accepted));
    by_renewal.chain(by_grant).min().unwrap_or(i64::MIN)
}

/// The renewals that succeeded, for all one knows, with their time to live and whether they did for certain.
fn renewals(life: &Life, epoch: i64) -> impl Iterator<Item = (Span, i64, bool)> {
    life.writes.iter().filter(move |write| write.epoch == epoch && write.accepted != Some(false)).filter_map(|write| {
        match write.kind {
            WriteKind::Renew { ttl } => Some((write.span, ttl, write.is_accepted())),
            _ => None,
        }
    })
}

fn takeover(run: RunId, life: &Life, verdict: &mut Verdict) {
    for pair in life.grants.windows(2) {
        let (held, taken) = (&pair[0], &pair[1]);
        if !taken.granted.adopted || held.epoch() + 1 != taken.epoch() || held.host == taken.host {
            continue;
        }
        let released = life.writes.iter().filter(|write| write.epoch == held.epoch() && write.may_end());
        let since = released.map(|write| write.span.from).min().unwrap_or(i64::MAX).min(earliest_end(life, held));
        let allowed = since.saturating_add(taken.takeover_delay);
        if taken.span.to.saturating_add(SLACK) < allowed {
            let message = format!(
                "{} on host {} adopted run {run} from host {} {}, which was not allowed before {allowed}",
                taken.actor, taken.host, held.host, taken.span
            );
            verdict.broken(Rule::Takeover, message);
        }
    }
}

fn stale(run: RunId, life: &Life, write: &LeaseWrite, grants_unheard: bool, verdict: &mut Verdict) {
    let said = format!("a write about run {run} under epoch {} was accepted {}", write.epoch, write.span);
    if let Some(newer) = life.grants.iter().find(|g| g.epoch() > write.epoch && g.span.before(write.span)) {
        verdict.broken(Rule::StaleEpoch, format!("{said}, after epoch {} was given {}", newer.epoch(), newer.span));
    }
    let grant = life.grants.iter().find(|grant| grant.epoch() == write.epoch);
    if grant.map_or(!grants_unheard, |grant| write.span.before(grant.span)) {
        verdict.broken(Rule::StaleEpoch, format!("{said}, before that epoch was given to anyone"));
    }
    let ended =
        |end: &&LeaseWrite| end.epoch == write.epoch && end.is_accepted() && matches!(end.kind, WriteKind::End(_));
    if let Some(end) = life.writes.iter().filter(ended).find(|end| end.span.before(write.span)) {
        verdict.broken(Rule::StaleEpoch, format!("{said}, after the attempt was ended {}", end.span));
    }
}

fn one_end(run: RunId, life: &Life, verdict: &mut Verdict) {
    let ends = life.writes.iter().filter(|write| write.is_accepted() && matches!(write.kind, WriteKind::End(_)));
    let mut epochs: Vec<i64> = ends.map(|write| write.epoch).collect();
    epochs.sort_unstable();
    for twice in epochs.windows(2).filter(|pair| pair[0] == pair[1]) {
        verdict.broken(Rule::StaleEpoch, format!("epoch {} of run {run} was ended twice", twice[0]));
    }
}

fn expired(run: RunId, life: &Life, write: &LeaseWrite, verdict: &mut Verdict) {
    let Some(grant) = life.grants.iter().find(|grant| grant.epoch() == write.epoch) else { return };
    let before = renewals(life, write.epoch).filter(|(span, ..)| span.from < write.span.from);
    let by_renewal = before.map(|(span, ttl, _)| span.to.saturating_add(ttl)).max();
    let until = grant.granted.until.max(by_renewal.unwrap_or(i64::MIN));
    if write.span.from > until.saturating_add(SLACK) {
        let said = format!("a write about run {run} under epoch {} was accepted {}", write.epoch, write.span);
        verdict.broken(Rule::Expiry, format!("{said}, but its lease ran out at {until}"));
    }
}
