//! Hands out runs.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::run::Run;
use crate::store::postgres::arrays::Params;
use crate::store::postgres::marks::{Look, Mark};
use crate::store::postgres::row::runs;
use crate::store::postgres::session::Session;
use crate::store::script::{ClaimTx, Interest, Place, Ready, Turn, steps};
use crate::store::{Claim, ClaimRequest, Result};

impl ClaimTx for Session {
    async fn is_idle(&mut self, interest: &Interest) -> Result<bool> {
        self.nothing_waits(interest).await
    }

    async fn claim_known(&mut self, request: &ClaimRequest) -> Result<Option<Claim>> {
        // What this transaction made ready may stand before the place where the last claim ended.
        let only = if self.forget || self.looked { None } else { self.marks.look(&Interest::of(request)).only() };
        Ok(Some(match only {
            Some(only) => self.claim_from(&only, request).await?,
            None => Claim::default(),
        }))
    }

    async fn adopt(&mut self, request: &ClaimRequest) -> Result<(Vec<(Run, Timestamp)>, Ready)> {
        let look = self.begin_look(&Interest::of(request));
        let found = self.streams(look).await?;
        let adopted = if found.orphans { self.adopt_orphans(request).await? } else { Vec::new() };
        Ok((adopted, self.ready(look, &found)?))
    }

    async fn ready_streams(&mut self, interest: &Interest) -> Result<Ready> {
        let look = self.begin_look(interest);
        let found = self.streams(look).await?;
        self.ready(look, &found)
    }

    async fn ready_places(&mut self, turns: &[Turn]) -> Result<Vec<Place>> {
        let rows = self.query(&self.statements.ready_places, turn_params(Params::default(), turns, &self.look)).await?;
        // Counted from 1.
        let turn = |row: &Row| row.get::<_, i64>(0) as usize - 1;
        let place =
            |row: &Row| Place { turn: turn(row), urgency: row.get(1), seq: row.get(2), may_go_ahead: row.get(3) };
        Ok(rows.iter().map(place).collect())
    }

    async fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> Result<Vec<Run>> {
        let params = self.lease_params(&request.taker, request.lease_ttl);
        let [claim, _] = steps(&self.statements.claim);
        let params = turn_params(params, turns, &self.look).add(request.ahead.is_some(), Type::BOOL);
        let claimed = runs(&self.query(claim, params).await?)?;
        self.look.claimed(&claimed);
        Ok(claimed)
    }
}

fn turn_params<'a>(params: Params<'a>, turns: &'a [Turn], look: &Look) -> Params<'a> {
    let marks: Vec<Mark> = turns.iter().map(|turn| look.mark(&turn.stream)).collect();
    params
        .texts(turns.iter().map(|turn| turn.stream.workspace.as_str()).collect())
        .texts(turns.iter().map(|turn| turn.stream.task.as_str()).collect())
        .texts(turns.iter().map(|turn| turn.stream.queue.as_str()).collect())
        .bigs(turns.iter().map(|turn| turn.take as i64).collect())
        .smalls(marks.iter().map(|mark| mark.0).collect())
        .bigs(marks.iter().map(|mark| mark.1).collect())
}
