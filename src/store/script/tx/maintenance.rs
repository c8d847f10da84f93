//! What a transaction does in the periodic passes.

use std::future::Future;

use jiff::SignedDuration;

use super::LaneKey;
use crate::run::{Run, RunId, ScheduleId};
use crate::store::{Result, Retention};

/// A run that was found to be due.
#[derive(Clone, Debug)]
pub(in crate::store) struct FoundDue {
    pub(in crate::store) lane: Option<LaneKey>,
    /// Of which schedule, if it is a slot's.
    pub(in crate::store) schedule: Option<ScheduleId>,
}

#[rustfmt::skip]
pub(in crate::store) trait MaintenanceTx: Send {
    fn reap(&mut self, limit: usize) -> impl Future<Output = Result<Vec<RunId>>> + Send;
    /// Frees runs that are due.
    fn promote(&mut self, limit: usize) -> impl Future<Output = Result<Vec<FoundDue>>> + Send;
    /// Locks runs whose start deadline has passed and that nobody else has locked.
    fn late_runs(&mut self, limit: usize) -> impl Future<Output = Result<Vec<Run>>> + Send;
    /// How long it is until the next run is due or its start deadline passes.
    fn next_due(&mut self) -> impl Future<Output = Result<Option<SignedDuration>>> + Send;
    /// Locks attempts past their time that nobody else has locked.
    fn overdue_runs(&mut self, grace: SignedDuration, limit: usize) -> impl Future<Output = Result<Vec<Run>>> + Send;
    fn prune_finished(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_idempotency(&mut self, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_workers(&mut self, retention: &Retention) -> impl Future<Output = Result<usize>> + Send;
    fn prune_audit(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_lanes(&mut self, limit: usize) -> impl Future<Output = Result<()>> + Send;
    fn prune_skips(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
    fn prune_usage(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
}
