//! Hands out runs.

use jiff::Timestamp;
use rusqlite::{Row, params};

use crate::clock::later;
use crate::run::{Run, WorkerId};
use crate::store::script::{ClaimTx, Interest, Place, ReadyStreams, StreamKey, Turn};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, limit};
use crate::store::{Claim, ClaimRequest, Lease, Result};

impl ClaimTx for Session {
    async fn is_idle(&mut self, interest: &Interest) -> Result<bool> {
        let orphans = self.rows("select 1 from runs where orphaned_at is not null limit 1", [], |_| Ok(()))?;
        Ok(orphans.is_empty() && self.scan_streams(interest)?.is_empty())
    }

    async fn claim_known(&mut self, _: &ClaimRequest) -> Result<Option<Claim>> {
        Ok(None)
    }

    async fn adopt(&mut self, request: &ClaimRequest) -> Result<(Vec<(Run, Timestamp)>, ReadyStreams)> {
        Ok((self.adopt_orphans(request)?, self.ready_streams(&Interest::of(request)).await?))
    }

    async fn leases_of(&mut self, worker: WorkerId) -> Result<Vec<Lease>> {
        let mut select = self.prepare(&self.sql.leases_of)?;
        let mut leases = Vec::new();
        let lease = |row: &Row<'_>| Ok(Lease { run: row::run_id(row, 0)?, epoch: row.get(1)? });
        collect(&mut select, [worker.0.as_bytes()], lease, &mut leases)?;
        Ok(leases)
    }

    async fn ready_streams(&mut self, interest: &Interest) -> Result<ReadyStreams> {
        Ok(ReadyStreams { streams: self.scan_streams(interest)?, complete: true })
    }

    async fn ready_places(&mut self, turns: &[Turn]) -> Result<Vec<Place>> {
        let (now, mut select) = (self.time().as_microsecond(), self.prepare(&self.sql.ready_places)?);
        let mut places = Vec::new();
        for (number, Turn { stream, take }) in turns.iter().enumerate() {
            let read = |row: &Row<'_>| {
                Ok(Place { urgency: row.get(0)?, seq: row.get(1)?, turn: number, may_go_ahead: row.get(2)? })
            };
            let StreamKey { workspace, task, queue } = stream;
            let params = params![workspace.as_str(), task.as_str(), queue.as_str(), limit(*take), now];
            collect(&mut select, params, read, &mut places)?;
        }
        Ok(places)
    }

    async fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> Result<Vec<Run>> {
        let (now, taker) = (self.time(), &request.taker);
        let mut update = self.prepare_runs(&self.sql.claim)?;
        let mut runs = Vec::new();
        for Turn { stream: StreamKey { workspace, task, queue }, take } in turns {
            let params = params![
                workspace.as_str(),
                queue.as_str(),
                limit(*take),
                taker.worker.0.as_bytes(),
                taker.host.as_str(),
                now.as_microsecond(),
                later(now, request.lease_ttl).as_microsecond(),
                task.as_str(),
                request.ahead.is_some(),
            ];
            update.collect(params, &mut runs)?;
        }
        Ok(runs)
    }
}
