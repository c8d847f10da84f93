//! Hands out runs.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::run::{Run, RunId, WorkerId};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::runs;
use crate::store::postgres::scan_positions::{Scan, ScanPosition};
use crate::store::postgres::session::Session;
use crate::store::script::{ClaimTx, Interest, Place, ReadyStreams, Turn, steps};
use crate::store::{Claim, ClaimRequest, Lease, Result};

impl ClaimTx for Session {
    async fn is_idle(&mut self, interest: &Interest) -> Result<bool> {
        self.nothing_to_claim(interest).await
    }

    async fn claim_known(&mut self, request: &ClaimRequest) -> Result<Option<Claim>> {
        // What this transaction made ready may stand before the place where the last claim ended.
        let only = if self.reset_positions || self.scanned {
            None
        } else {
            self.positions.start(&Interest::of(request)).only_stream()
        };
        Ok(Some(match only {
            Some(only) => self.claim_from(&only, request).await?,
            None => Claim::default(),
        }))
    }

    async fn adopt(&mut self, request: &ClaimRequest) -> Result<(Vec<(Run, Timestamp)>, ReadyStreams)> {
        let scan = self.begin_scan(&Interest::of(request));
        let found = self.streams(scan).await?;
        let adopted = if found.orphans { self.adopt_orphans(request).await? } else { Vec::new() };
        Ok((adopted, self.ready(scan, &found)?))
    }

    async fn leases_of(&mut self, worker: WorkerId) -> Result<Vec<Lease>> {
        let params = Params::default().add(worker.0, Type::UUID);
        let rows = self.query(&self.statements.leases_of, params).await?;
        Ok(rows.iter().map(|row| Lease { run: RunId(row.get(0)), epoch: row.get(1) }).collect())
    }

    async fn ready_streams(&mut self, interest: &Interest) -> Result<ReadyStreams> {
        let scan = self.begin_scan(interest);
        let found = self.streams(scan).await?;
        self.ready(scan, &found)
    }

    async fn ready_places(&mut self, turns: &[Turn]) -> Result<Vec<Place>> {
        let params = turn_params(Params::default(), turns, &self.scan).time(self.injected_now());
        let rows = self.query(&self.statements.ready_places, params).await?;
        // Counted from 1.
        let turn = |row: &Row| row.get::<_, i64>(0) as usize - 1;
        let place =
            |row: &Row| Place { turn: turn(row), urgency: row.get(1), seq: row.get(2), may_go_ahead: row.get(3) };
        Ok(rows.iter().map(place).collect())
    }

    async fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> Result<Vec<Run>> {
        let params = self.lease_params(&request.taker, request.lease_ttl);
        let [claim, _] = steps(&self.statements.claim);
        let params = turn_params(params, turns, &self.scan).add(request.ahead.is_some(), Type::BOOL);
        let claimed = runs(&self.query(claim, params).await?)?;
        self.scan.claimed(&claimed);
        Ok(claimed)
    }
}

fn turn_params<'a>(params: Params<'a>, turns: &'a [Turn], scan: &Scan) -> Params<'a> {
    let positions: Vec<ScanPosition> = turns.iter().map(|turn| scan.position(&turn.stream)).collect();
    params
        .texts(turns.iter().map(|turn| turn.stream.workspace.as_str()).collect())
        .texts(turns.iter().map(|turn| turn.stream.task.as_str()).collect())
        .texts(turns.iter().map(|turn| turn.stream.queue.as_str()).collect())
        .bigs(turns.iter().map(|turn| turn.take as i64).collect())
        .smalls(positions.iter().map(|mark| mark.0).collect())
        .bigs(positions.iter().map(|mark| mark.1).collect())
}
