//! Queues: never more running than the limit, nothing started while paused.

use std::collections::BTreeMap;

use super::facts::{Facts, Setting, Span};
use super::running::{Running, running};
use super::{Rule, Verdict};
use crate::run::{QueueName, WorkspaceName};
use crate::store::QueueSettings;

pub(super) fn check(facts: &Facts, verdict: &mut Verdict) {
    let mut queues: BTreeMap<(&WorkspaceName, &QueueName), Vec<Running<'_>>> = BTreeMap::new();
    for attempt in running(facts) {
        let granted = &attempt.grant.granted;
        queues.entry((&granted.workspace, &granted.queue)).or_default().push(attempt);
    }
    for ((workspace, queue), attempts) in queues {
        let Some(settings) = facts.settings.get(&(workspace.clone(), queue.clone())) else { continue };
        for attempt in &attempts {
            limit(attempt, &attempts, settings, verdict);
        }
    }
    paused(facts, verdict);
}

/// Of those that run at once, the last to start saw all the others; the limit then in force must have allowed it.
fn limit(last: &Running<'_>, attempts: &[Running<'_>], settings: &[Setting], verdict: &mut Verdict) {
    let at_once: Vec<&Running<'_>> = attempts.iter().filter(|other| other.at(last.from)).collect();
    let first = at_once.iter().map(|attempt| attempt.grant.span.from).min().unwrap_or(last.from);
    let limits = in_force(settings, Span { from: first, to: last.from });
    let most = limits.iter().map(|settings| settings.and_then(|set| set.concurrency).unwrap_or(u32::MAX)).max();
    if at_once.len() > most.unwrap_or(u32::MAX) as usize {
        let granted = &last.grant.granted;
        let runs: Vec<String> = at_once.iter().map(|attempt| attempt.run.to_string()).collect();
        let message = format!(
            "{} runs of queue {} in {} were running at {}, where {} may: {}",
            at_once.len(),
            granted.queue,
            granted.workspace,
            last.from,
            most.unwrap_or_default(),
            runs.join(", ")
        );
        verdict.broken(Rule::QueueLimit, message);
    }
}

fn paused(facts: &Facts, verdict: &mut Verdict) {
    for (run, life) in &facts.runs {
        for grant in life.grants.iter().filter(|grant| !grant.granted.adopted) {
            let (workspace, queue) = (&grant.granted.workspace, &grant.granted.queue);
            let Some(settings) = facts.settings.get(&(workspace.clone(), queue.clone())) else { continue };
            if in_force(settings, grant.span).iter().all(|settings| settings.is_some_and(|set| set.paused)) {
                let message = format!("run {run} of queue {queue} in {workspace} was started {}", grant.span);
                verdict.broken(Rule::QueuePaused, format!("{message}, while the queue was paused"));
            }
        }
    }
}

/// The settings that may have been in force at some time within `window`; `None` where they are not known.
fn in_force(settings: &[Setting], window: Span) -> Vec<Option<QueueSettings>> {
    let earlier: Vec<&Setting> = settings.iter().filter(|(span, _)| span.before(window)).collect();
    let overtaken = |span: Span| earlier.iter().any(|(later, _)| span.before(*later));
    let mut found: Vec<_> = earlier.iter().filter(|(span, _)| !overtaken(*span)).map(|(_, set)| *set).collect();
    if found.is_empty() {
        found.push(Some(QueueSettings::default()));
    }
    let during = settings.iter().filter(|(span, _)| !span.before(window) && !window.before(*span));
    found.extend(during.map(|(_, set)| *set));
    found
}
