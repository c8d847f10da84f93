//! Lanes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store;

/// A serial key: its runs execute one at a time, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Lane {
    /// Its name.
    #[schema(example = "customer-17")]
    pub name: String,
    /// What the lane does when one of its runs is paused, fails or times out: `continue` or `hold`.
    #[schema(value_type = LaneOnFailure)]
    pub policy: store::LanePolicy,
    /// The run that is running or waiting for its next attempt.
    #[schema(required)]
    pub occupant: Option<Uuid>,
    /// The runs that hold it.
    pub held_by: Vec<Uuid>,
    /// Number of queued runs.
    pub waiting: u64,
}

/// A change to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"policy": "hold"}))]
pub struct LaneChange {
    /// `continue`: the lane continues with the next run. `hold`: it waits until the run is resumed, cancelled or dismissed.
    #[schema(value_type = LaneOnFailure)]
    pub policy: store::LanePolicy,
}

/// A lane's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LaneSettings {
    /// Its name.
    #[schema(example = "customer-17")]
    pub name: String,
    /// What the lane does when one of its runs is paused, fails or times out.
    #[schema(value_type = LaneOnFailure)]
    pub policy: store::LanePolicy,
}

/// The result of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LaneReleased {
    /// Number of runs that held it.
    #[schema(example = 1)]
    pub released: usize,
}

/// What a lane does when one of its runs is paused, fails or times out.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the store, which knows of no schemas")]
pub(in crate::http) enum LaneOnFailure {
    Continue,
    Hold,
}

impl From<store::Lane> for Lane {
    fn from(lane: store::Lane) -> Self {
        Self {
            name: lane.name.to_string(),
            policy: lane.policy,
            occupant: lane.occupant.map(|run| run.0),
            held_by: lane.held_by.into_iter().map(|run| run.0).collect(),
            waiting: lane.waiting,
        }
    }
}
