//! Usage that attempts report, charged to the account of their grant.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use jiff::civil::Date;

use super::{Charge, Tx};
use crate::run::{GrantId, Run, RunId};
use crate::schedule::Grant;
use crate::store::{NewEvent, Result, Usage};

/// The usage of an attempt that its events report.
pub(super) fn usage_in(run: &Run, events: &[NewEvent]) -> Vec<Usage> {
    let usage = |(unit, amount)| Usage { run: run.id, attempt: run.attempt, unit, amount };
    events.iter().flat_map(NewEvent::usage).map(usage).collect()
}

/// Adds it to what is known already: in the transaction that stores the events, so that it is counted once.
pub(super) async fn charge<T: Tx>(
    tx: &mut T,
    used: &[Usage],
    runs: &HashMap<RunId, Run>,
    now: Timestamp,
) -> Result<()> {
    if used.is_empty() {
        return Ok(());
    }
    let grant = |run: &RunId| runs.get(run)?.scheduled.map(|scheduled| scheduled.grant);
    let ids: BTreeSet<GrantId> = used.iter().filter_map(|usage| grant(&usage.run)).collect();
    let mut grants: HashMap<GrantId, Grant> = HashMap::new();
    if !ids.is_empty() {
        let found = tx.lock_grants(&ids.into_iter().collect::<Vec<_>>()).await?;
        grants = found.into_iter().map(|grant| (grant.id, grant)).collect();
    }
    let charge = |usage: &Usage| {
        let run = runs.get(&usage.run)?;
        let account = grant(&usage.run).and_then(|id| grants.get(&id)).map(|grant| grant.billing_account.clone());
        Some(Charge { usage: usage.clone(), workspace: run.workspace.clone(), account, task: run.task.clone() })
    };
    let charges: Vec<Charge> = summed(used).iter().filter_map(charge).collect();
    tx.charge(&charges, now).await
}

/// One entry for each reference, however often it is named.
fn summed(used: &[Usage]) -> Vec<Usage> {
    let mut sums: BTreeMap<(RunId, u32, &str), u64> = BTreeMap::new();
    for Usage { run, attempt, unit, amount } in used {
        let sum = sums.entry((*run, *attempt, unit.as_str())).or_default();
        *sum = sum.saturating_add(*amount);
    }
    let usage = |((run, attempt, unit), amount): ((RunId, u32, &str), u64)| Usage {
        run,
        attempt,
        unit: unit.to_owned(),
        amount,
    };
    sums.into_iter().map(usage).collect()
}

/// The day so many days after the first of 1970.
pub(in crate::store) fn day_since_1970(days: i64) -> Date {
    jiff::civil::date(1970, 1, 1).saturating_add(jiff::Span::new().days(days))
}
