//! Queues.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::store;

/// A named stream of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
    /// Whether it is paused: workers start none of its runs.
    pub paused: bool,
    /// Maximum number of its runs that execute at once; `null` without limit.
    #[schema(required)]
    pub concurrency: Option<u32>,
    /// Number of running runs.
    pub running: u64,
    /// Number of waiting runs, ready or not.
    pub waiting: u64,
}

/// A queue's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueSettings {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
    /// Whether it is paused: workers start none of its runs.
    pub paused: bool,
    /// Maximum number of its runs that execute at once; `null` without limit.
    #[schema(required)]
    pub concurrency: Option<u32>,
}

/// A change to a queue. Absent fields stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"concurrency": 4}))]
pub struct QueueChange {
    /// Pause or resume the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Maximum number of its runs that execute at once; `null` removes the limit.
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
