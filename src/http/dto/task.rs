//! A kind of work, as the server knows it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::KnownTask;
use crate::run::NewRun;

/// A task that the server knows. Workers elsewhere may have others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// What it is called.
    #[schema(example = "resize")]
    pub name: String,
    /// How its attempts are carried out: `process` or `native`.
    #[schema(example = "process")]
    pub executor: String,
    /// The queue that its runs join unless their submission says otherwise.
    #[schema(example = "default")]
    pub queue: String,
    /// How many attempts they have unless their submission says otherwise.
    #[schema(example = 3)]
    pub max_attempts: u16,
    /// How long one attempt may take unless their submission says otherwise; `null` for no limit.
    #[schema(required)]
    pub timeout_seconds: Option<u32>,
    /// Whether their payloads are held against a schema.
    pub has_schema: bool,
}

impl From<KnownTask> for Task {
    fn from(task: KnownTask) -> Self {
        let KnownTask { name, executor, defaults, has_schema } = task;
        let usual = NewRun::of(name, crate::run::Json::null());
        Self {
            queue: defaults.queue.unwrap_or(usual.queue).to_string(),
            max_attempts: defaults.max_attempts.unwrap_or(usual.max_attempts).get(),
            timeout_seconds: defaults.timeout_seconds.map(std::num::NonZeroU32::get),
            name: usual.task.to_string(),
            executor: executor.to_owned(),
            has_schema,
        }
    }
}
