//! The times during which runs were running for certain.

use super::facts::{Facts, Grant, Life, WriteKind};
use crate::run::{RunId, Status};

/// An attempt from the claim that started it to the first thing that may have ended it.
pub(super) struct Running<'a> {
    pub(super) run: RunId,
    pub(super) grant: &'a Grant,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Running<'_> {
    pub(super) fn at(&self, time: i64) -> bool {
        self.from <= time && time < self.to
    }
}

pub(super) fn running(facts: &Facts) -> Vec<Running<'_>> {
    let attempts = facts.runs.iter().flat_map(|(run, life)| {
        let starts = life.grants.iter().filter(|grant| !grant.granted.adopted);
        starts.map(move |grant| Running { run: *run, grant, from: grant.span.to, to: until(life, grant) })
    });
    attempts.filter(|attempt| attempt.from < attempt.to).collect()
}

/// A run without a lease is still running, so only the end of the attempt counts.
fn until(life: &Life, grant: &Grant) -> i64 {
    let goes_on = WriteKind::End(Some(Status::Running));
    let ends =
        life.writes.iter().filter(|write| write.may_end() && write.kind != goes_on && write.epoch >= grant.epoch());
    let expired = life.expired.iter().filter(|pass| pass.to > grant.span.from);
    ends.map(|write| write.span.from).chain(expired.map(|pass| pass.from)).min().unwrap_or(i64::MAX)
}
