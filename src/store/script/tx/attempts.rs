//! What a transaction does for the attempts that workers hold.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::future::Future;

use jiff::{SignedDuration, Timestamp};

use super::LaneKey;
use crate::run::{Run, RunId};
use crate::store::{Finish, Lease, NewEvent, Renew, Renewal, Result};

/// What [`AttemptTx::finish_plain`] ended, and what that leaves free.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Ended {
    pub(in crate::store) runs: HashSet<RunId>,
    pub(in crate::store) lanes: BTreeSet<LaneKey>,
    /// Whether a queue that has a limit was left.
    pub(in crate::store) limited: bool,
}

#[rustfmt::skip]
pub(in crate::store) trait AttemptTx: Send {
    /// Extends leases, without waiting for a locked run; leaves out those that are lost.
    fn renew(&mut self, leases: &[Renew], ttl: SignedDuration) -> impl Future<Output = Result<HashMap<Lease, Renewal>>> + Send;
    /// Ends those held attempts that succeeded and that no other run waits for; answers with them.
    fn finish_plain(&mut self, finishes: &[&Finish]) -> impl Future<Output = Result<Ended>> + Send;
    /// Adds events to a run that is locked; answers with the last sequence number.
    fn append(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) -> impl Future<Output = Result<i64>> + Send;
}
