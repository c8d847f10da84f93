//! Lanes and who holds them.

use std::collections::{HashMap, HashSet};

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{ids_only, lane, lane_keys, workspace};
use crate::run::{LaneName, QueueName, Run, RunId, WorkspaceName};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::runs;
use crate::store::postgres::session::Session;
use crate::store::postgres::streams::task_names;
use crate::store::script::{Front, LaneKey, LaneTx};
use crate::store::{ClaimRequest, Lane, LanePolicy, Page, Result, StoreError};

impl LaneTx for Session {
    async fn lock_lanes(&mut self, lanes: &[LaneKey]) -> Result<HashMap<LaneKey, LanePolicy>> {
        let rows = self.query(&self.statements.lock_lanes, lane_keys(lanes)).await?;
        let policy = |row: &Row| {
            let word: &str = row.get(2);
            LanePolicy::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("lane policy {word:?}")))
        };
        rows.iter().map(|row| Ok(((workspace(row, 0)?, lane(row, 1)?), policy(row)?))).collect()
    }

    async fn set_lane_policy(&mut self, (workspace, lane): &LaneKey, policy: LanePolicy) -> Result<()> {
        let params = Params::default().text(workspace.as_str()).text(lane.as_str()).text(policy.as_str());
        self.execute(&self.statements.set_lane_policy, params).await?;
        Ok(())
    }

    async fn insert_holds(&mut self, holds: &[(RunId, LaneKey)]) -> Result<()> {
        let params = Params::default()
            .uuids(holds.iter().map(|(run, _)| run.0).collect())
            .texts(holds.iter().map(|(_, (workspace, _))| workspace.as_str()).collect())
            .texts(holds.iter().map(|(_, (_, lane))| lane.as_str()).collect());
        self.execute(&self.statements.insert_holds, params).await?;
        Ok(())
    }

    async fn delete_holds(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let rows = self.query(&self.statements.delete_holds, ids_only(runs)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn delete_lane_holds(&mut self, (workspace, lane): &LaneKey) -> Result<usize> {
        let params = Params::default().text(workspace.as_str()).text(lane.as_str());
        self.execute(&self.statements.delete_lane_holds, params).await
    }

    async fn lane_fronts(&mut self, lanes: &[LaneKey]) -> Result<Vec<Front>> {
        let rows = self.query(&self.statements.lane_fronts, lane_keys(lanes)).await?;
        let front = |row: &Row| {
            Ok(Front {
                closed: row.get(2),
                ready: row.get::<_, Option<_>>(3).map(RunId),
                first: row.get::<_, Option<_>>(4).map(RunId),
            })
        };
        rows.iter().map(front).collect()
    }

    async fn lane_demote(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let rows = self.query(&self.statements.lane_demote, ids_only(runs)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn lane_promote(&mut self, runs: &[RunId]) -> Result<()> {
        self.execute(&self.statements.lane_promote, ids_only(runs)).await?;
        self.reset_positions = true;
        Ok(())
    }

    async fn lane_claim(&mut self, first: &[RunId], request: &ClaimRequest) -> Result<Vec<Run>> {
        let params = self
            .lease_params(&request.taker, request.lease_ttl)
            .uuids(first.iter().map(|id| id.0).collect())
            .texts(request.queues.iter().map(QueueName::as_str).collect())
            .add(task_names(request.tasks.as_deref()), Type::TEXT_ARRAY);
        runs(&self.query(&self.statements.lane_claim, params).await?)
    }

    async fn lanes(
        &mut self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Result<Vec<Lane>> {
        let params = Params::default()
            .text(workspace.as_str())
            .add(page.after.as_ref().map(|lane| lane.as_str()), Type::TEXT)
            .big(page.limit as i64 + 1)
            .add(only.map(LaneName::as_str), Type::TEXT);
        self.query(&self.statements.lanes, params).await?.iter().map(described).collect()
    }
}

fn described(row: &Row) -> Result<Lane> {
    let held_by: Vec<uuid::Uuid> = row.get(3);
    Ok(Lane {
        name: lane(row, 0)?,
        policy: LanePolicy::from_word(row.get(1)).unwrap_or_default(),
        occupant: row.get::<_, Option<_>>(2).map(RunId),
        held_by: held_by.into_iter().map(RunId).collect(),
        waiting: row.get::<_, i64>(4) as u64,
    })
}
