//! What a database must be able to do within one transaction, for recurring work.

use std::future::Future;

use jiff::{SignedDuration, Timestamp};

use crate::run::{GrantId, RunId, ScheduleId, WorkspaceName};
use crate::schedule::{BillingAccount, Grant, Schedule, ScheduleName, Skip};
use crate::store::{Result, Usage};

/// What an attempt used up, on whose account.
#[derive(Clone, Debug)]
pub(in crate::store) struct Charge {
    pub(in crate::store) usage: Usage,
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) account: Option<BillingAccount>,
    pub(in crate::store) task: crate::run::TaskName,
}

/// A schedule as it was read and as it is to be. That nobody else wrote it in between shows in its version, which rises with
/// every edit, and in its head and its last slot, one of which changes with every move.
#[derive(Clone, Debug)]
pub(in crate::store) struct ScheduleChange {
    pub(in crate::store) before: Schedule,
    pub(in crate::store) after: Schedule,
}

#[rustfmt::skip]
pub(in crate::store) trait ScheduleTx: Send {
    /// Removes finished runs with all that is known of them.
    fn forget_runs(&mut self, runs: &[(WorkspaceName, RunId)]) -> impl Future<Output = Result<()>> + Send;
    /// The runs of those of these schedules that replace them, which are running or wait to try again.
    fn rivals(&mut self, schedules: &[ScheduleId]) -> impl Future<Output = Result<Vec<RunId>>> + Send;

    // Grants
    /// Stores a grant, unless there is one with its id.
    fn insert_grant(&mut self, grant: &Grant) -> impl Future<Output = Result<bool>> + Send;
    /// Grants that cannot be revoked until the commit.
    fn lock_grants(&mut self, grants: &[GrantId]) -> impl Future<Output = Result<Vec<Grant>>> + Send;
    /// Revokes a grant that is not revoked.
    fn revoke_grant(&mut self, workspace: &WorkspaceName, grant: GrantId, now: Timestamp) -> impl Future<Output = Result<bool>> + Send;

    // Schedules
    /// Stores a schedule, unless there is one with its id or its name.
    fn insert_schedule(&mut self, schedule: &Schedule) -> impl Future<Output = Result<bool>> + Send;
    /// One schedule as it stands, without locking it.
    fn read_schedule(&mut self, schedule: ScheduleId) -> impl Future<Output = Result<Option<Schedule>>> + Send;
    /// The schedule of this name, if the workspace has one, without locking it.
    fn schedule_named(&mut self, workspace: &WorkspaceName, name: &ScheduleName) -> impl Future<Output = Result<Option<Schedule>>> + Send;
    fn lock_schedules(&mut self, schedules: &[ScheduleId]) -> impl Future<Output = Result<Vec<Schedule>>> + Send;
    /// Writes what a chain changes: head, last slot, and why it is disabled. Each only where the row is still as it was read;
    /// answers how many it wrote.
    fn move_schedules(&mut self, moves: &[ScheduleChange]) -> impl Future<Output = Result<usize>> + Send;
    /// Writes everything, if the row is still as it was read; answers whether it was.
    fn edit_schedule(&mut self, edit: &ScheduleChange) -> impl Future<Output = Result<bool>> + Send;
    /// Removes a schedule and its skips, if the row is still as it was read; answers whether it was.
    fn delete_schedule(&mut self, schedule: &Schedule) -> impl Future<Output = Result<bool>> + Send;
    /// Schedules at work whose waiting run is gone.
    fn broken_schedules(&mut self, limit: usize) -> impl Future<Output = Result<Vec<ScheduleId>>> + Send;
    fn insert_skips(&mut self, skips: &[Skip]) -> impl Future<Output = Result<()>> + Send;
    fn prune_skips(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;

    // Usage
    /// Adds to what attempts used up.
    fn charge(&mut self, charges: &[Charge], now: Timestamp) -> impl Future<Output = Result<()>> + Send;
    fn prune_usage(&mut self, kept: SignedDuration, limit: usize) -> impl Future<Output = Result<usize>> + Send;
}
