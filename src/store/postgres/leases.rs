//! Renews leases.

use std::collections::HashMap;

use jiff::SignedDuration;

use super::arrays::Params;
use super::session::Session;
use super::tx::micros;
use crate::run::{RunId, Stop};
use crate::store::script::steps;
use crate::store::{Lease, Renewal, Result};

impl Session {
    /// Renews leases of one epoch, and notes which of their runs have begun since they were leased ahead.
    pub(super) async fn renew_epoch(
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
}
