//! What a transaction does for runs that wait for other runs.

use std::collections::{HashMap, HashSet};
use std::future::Future;

use super::LaneKey;
use crate::run::RunId;
use crate::store::Result;

#[rustfmt::skip]
pub(in crate::store) trait WaitTx: Send {
    fn insert_waits(&mut self, waits: &[(RunId, RunId)]) -> impl Future<Output = Result<()>> + Send;
    /// Marks those of these runs that are live, and so locks them; answers with them and their lanes.
    fn mark_awaited(&mut self, upstreams: &[RunId]) -> impl Future<Output = Result<HashMap<RunId, Option<LaneKey>>>> + Send;
    /// The pairs (run, upstream) for these upstream runs.
    fn waits_on(&mut self, upstreams: &[RunId]) -> impl Future<Output = Result<Vec<(RunId, RunId)>>> + Send;
    fn delete_waits(&mut self, waits: &[(RunId, RunId)]) -> impl Future<Output = Result<()>> + Send;
    fn delete_waits_of(&mut self, runs: &[RunId]) -> impl Future<Output = Result<()>> + Send;
    /// Which of these runs still wait for another.
    fn waiting(&mut self, runs: &[RunId]) -> impl Future<Output = Result<HashSet<RunId>>> + Send;
}
