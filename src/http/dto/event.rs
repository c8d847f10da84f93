//! What happened in a run's attempts.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{RunFailure, RunStatus};
use crate::run::{self, Json};
use crate::store;

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Counts from 1 within the run, without gaps.
    #[schema(example = 1)]
    pub seq: i64,
    /// When it was stored. `said_at` in `data` is when the work said it, by the clock of its host.
    pub at: Timestamp,
    /// The attempt it belongs to.
    #[schema(example = 1)]
    pub attempt: u32,
    /// `log`, `progress` or `usage`.
    #[schema(value_type = EventWord)]
    pub kind: store::EventKind,
    /// The content.
    #[schema(value_type = Value, example = json!({"stream": "stdout", "text": "resized", "said_at": "2026-11-20T09:00:00.125Z"}))]
    pub data: Json,
}

/// The last event of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ended {
    /// How the run ended.
    #[schema(value_type = RunStatus)]
    pub status: run::Status,
    /// Why, unless it succeeded.
    #[schema(required, value_type = Option<RunFailure>)]
    pub error: Option<run::RunError>,
}

/// The kind of an event.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema of a type of the store, which knows of no schemas")]
pub(in crate::http) enum EventWord {
    Log,
    Progress,
    Usage,
}

impl From<store::Event> for Event {
    fn from(event: store::Event) -> Self {
        let store::Event { seq, at, attempt, kind, data } = event;
        Self { seq, at, attempt, kind, data }
    }
}
