//! What a transaction does to runs as a whole: lock them, write them, move them between `runs` and `history`.

use std::future::Future;

use crate::run::{Attempt, Run, RunId, WorkspaceName};
use crate::store::Result;

#[rustfmt::skip]
pub(in crate::store) trait RunTx: Send {
    fn lock_runs(&mut self, ids: &[RunId]) -> impl Future<Output = Result<Vec<Run>>> + Send;
    fn lock_finished(&mut self, workspace: &WorkspaceName, ids: &[RunId]) -> impl Future<Output = Result<Vec<Run>>> + Send;
    /// Writes live runs, each only where its row is still at the revision before; answers how many it wrote.
    fn update_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<usize>> + Send;
    /// Moves live runs into history, as [`RunTx::update_runs`] writes them.
    fn end_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<usize>> + Send;
    /// Moves finished runs back among the live, as [`RunTx::update_runs`] writes them.
    fn revive_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<usize>> + Send;
    fn insert_attempts(&mut self, attempts: &[(RunId, Attempt)]) -> impl Future<Output = Result<()>> + Send;
    /// Removes finished runs with all that is known of them.
    fn forget_runs(&mut self, runs: &[(WorkspaceName, RunId)]) -> impl Future<Output = Result<()>> + Send;
}
