//! Deliberate faults, each of which must be reported: of a wrapper around the reference model, and of SQL.

mod faulty;
mod scenario;
pub(crate) mod sql;
mod wrapped;

use std::collections::BTreeSet;
use std::sync::Arc;

use runlane::clock::{Clock, ManualClock};
use runlane::store::Store;
use runlane::store::checker::{FinalState, Rule, check};

use crate::concurrent::{Size, workload};
pub(crate) use scenario::scenario;

/// Whether the concurrent workload shows that `rule` is broken; otherwise what it shows. One workload may happen to
/// avoid the fault; one that ten do not show is not noticed.
pub(crate) async fn is_reported_under_load(
    rule: Rule,
    seed: u64,
    open: impl AsyncFn() -> Arc<dyn Store>,
) -> Result<(), BTreeSet<Rule>> {
    let mut reported = BTreeSet::new();
    for round in 0..10 {
        let store = open().await;
        let recording = workload(store.clone(), seed ^ round, Size::usual()).await;
        let last = FinalState::read(&*store).await.expect("the store can be read");
        reported.extend(check(&recording, &last).into_iter().map(|violation| violation.rule));
        if reported.contains(&rule) {
            return Ok(());
        }
    }
    Err(reported)
}

/// What a fault must show in the scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sign {
    /// The checker finds this promise broken.
    Breaks(Rule),
    /// The database refuses, and names this constraint.
    RefusedBy(&'static str),
}

/// Plays the scenario on every faulty store; each must show its sign. `open` makes an empty store with the fault, which
/// follows the clock.
pub(crate) async fn all_are_reported<F: std::fmt::Debug>(
    faults: impl IntoIterator<Item = (F, Sign)>,
    open: impl AsyncFn(&F, Clock) -> Arc<dyn Store>,
) {
    let mut unnoticed = Vec::new();
    for (fault, sign) in faults {
        let clock = ManualClock::starting_at(jiff::Timestamp::UNIX_EPOCH);
        clock.advance(jiff::SignedDuration::from_hours(24 * 365 * 55));
        let store = open(&fault, Clock::Manual(clock.clone())).await;
        let recording = scenario(store.clone(), clock).await;
        let last = FinalState::read(&*store).await.expect("the store can be read");
        let broken: BTreeSet<Rule> = check(&recording, &last).into_iter().map(|violation| violation.rule).collect();
        let errors = recording.errors();
        let shown = match sign {
            Sign::Breaks(rule) => broken.contains(&rule),
            Sign::RefusedBy(constraint) => errors.iter().any(|error| error.contains(constraint)),
        };
        if !shown {
            unnoticed.push(format!("{fault:?} must show {sign:?}; reported: {broken:?}, errors: {errors:?}"));
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}
