//! Lanes and who holds them.

use std::collections::{HashMap, HashSet};

use rusqlite::{Row, params};

use super::array;
use crate::clock::later;
use crate::run::{LaneName, Run, RunId, WorkspaceName};
use crate::store::script::{Front, LaneKey, LaneTx, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, collect, first, limit};
use crate::store::sqlite::streams::behind;
use crate::store::{ClaimRequest, Lane, LanePolicy, Page, Result};

impl LaneTx for Session {
    async fn lock_lanes(&mut self, lanes: &[LaneKey]) -> Result<HashMap<LaneKey, LanePolicy>> {
        let mut select = self.prepare(&self.sql.lock_lanes)?;
        let mut policies = HashMap::new();
        for key in lanes {
            let policy = first(&mut select, names(key), |row| row::word(row, 0, LanePolicy::from_word))?;
            policies.insert(key.clone(), policy.unwrap_or_default());
        }
        Ok(policies)
    }

    async fn set_lane_policy(&mut self, lane: &LaneKey, policy: LanePolicy) -> Result<()> {
        let [workspace, name] = names(lane);
        self.execute(&self.sql.set_lane_policy, [workspace, name, policy.as_str()]).map(drop)
    }

    async fn insert_holds(&mut self, holds: &[(RunId, LaneKey)]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_holds)?;
        for (run, (workspace, lane)) in holds {
            insert.execute(params![run.0.as_bytes(), workspace.as_str(), lane.as_str()])?;
        }
        Ok(())
    }

    async fn delete_holds(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        self.affected(&self.sql.delete_holds, runs)
    }

    async fn delete_lane_holds(&mut self, lane: &LaneKey) -> Result<usize> {
        self.execute(&self.sql.delete_lane_holds, names(lane))
    }

    async fn lane_fronts(&mut self, lanes: &[LaneKey]) -> Result<Vec<Front>> {
        let mut select = self.prepare(&self.sql.lane_fronts)?;
        let mut fronts = Vec::new();
        for key in lanes {
            let read = |row: &Row<'_>| {
                let (ready, first) = (row::maybe_run_id(row, 1)?, row::maybe_run_id(row, 2)?);
                Ok(Front { closed: row.get(0)?, ready, first })
            };
            collect(&mut select, names(key), read, &mut fronts)?;
        }
        Ok(fronts)
    }

    async fn lane_demote(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        self.affected(&self.sql.lane_demote, runs)
    }

    async fn lane_promote(&mut self, runs: &[RunId]) -> Result<()> {
        self.affected(&self.sql.lane_promote, runs).map(drop)
    }

    async fn lane_claim(&mut self, runs: &[RunId], request: &ClaimRequest) -> Result<Vec<Run>> {
        let now = self.time();
        let mut update = self.prepare_runs(&self.sql.lane_claim)?;
        let mut started = Vec::new();
        for run in runs {
            let params = params![
                run.0.as_bytes(),
                request.taker.worker.0.as_bytes(),
                request.taker.host.as_str(),
                now.as_microsecond(),
                later(now, request.lease_ttl).as_microsecond(),
                request.queues.is_empty(),
                array(&request.queues),
                request.tasks.is_none(),
                array(request.tasks.as_deref().unwrap_or_default()),
            ];
            update.collect(params, &mut started)?;
        }
        Ok(started)
    }

    async fn lanes(
        &mut self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Vec<Lane>> {
        let [lanes, holds] = steps(&self.sql.lanes);
        // As a range, which the indexes understand: every name comes after the empty one and before the last character there is.
        let after = page.after.as_ref().map(|after| behind(after.as_str()));
        let (first, last) = match only {
            Some(only) => (only.to_string().max(after.unwrap_or_default()), only.as_str()),
            None => (after.unwrap_or_default(), "\u{10ffff}"),
        };
        let params = params![workspace.as_str(), first, last, limit(page.limit.saturating_add(1))];
        let mut lanes = self.rows(lanes, params, |row| {
            let policy = row.get::<_, Option<String>>(1)?;
            Ok(Lane {
                name: row::name(row, 0, LaneName::parse)?,
                policy: policy.as_deref().and_then(LanePolicy::from_word).unwrap_or_default(),
                occupant: row::maybe_run_id(row, 2)?,
                held_by: Vec::new(),
                waiting: row::count(row, 3)?,
            })
        })?;
        let mut holds = self.prepare(holds)?;
        for Lane { name, held_by, .. } in &mut lanes {
            collect(&mut holds, [workspace.as_str(), name.as_str()], |row| row::run_id(row, 0), held_by)?;
        }
        Ok(lanes)
    }
}

fn names((workspace, lane): &LaneKey) -> [&str; 2] {
    [workspace.as_str(), lane.as_str()]
}
