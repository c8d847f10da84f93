//! What a transaction does to hand out runs.

use std::future::Future;

use jiff::Timestamp;

use crate::run::{Run, WorkerId};
use crate::store::script::{Interest, StreamKey};
use crate::store::{Claim, ClaimRequest, Lease, Result};

/// A stream that has ready runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Stream {
    pub(in crate::store) key: StreamKey,
    /// Whether its queue has a limit.
    pub(in crate::store) limited: bool,
}

/// The streams that a scan found.
#[derive(Clone, Debug)]
pub(in crate::store) struct ReadyStreams {
    pub(in crate::store) streams: Vec<Stream>,
    /// Whether these are all; if not, asking again in the same transaction gives all.
    pub(in crate::store) complete: bool,
}

/// How many runs to claim from a stream.
#[derive(Clone, Debug)]
pub(in crate::store) struct Turn {
    pub(in crate::store) stream: StreamKey,
    pub(in crate::store) take: usize,
}

/// A ready run's place in its stream: most urgent first, then oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct Place {
    pub(in crate::store) urgency: i16,
    pub(in crate::store) seq: i64,
    /// Which of the turns asked for it.
    pub(in crate::store) turn: usize,
    /// Whether the run may be leased ahead of its start, as far as the run alone decides.
    pub(in crate::store) may_go_ahead: bool,
}

#[rustfmt::skip]
pub(in crate::store) trait ClaimTx: Send {
    /// Whether there is nothing to adopt, and nothing to claim for this interest.
    fn is_idle(&mut self, interest: &Interest) -> impl Future<Output = Result<bool>> + Send;
    /// Claims from the streams this process already knows, without locking or scanning; may return nothing. `None` if the usual claim
    /// does not wait on this database.
    fn claim_known(&mut self, request: &ClaimRequest) -> impl Future<Output = Result<Option<Claim>>> + Send;
    /// Adopts orphaned runs; answers with them, since when each was orphaned, and with what [`ClaimTx::ready_streams`] would.
    fn adopt(&mut self, request: &ClaimRequest) -> impl Future<Output = Result<(Vec<(Run, Timestamp)>, ReadyStreams)>> + Send;
    /// The streams that the worker serves, that have something to claim and are not paused: of each workspace as many as one scan
    /// finds.
    fn ready_streams(&mut self, interest: &Interest) -> impl Future<Output = Result<ReadyStreams>> + Send;
    /// The places of the first `take` ready runs of each stream, without locking them.
    fn ready_places(&mut self, turns: &[Turn]) -> impl Future<Output = Result<Vec<Place>>> + Send;
    /// The leases that this worker holds, for all that is stored.
    fn leases_of(&mut self, worker: WorkerId) -> impl Future<Output = Result<Vec<Lease>>> + Send;
    fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> impl Future<Output = Result<Vec<Run>>> + Send;
}
