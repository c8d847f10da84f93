//! Which tasks there are, as far as those who take submissions know.

use std::num::{NonZeroU16, NonZeroU32};
use std::sync::{Arc, PoisonError, RwLock};

use crate::run::{Json, QueueName, RetryPolicy, TaskName};

/// Knows tasks by name: what their runs have by default, and what payloads they take.
pub trait Catalog: Send + Sync + 'static {
    /// Whether a run of the task with this payload may be submitted, and what it has unless the caller says otherwise.
    fn admit(&self, task: &TaskName, payload: &Json) -> Result<TaskDefaults, Refusal>;

    /// The tasks that are known, by name.
    fn tasks(&self) -> Vec<KnownTask> {
        Vec::new()
    }
}

/// A task that is known where runs are submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTask {
    /// What it is called.
    pub name: TaskName,
    /// How its attempts are carried out, in a word.
    pub executor: &'static str,
    /// What its runs have unless their submission says otherwise.
    pub defaults: TaskDefaults,
    /// Whether its payloads are held against a schema.
    pub has_schema: bool,
}

/// What a run of a task has unless its submission says otherwise; what is `None` is as for any run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskDefaults {
    /// The stream it joins.
    pub queue: Option<QueueName>,
    /// How many attempts it has.
    pub max_attempts: Option<NonZeroU16>,
    /// How long one attempt may take.
    pub timeout_seconds: Option<NonZeroU32>,
    /// How long to wait between attempts.
    pub retry: Option<RetryPolicy>,
}

/// Why a task's run is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody could execute it.
    #[error("there is no task {:?}", task.as_str())]
    UnknownTask {
        /// What was asked for.
        task: TaskName,
        /// What there is.
        known: Vec<String>,
    },
    /// The task would not understand it.
    #[error("the payload does not match the task's schema: {reason}")]
    InvalidPayload {
        /// Where in the payload, as a JSON pointer.
        pointer: Option<String>,
        /// What is wrong with it.
        reason: String,
    },
}

/// Takes runs of any task: which ones exist, only the workers know.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyTask;

impl Catalog for AnyTask {
    fn admit(&self, _: &TaskName, _: &Json) -> Result<TaskDefaults, Refusal> {
        Ok(TaskDefaults::default())
    }
}

/// A catalog that can be exchanged for another while submissions come in.
pub struct LiveCatalog {
    now: RwLock<Arc<dyn Catalog>>,
}

impl LiveCatalog {
    /// At first this one.
    pub fn new(catalog: impl Catalog) -> Self {
        Self { now: RwLock::new(Arc::new(catalog)) }
    }

    /// Another one from here on.
    pub fn replace(&self, catalog: impl Catalog) {
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }
}

impl Catalog for LiveCatalog {
    fn admit(&self, task: &TaskName, payload: &Json) -> Result<TaskDefaults, Refusal> {
        // Not under the lock: a schema may take its time.
        let now = Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner));
        now.admit(task, payload)
    }

    fn tasks(&self) -> Vec<KnownTask> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner)).tasks()
    }
}
