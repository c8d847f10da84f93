//! Runs whose task this worker lacks: it went away since they were claimed, or nobody who has it has adopted them for long.

use super::Inner;
use super::attempt::Verdict;
use super::claimer::signed;
use crate::clock::later;
use crate::run::lifecycle::{Outcome, Release, abandoned_after};
use crate::run::{Run, Tenure};
use crate::store::Claimed;

/// What becomes of a run whose task this worker lacks.
pub(super) fn verdict(inner: &Inner, claimed: &Claimed) -> Verdict {
    match claimed.adopted {
        true if is_abandoned(inner, claimed) => Verdict::Finish(Outcome::Lost),
        // The task went away between the claim and now: both are for workers that have it.
        true => Verdict::Release(Release::ForAdoption),
        false => Verdict::Release(Release::Unbegun),
    }
}

/// Whether the store let this worker adopt the run only because nobody who has the task has come for long.
fn is_abandoned(inner: &Inner, Claimed { run, orphaned_at, .. }: &Claimed) -> bool {
    let (Some(orphaned_at), Some(claimed_at)) = (*orphaned_at, claimed_at(inner, run)) else { return false };
    later(orphaned_at, abandoned_after(signed(inner.settings.takeover_delay))) <= claimed_at
}

/// By the clock of the store.
fn claimed_at(inner: &Inner, run: &Run) -> Option<jiff::Timestamp> {
    match run.execution()?.tenure {
        Tenure::Leased { until } => until.checked_sub(signed(inner.settings.lease_ttl)).ok(),
        Tenure::Orphaned { .. } => None,
    }
}
