//! Reads which of the ids that a submission names are taken.

use std::collections::BTreeSet;

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::arrays::Params;
use super::session::Session;
use crate::run::{RunId, WorkspaceName};
use crate::store::Result;
use crate::store::script::steps;

impl Session {
    /// All runs between the first of the ids and the last, unless they are more than the ids themselves.
    pub(super) async fn runs_between(&self, ids: &[(WorkspaceName, RunId)]) -> Result<Option<Vec<Row>>> {
        let mut ends: Option<(RunId, RunId)> = None;
        for (_, id) in ids {
            ends = Some(ends.map_or((*id, *id), |(first, last)| (first.min(*id), last.max(*id))));
        }
        let Some((first, last)) = ends else { return Ok(Some(vec![])) };
        let workspaces: BTreeSet<&str> = ids.iter().map(|(workspace, _)| workspace.as_str()).collect();
        let limit = ids.len() + 1;
        let params = Params::default()
            .texts(workspaces.into_iter().collect())
            .add(first.0, Type::UUID)
            .add(last.0, Type::UUID)
            .big(limit as i64);
        let [between, _] = steps(&self.statements.known_runs);
        let rows = self.query(between, params).await?;
        Ok((rows.len() < limit).then_some(rows))
    }

    pub(super) async fn runs_named(&self, ids: &[(WorkspaceName, RunId)]) -> Result<Vec<Row>> {
        let params = Params::default()
            .texts(ids.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .uuids(ids.iter().map(|(_, id)| id.0).collect());
        let [_, named] = steps(&self.statements.known_runs);
        self.query(named, params).await
    }
}
