//! What a transaction does for schedules and the slots they skipped.

use std::future::Future;

use crate::run::{RunId, ScheduleId, WorkspaceName};
use crate::schedule::{Schedule, ScheduleName, Skip, SkipId};
use crate::store::{Page, Result, ScheduleFilter};

/// A schedule as it was read and as it is to be. That nobody else wrote it in between shows in its version, which rises with
/// every edit, and in its head and its last slot, one of which changes with every move.
#[derive(Clone, Debug)]
pub(in crate::store) struct ScheduleChange {
    pub(in crate::store) before: Schedule,
    pub(in crate::store) after: Schedule,
}

#[rustfmt::skip]
pub(in crate::store) trait ScheduleTx: Send {
    /// The runs of those of these schedules that replace them, which are running or wait to try again.
    fn rivals(&mut self, schedules: &[ScheduleId]) -> impl Future<Output = Result<Vec<RunId>>> + Send;
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
    /// As [`ScheduleTx::read_schedule`], if it belongs to this workspace.
    fn schedule(&mut self, workspace: &WorkspaceName, schedule: ScheduleId) -> impl Future<Output = Result<Option<Schedule>>> + Send;
    /// A page of the schedules, newest first, and one more.
    fn schedules(&mut self, workspace: &WorkspaceName, filter: &ScheduleFilter, page: &Page<ScheduleId>) -> impl Future<Output = Result<Vec<Schedule>>> + Send;
    /// A page of the skips, newest first, and one more.
    fn skips(&mut self, workspace: &WorkspaceName, schedule: ScheduleId, page: &Page<SkipId>) -> impl Future<Output = Result<Vec<Skip>>> + Send;
}
