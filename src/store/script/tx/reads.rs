//! What a transaction reads of runs for people.

use std::future::Future;

use crate::run::{Attempt, Run, RunId, WorkspaceName};
use crate::store::{Count, Event, Page, Result, RunFilter};

#[rustfmt::skip]
pub(in crate::store) trait ReadTx: Send {
    /// One run, live or finished.
    fn run(&mut self, workspace: &WorkspaceName, run: RunId) -> impl Future<Output = Result<Option<Run>>> + Send;
    /// A page of the runs, newest id first, and one more.
    fn runs(&mut self, workspace: &WorkspaceName, filter: &RunFilter, page: &Page<RunId>) -> impl Future<Output = Result<Vec<Run>>> + Send;
    fn runs_ending(&mut self, workspace: &WorkspaceName, end: &str, limit: usize) -> impl Future<Output = Result<Vec<RunId>>> + Send;
    /// The attempts of a run that have rows of their own: all but the last one.
    fn attempts(&mut self, run: RunId) -> impl Future<Output = Result<Vec<Attempt>>> + Send;
    /// The runs that a run waits for.
    fn waits(&mut self, run: RunId) -> impl Future<Output = Result<Vec<RunId>>> + Send;
    fn events(&mut self, run: RunId, after: i64, limit: usize) -> impl Future<Output = Result<Vec<Event>>> + Send;
    fn counts(&mut self) -> impl Future<Output = Result<Vec<Count>>> + Send;
}
