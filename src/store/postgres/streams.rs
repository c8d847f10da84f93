//! Scans for streams that have something to claim.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::arrays::Params;
use super::connect::refused;
use super::row::runs;
use super::scan_positions::{Scan, ScanPosition};
use super::session::Session;
use super::tx::{micros, queue, workspace};
use crate::run::lifecycle::{Taker, abandoned_after};
use crate::run::{QueueName, Run, TaskName, WorkspaceName};
use crate::store::script::{Interest, MOST_STREAMS, ReadyStreams, Stream, StreamKey, bad_name, steps};
use crate::store::{Claim, ClaimRequest, Claimed, Result};

/// One scan for streams.
#[derive(Clone, Copy)]
pub(super) struct StreamScan {
    /// Whether it covers all streams, rather than those this process already knows.
    complete: bool,
    began: Instant,
}

/// What a scan found.
pub(super) struct FoundStreams {
    streams: Vec<Row>,
    /// Whether there are runs to be adopted.
    pub(super) orphans: bool,
}

impl Session {
    /// The first parameters of every statement that hands out leases.
    pub(super) fn lease_params<'a>(&self, taker: &'a Taker, ttl: SignedDuration) -> Params<'a> {
        Params::default()
            .add(taker.worker.0, Type::UUID)
            .text(taker.host.as_str())
            .time(self.injected_now())
            .big(micros(ttl))
    }

    /// Whether there is nothing to adopt, and nothing to claim: what a claim would find out.
    pub(super) async fn nothing_to_claim(&mut self, interest: &Interest) -> Result<bool> {
        loop {
            let scan = self.begin_scan(interest);
            let found = self.streams(scan).await?;
            let ready = self.ready(scan, &found)?;
            if found.orphans || !ready.streams.is_empty() || ready.complete {
                return Ok(!found.orphans && ready.streams.is_empty());
            }
        }
    }

    /// Decides whether to scan all streams or only those this process already knows.
    pub(super) fn begin_scan(&mut self, interest: &Interest) -> StreamScan {
        let again = std::mem::replace(&mut self.scanned, true);
        if !again {
            self.scan = self.shared.positions.start(interest);
            // What this transaction made ready may stand before the place where the last claim ended.
            if self.reset_positions {
                self.scan.positions.clear();
            }
        }
        StreamScan { complete: again || self.scan.positions.is_empty(), began: Instant::now() }
    }

    /// Claims from the one stream that this process knows, and commits, in one round trip.
    pub(super) async fn claim_from(
        &mut self,
        only: &(StreamKey, ScanPosition),
        request: &ClaimRequest,
    ) -> Result<Claim> {
        let (StreamKey { workspace, task, queue }, (urgency, seq)) = only;
        if request.ahead.as_ref().is_some_and(|ahead| !ahead.tasks.contains(task)) {
            return Ok(Claim::default());
        }
        let params = self
            .lease_params(&request.taker, request.lease_ttl)
            .text(workspace.as_str())
            .text(task.as_str())
            .text(queue.as_str())
            .big(request.capacity as i64)
            .add(*urgency, Type::INT2)
            .big(*seq)
            .add(request.ahead.is_some(), Type::BOOL)
            .big(request.ahead.as_ref().map_or(0, |ahead| ahead.spare as i64));
        self.scan = self.shared.positions.start(&Interest::of(request));
        self.scanned = true;
        self.last = Some(self.notices.ready);
        let [_, known] = steps(&self.statements.claim);
        let claimed = runs(&self.query(known, params).await?)?;
        self.scan.claimed(&claimed);
        let mut runs: Vec<Claimed> = claimed.into_iter().map(Claimed::begun).collect();
        runs.sort_by_key(|claimed| (-claimed.run.priority.get(), claimed.run.seq));
        let last_turn = (!runs.is_empty()).then(|| workspace.clone());
        Ok(Claim { runs, last_turn })
    }

    /// Adopts orphaned runs; answers with them, and since when each was orphaned.
    pub(super) async fn adopt_orphans(&self, request: &ClaimRequest) -> Result<Vec<(Run, Timestamp)>> {
        let params = self
            .lease_params(&request.taker, request.lease_ttl)
            .texts(request.queues.iter().map(QueueName::as_str).collect())
            .big(micros(request.takeover_delay))
            .big(request.capacity as i64)
            .add(task_names(request.tasks.as_deref()), Type::TEXT_ARRAY)
            .big(micros(abandoned_after(request.takeover_delay)));
        let rows = self.query(&self.statements.adopt, params).await?;
        let since = |row: &Row| row.try_get("since").map_err(|error| refused("reading a run", error));
        let since = rows.iter().map(since).collect::<Result<Vec<_>>>()?;
        Ok(runs(&rows)?.into_iter().zip(since).collect())
    }

    pub(super) async fn streams(&self, scan: StreamScan) -> Result<FoundStreams> {
        let [all, known] = steps(&self.statements.ready_streams);
        let rows = match scan.complete {
            true => self.query(all, wanted_streams(&self.scan)).await?,
            false => self.query(known, known_streams(&self.scan)).await?,
        };
        let (streams, orphans): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.get::<_, Option<&str>>(0).is_some());
        Ok(FoundStreams { streams, orphans: !orphans.is_empty() })
    }

    pub(super) fn ready(&mut self, scan: StreamScan, seen: &FoundStreams) -> Result<ReadyStreams> {
        let rows = &seen.streams;
        let stream = |row: &Row| {
            let task = TaskName::parse(row.get::<_, &str>(1)).map_err(bad_name)?;
            Ok(StreamKey { workspace: workspace(row, 0)?, task, queue: queue(row, 2)? })
        };
        let found = rows.iter().map(stream).collect::<Result<Vec<_>>>()?;
        if scan.complete {
            self.scan.found_all(&found, scan.began);
        }
        let streams = found.into_iter().zip(rows).filter_map(|(key, row)| {
            let (paused, limited): (bool, bool) = (row.get(3), row.get(4));
            (!paused).then_some(Stream { key, limited })
        });
        Ok(ReadyStreams { streams: streams.collect(), complete: scan.complete || !self.scan.may_rescan })
    }
}

/// The names of tasks, or null for all.
pub(super) fn task_names(tasks: Option<&[TaskName]>) -> Option<Vec<&str>> {
    tasks.map(|tasks| tasks.iter().map(TaskName::as_str).collect())
}

fn wanted_streams(scan: &Scan) -> Params<'_> {
    let (interest, last_seen) = (&scan.interest, &scan.last_seen);
    Params::default()
        .add(task_names(interest.tasks.as_deref()), Type::TEXT_ARRAY)
        .texts(interest.queues.iter().map(QueueName::as_str).collect())
        .add(MOST_STREAMS as i32, Type::INT4)
        .texts(last_seen.keys().map(WorkspaceName::as_str).collect())
        .texts(last_seen.values().map(|(task, _)| task.as_str()).collect())
        .texts(last_seen.values().map(|(_, queue)| queue.as_str()).collect())
}

fn known_streams(scan: &Scan) -> Params<'_> {
    Params::default()
        .texts(scan.positions.keys().map(|stream| stream.workspace.as_str()).collect())
        .texts(scan.positions.keys().map(|stream| stream.task.as_str()).collect())
        .texts(scan.positions.keys().map(|stream| stream.queue.as_str()).collect())
        .smalls(scan.positions.values().map(|mark| mark.0).collect())
        .bigs(scan.positions.values().map(|mark| mark.1).collect())
}
