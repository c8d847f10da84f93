//! Renews and ends attempts, and stores what they report.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use rusqlite::params;

use super::lane;
use crate::clock::{earlier, later};
use crate::run::{Json, Run, Stop};
use crate::store::script::{AttemptTx, Ended, steps};
use crate::store::sqlite::session::{Session, first};
use crate::store::{Finish, Lease, NewEvent, Renew, Renewal, Result};

impl AttemptTx for Session {
    async fn renew(&mut self, leases: &[Renew], ttl: SignedDuration) -> Result<HashMap<Lease, Renewal>> {
        let now = self.time();
        let until = later(now, ttl).as_microsecond();
        let [begin, renew] = steps(&self.sql.renew);
        let (mut begin, mut renew) = (self.prepare(begin)?, self.prepare(renew)?);
        let mut held = HashMap::new();
        for Renew { lease, began } in leases {
            let (id, epoch, micros) = (lease.run.0.as_bytes(), lease.epoch, now.as_microsecond());
            if let Some(ago) = began {
                begin.execute(params![id, epoch, micros, earlier(now, *ago).as_microsecond()])?;
            }
            let stop = first(&mut renew, params![id, epoch, micros, until], |row| {
                Ok(row.get::<_, Option<String>>(0)?.as_deref().and_then(Stop::from_word))
            })?;
            held.extend(stop.map(|stop| (*lease, Renewal::Renewed { stop })));
        }
        Ok(held)
    }

    async fn finish_plain(&mut self, finishes: &[&Finish]) -> Result<Ended> {
        let time = self.time();
        let now = time.as_microsecond();
        let [select, insert, delete] = steps(&self.sql.finish_plain);
        let (mut select, mut insert, mut delete) =
            (self.prepare(select)?, self.prepare(insert)?, self.prepare(delete)?);
        let mut ended = Ended::default();
        for Finish { lease: Lease { run, epoch }, outcome, ran, .. } in finishes {
            let held = first(&mut select, params![run.0.as_bytes(), epoch, now], |row| {
                Ok((lane(row)?, row.get::<_, i64>(2)?, row.get::<_, bool>(3)?))
            })?;
            let Some((lane, seq, limited)) = held else { continue };
            let began = earlier(time, *ran).as_microsecond();
            insert.execute(params![seq, now, outcome.output().map(Json::as_str), began])?;
            delete.execute([seq])?;
            ended.runs.insert(*run);
            ended.lanes.extend(lane);
            ended.limited |= limited;
        }
        Ok(ended)
    }

    async fn append(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) -> Result<i64> {
        let [last, insert] = steps(&self.sql.append);
        let id = run.id.0.as_bytes();
        let mut seq: i64 = self.row(last, [id], |row| Ok(row.get(0)?))?.unwrap_or_default();
        let mut insert = self.prepare(insert)?;
        for NewEvent { kind, data } in events {
            seq += 1;
            insert.execute(params![id, seq, now.as_microsecond(), run.attempt, kind.as_str(), data.as_str()])?;
        }
        Ok(seq)
    }
}
