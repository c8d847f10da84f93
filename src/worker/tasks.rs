//! What a worker can do, by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::InvalidWorker;
use crate::executor::native::{Context, Native, TaskError};
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

/// Tasks by name, to be given to a worker: at first by its [`Builder`](super::Builder), later by [`Tasks::replace`].
#[derive(Default)]
pub struct TaskSet {
    tasks: Vec<(String, Task)>,
}

impl TaskSet {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// A task that is a function: it gets the context of the attempt and the payload.
    #[must_use]
    pub fn task<P, F, Fut, T, E>(self, name: &str, function: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        F: Fn(Context, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: Into<TaskError> + 'static,
    {
        self.task_with(name, Task::new(Arc::new(Native::new(function))))
    }

    /// A task with an executor and limits of its own.
    #[must_use]
    pub fn task_with(mut self, name: &str, task: Task) -> Self {
        self.tasks.push((name.into(), task));
        self
    }

    /// All of these, too.
    #[must_use]
    pub fn and(mut self, others: TaskSet) -> Self {
        self.tasks.extend(others.tasks);
        self
    }

    pub(super) fn checked(self) -> Result<ByName, InvalidWorker> {
        let mut tasks = HashMap::new();
        for (name, task) in self.tasks {
            let name = TaskName::parse(name)?;
            if tasks.insert(name.clone(), task).is_some() {
                return Err(InvalidWorker::TaskTwice(name));
            }
        }
        Ok(tasks)
    }
}

type ByName = HashMap<TaskName, Task>;

/// What a worker can do, now. All clones are of the same worker.
#[derive(Clone)]
pub struct Tasks {
    // Read once for each attempt, and only to take another reference: nobody waits here for long.
    now: Arc<RwLock<Now>>,
    /// Whether there may be none.
    may_be_none: bool,
}

#[derive(Clone)]
struct Now {
    by_name: Arc<ByName>,
    /// In order.
    names: Arc<[TaskName]>,
}

impl Now {
    fn of(tasks: ByName, may_be_none: bool) -> Result<Self, InvalidWorker> {
        if tasks.is_empty() && !may_be_none {
            return Err(InvalidWorker::NoTasks);
        }
        let mut names: Vec<TaskName> = tasks.keys().cloned().collect();
        names.sort_unstable();
        Ok(Self { by_name: Arc::new(tasks), names: names.into() })
    }
}

impl Tasks {
    pub(super) fn new(tasks: ByName, may_be_none: bool) -> Result<Self, InvalidWorker> {
        let now = Now::of(tasks, may_be_none)?;
        Ok(Self { now: Arc::new(RwLock::new(now)), may_be_none })
    }

    /// From here on the worker has these tasks and no others. What is under way goes on as it was begun. If anything is
    /// wrong with them, the worker keeps what it has.
    pub fn replace(&self, tasks: TaskSet) -> Result<(), InvalidWorker> {
        let tasks = Now::of(tasks.checked()?, self.may_be_none)?;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = tasks;
        Ok(())
    }

    /// Their names, in order.
    pub fn names(&self) -> Vec<TaskName> {
        self.shared_names().to_vec()
    }

    pub(super) fn shared_names(&self) -> Arc<[TaskName]> {
        self.now().names
    }

    pub(super) fn get(&self, task: &TaskName) -> Option<Task> {
        self.now().by_name.get(task).cloned()
    }

    fn now(&self) -> Now {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What stands in for a task that this worker lacks: its runs are given back (`absent.rs`).
pub(super) fn absent() -> Task {
    Task { stop_grace: Duration::ZERO, ..Task::new(Arc::new(Absent)) }
}

struct Absent;

#[async_trait]
impl Executor for Absent {
    async fn start(&self, _: &Work, _: Control) -> Completion {
        Completion::NotBegun
    }
}
