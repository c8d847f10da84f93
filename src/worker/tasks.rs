//! What a worker can do, by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::Inner;
use crate::executor::{Completion, Control, Executor, Work};
use crate::run::TaskName;

/// A kind of work as this worker does it.
#[derive(Clone)]
pub struct Task {
    /// How.
    pub executor: Arc<dyn Executor>,
    /// How long it may take to stop when asked, before force is used.
    pub stop_grace: Duration,
    /// The longest an attempt may take, unless its run says otherwise.
    pub timeout: Option<Duration>,
    /// How much of each unit one attempt may use up.
    pub usage_limits: BTreeMap<String, u64>,
    /// What becomes of work that a shutdown interrupts.
    pub at_shutdown: AtShutdown,
}

/// What becomes of work that a shutdown interrupts and that cannot run on by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtShutdown {
    /// It is queued again.
    #[default]
    Requeue,
    /// It is paused, for somebody to look at.
    Pause,
}

impl Task {
    /// A task with no limits and ten seconds to stop.
    pub fn new(executor: Arc<dyn Executor>) -> Self {
        Self {
            executor,
            stop_grace: Duration::from_secs(10),
            timeout: None,
            usage_limits: BTreeMap::new(),
            at_shutdown: AtShutdown::default(),
        }
    }
}

/// Tasks by name.
pub(super) type Tasks = HashMap<TaskName, Task>;

/// What stands in for a task that this worker does not have. Another may: the run is tried again.
pub(super) fn unknown(inner: &Inner, task: &TaskName) -> Task {
    let mut names: Vec<&str> = inner.tasks.keys().map(TaskName::as_str).collect();
    names.sort_unstable();
    let names = if names.is_empty() { "none".into() } else { names.join(", ") };
    let message = format!("worker {} has no task {task}; it has {names}", inner.id);
    Task::new(Arc::new(Unknown { message, patience: inner.settings.lease_ttl + inner.settings.takeover_delay }))
}

struct Unknown {
    message: String,
    patience: Duration,
}

#[async_trait]
impl Executor for Unknown {
    async fn start(&self, _: &Work, _: Control) -> Completion {
        Completion::failed("unknown_task", self.message.clone())
    }

    /// Whatever runs of it is not extended by this worker: when other machines might take it over, it has ended.
    async fn adopt(&self, _: &Work, mut control: Control) -> Completion {
        tokio::select! {
            () = tokio::time::sleep(self.patience) => Completion::NotFound,
            () = control.left() => Completion::Left,
        }
    }
}
