//! Queues.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::store;

/// A stream of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
    /// Whether its runs are left where they are.
    pub paused: bool,
    /// At most so many of its runs are running; `null` without limit.
    #[schema(required)]
    pub concurrency: Option<u32>,
    /// How many of its runs are running.
    pub running: u64,
    /// How many wait in it, ready or not.
    pub waiting: u64,
}

/// What is set for a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueSettings {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
    /// Whether its runs are left where they are.
    pub paused: bool,
    /// At most so many of its runs are running; `null` without limit.
    #[schema(required)]
    pub concurrency: Option<u32>,
}

/// What to change about a queue; what is absent stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"concurrency": 4}))]
pub struct QueueChange {
    /// Pause it, or let it go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// At most so many of its runs are running at once; `null` lifts the limit.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 2147483647)]
    pub concurrency: Option<Option<u32>>,
}

/// A field that is there, if only to say `null`.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::<u32>::deserialize(deserializer).map(Some)
}

impl From<store::Queue> for Queue {
    fn from(queue: store::Queue) -> Self {
        let store::Queue { name, settings, running, waiting } = queue;
        let store::QueueSettings { paused, concurrency } = settings;
        Self { name: name.to_string(), paused, concurrency, running, waiting }
    }
}
