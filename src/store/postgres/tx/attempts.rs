//! Renews and ends attempts, and stores what they report.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::micros;
use crate::run::{Json, LaneName, Run, RunId, Stop, WorkspaceName};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::JsonText;
use crate::store::postgres::session::Session;
use crate::store::script::{AttemptTx, Ended, bad_name, steps, to_i32};
use crate::store::{Finish, Lease, NewEvent, Renew, Renewal, Result};

impl AttemptTx for Session {
    async fn renew(&mut self, leases: &[Renew], ttl: SignedDuration) -> Result<HashMap<Lease, Renewal>> {
        let mut answers = HashMap::new();
        for (epoch, renewals) in by_epoch(leases.iter().map(|renew| (renew.lease, renew.began))) {
            self.renew_epoch(epoch, &renewals, ttl, &mut answers).await?;
        }
        Ok(answers)
    }

    async fn finish_plain(&mut self, finishes: &[&Finish]) -> Result<Ended> {
        let mut ended = Ended::default();
        // Nearly all leases of a batch have the same epoch, and one epoch a statement keeps the plan an index scan.
        for (epoch, said) in by_epoch(finishes.iter().map(|finish| (finish.lease, *finish))) {
            let params = Params::default()
                .uuids(said.iter().map(|(id, _)| id.0).collect())
                .big(epoch)
                .jsons(said.iter().map(|(_, finish)| finish.outcome.output().map(Json::as_str)).collect())
                .time(self.injected_now())
                .bigs(said.iter().map(|(_, finish)| micros(finish.ran)).collect());
            for row in self.query(&self.statements.finish_plain, params).await? {
                let Some(runs) = row.get::<_, Option<Vec<Uuid>>>(0) else { continue };
                ended.runs.extend(runs.into_iter().map(RunId));
                let [workspaces, lanes] = [1, 2].map(|at| row.get::<_, Option<Vec<&str>>>(at).unwrap_or_default());
                for (workspace, lane) in workspaces.into_iter().zip(lanes) {
                    let workspace = WorkspaceName::parse(workspace).map_err(bad_name)?;
                    ended.lanes.insert((workspace, LaneName::parse(lane).map_err(bad_name)?));
                }
                ended.limited |= row.get::<_, bool>(3);
            }
        }
        Ok(ended)
    }

    async fn append(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) -> Result<i64> {
        let params = Params::default()
            .add(run.id.0, Type::UUID)
            .time(Some(now))
            .add(to_i32(run.attempt), Type::INT4)
            .texts(events.iter().map(|event| event.kind.as_str()).collect())
            .add(events.iter().map(|event| JsonText(event.data.as_str())).collect::<Vec<_>>(), Type::JSON_ARRAY);
        let rows = self.query(&self.statements.append, params).await?;
        let written = rows.iter().map(|row| row.get::<_, i64>(0)).max();
        match written {
            Some(last) => Ok(last),
            None => self.last_event(run.id).await,
        }
    }
}

impl Session {
    /// Renews leases of one epoch, and notes which of their runs have begun since they were leased ahead.
    async fn renew_epoch(
        &mut self,
        epoch: i64,
        leases: &[(RunId, Option<SignedDuration>)],
        ttl: SignedDuration,
        answers: &mut HashMap<Lease, Renewal>,
    ) -> Result<()> {
        let [begin, renew, held] = steps(&self.statements.renew);
        let now = self.injected_now();
        let of =
            |runs: Vec<RunId>| Params::default().uuids(runs.iter().map(|run| run.0).collect()).big(epoch).time(now);
        let (begun, ago): (Vec<RunId>, Vec<i64>) =
            leases.iter().filter_map(|(run, began)| Some((*run, micros((*began)?)))).unzip();
        if !begun.is_empty() {
            self.execute(begin, of(begun).big(micros(ttl)).bigs(ago)).await?;
        }
        let runs: Vec<RunId> = leases.iter().map(|(run, _)| *run).collect();
        for row in self.query(renew, of(runs.clone()).big(micros(ttl))).await? {
            let stop = row.get::<_, Option<&str>>(1).and_then(Stop::from_word);
            answers.insert(Lease { run: RunId(row.get(0)), epoch }, Renewal::Renewed { stop });
        }
        let missing =
            runs.into_iter().filter(|run| !answers.contains_key(&Lease { run: *run, epoch })).collect::<Vec<_>>();
        if !missing.is_empty() {
            for row in self.query(held, of(missing)).await? {
                answers.insert(Lease { run: RunId(row.get(0)), epoch }, Renewal::Busy);
            }
        }
        Ok(())
    }

    async fn last_event(&self, run: RunId) -> Result<i64> {
        let sql = "select coalesce(max(seq), 0) from runlane.events where run = $1";
        Ok(self.query(sql, Params::default().add(run.0, Type::UUID)).await?[0].get(0))
    }
}

fn by_epoch<T>(leases: impl Iterator<Item = (Lease, T)>) -> BTreeMap<i64, Vec<(RunId, T)>> {
    let mut groups: BTreeMap<i64, Vec<(RunId, T)>> = BTreeMap::new();
    for (lease, said) in leases {
        groups.entry(lease.epoch).or_default().push((lease.run, said));
    }
    groups
}
