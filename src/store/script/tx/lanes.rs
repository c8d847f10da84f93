//! What a transaction does for lanes.

use std::collections::{HashMap, HashSet};
use std::future::Future;

use super::LaneKey;
use crate::run::{LaneName, Run, RunId, WorkspaceName};
use crate::store::{ClaimRequest, Lane, LanePolicy, Page, Result};

/// What stands at the front of a lane.
#[derive(Clone, Debug)]
pub(in crate::store) struct Front {
    /// A run is running or waits to try again, or a stopped run holds the lane.
    pub(in crate::store) closed: bool,
    /// The run that is ready now.
    pub(in crate::store) ready: Option<RunId>,
    /// The run that should be next.
    pub(in crate::store) first: Option<RunId>,
}

#[rustfmt::skip]
pub(in crate::store) trait LaneTx: Send {
    /// Locks lanes, making those that are new, and answers with their policies.
    fn lock_lanes(&mut self, lanes: &[LaneKey]) -> impl Future<Output = Result<HashMap<LaneKey, LanePolicy>>> + Send;
    fn set_lane_policy(&mut self, lane: &LaneKey, policy: LanePolicy) -> impl Future<Output = Result<()>> + Send;
    fn insert_holds(&mut self, holds: &[(RunId, LaneKey)]) -> impl Future<Output = Result<()>> + Send;
    /// Ends the holds of these runs; answers with those that held.
    fn delete_holds(&mut self, runs: &[RunId]) -> impl Future<Output = Result<HashSet<RunId>>> + Send;
    fn delete_lane_holds(&mut self, lane: &LaneKey) -> impl Future<Output = Result<usize>> + Send;
    fn lane_fronts(&mut self, lanes: &[LaneKey]) -> impl Future<Output = Result<Vec<Front>>> + Send;
    /// Puts runs that are still ready back behind their lanes; answers with them.
    fn lane_demote(&mut self, runs: &[RunId]) -> impl Future<Output = Result<HashSet<RunId>>> + Send;
    /// Makes runs that are still behind their lanes ready.
    fn lane_promote(&mut self, runs: &[RunId]) -> impl Future<Output = Result<()>> + Send;
    /// Starts those of these runs that are still behind their lanes, of tasks and in queues that the worker serves, the queues
    /// neither paused nor limited, with no grant to be checked; answers with them.
    fn lane_claim(&mut self, runs: &[RunId], request: &ClaimRequest) -> impl Future<Output = Result<Vec<Run>>> + Send;
    /// A page of the lanes that have live runs, holds or a policy, by name, and one more; or only one lane.
    fn lanes(&mut self, workspace: &WorkspaceName, only: Option<&LaneName>, page: &Page<LaneName>) -> impl Future<Output = Result<Vec<Lane>>> + Send;
}
