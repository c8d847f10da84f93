//! What a transaction does to admit new runs.

use std::collections::{HashMap, HashSet};
use std::future::Future;

use jiff::Timestamp;

use crate::run::{IdempotencyKey, NewRun, Run, RunId, RunKey, Status, WorkspaceName};
use crate::store::Result;

/// A request made before under an idempotency key.
#[derive(Clone, Debug)]
pub(in crate::store) struct Remembered {
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) key: IdempotencyKey,
    pub(in crate::store) fingerprint: Vec<u8>,
    pub(in crate::store) run: RunId,
    pub(in crate::store) expires_at: Timestamp,
}

#[rustfmt::skip]
pub(in crate::store) trait SubmissionTx: Send {
    fn known_workspaces(&mut self, names: &[WorkspaceName]) -> impl Future<Output = Result<HashSet<WorkspaceName>>> + Send;
    /// Which of these ids runs have already, with their workspace and status: live ones of any workspace, finished
    /// ones of the workspace named with them.
    fn known_runs(&mut self, ids: &[(WorkspaceName, RunId)]) -> impl Future<Output = Result<HashMap<RunId, (WorkspaceName, Status)>>> + Send;
    fn remembered(&mut self, keys: &[(WorkspaceName, IdempotencyKey)]) -> impl Future<Output = Result<Vec<Remembered>>> + Send;
    fn remember(&mut self, requests: &[Remembered]) -> impl Future<Output = Result<()>> + Send;
    /// Locks the live runs that have these keys.
    fn keyed_runs(&mut self, keys: &[(WorkspaceName, RunKey)]) -> impl Future<Output = Result<Vec<Run>>> + Send;
    /// Counts live runs, one admission at a time until the commit.
    fn count_live(&mut self) -> impl Future<Output = Result<u64>> + Send;
    /// Inserts plain runs, which are ready at once, except those whose ids are taken; answers which were inserted, and when. The
    /// database gives each its `seq` and its time. It may also refuse all of them as contended: then the next try reads first which
    /// ids are taken.
    fn insert_ready(&mut self, requests: &[NewRun]) -> impl Future<Output = Result<(Vec<bool>, Timestamp)>> + Send;
    /// Inserts live runs in this order; the database gives each its `seq`.
    fn insert_runs(&mut self, runs: &[Run]) -> impl Future<Output = Result<()>> + Send;
    /// Inserts runs that ended at once; the database gives each its `seq`.
    fn insert_finished(&mut self, runs: &[Run]) -> impl Future<Output = Result<()>> + Send;
}
