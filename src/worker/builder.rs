//! Puts a worker together and refuses what cannot work.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::task::TaskTracker;

use super::ahead::AheadPolicy;
use super::batcher::Batcher;
use super::claimer::Backlog;
use super::drain::Tally;
use super::outcomes::{Finishes, Releases};
use super::reporter::Events;
use super::slots::Slots;
use super::telemetry::Meters;
use super::{Inner, Settings, Task, TaskSet, Tasks, Worker};
use crate::actions::EndSignal;
use crate::executor::native::{Context, TaskError};
use crate::maintenance::{self, Maintenance};
use crate::run::{InvalidName, TaskName, WorkerId};
use crate::store::Store;

/// A worker in the making.
pub struct Builder {
    store: Arc<dyn Store>,
    settings: Settings,
    tasks: TaskSet,
    may_have_no_tasks: bool,
    /// None where somebody else sees to it.
    maintenance: Option<maintenance::Settings>,
}

/// Why there is no such worker.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWorker {
    /// A task cannot be called that.
    #[error(transparent)]
    TaskName(#[from] InvalidName),
    /// Two tasks are called the same.
    #[error("task {0} is given twice")]
    TaskTwice(TaskName),
    /// It could execute nothing.
    #[error("there are no tasks: a worker without tasks executes nothing")]
    NoTasks,
    /// A setting makes no sense.
    #[error("{0}")]
    Setting(String),
}

impl Builder {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            settings: Settings::default(),
            tasks: TaskSet::new(),
            may_have_no_tasks: false,
            maintenance: Some(maintenance::Settings::default()),
        }
    }

    /// How it works.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// How many runs it executes at once.
    #[must_use]
    pub fn concurrency(mut self, slots: usize) -> Self {
        self.settings.concurrency = slots;
        self
    }

    /// A task that is a function: it gets the context of the attempt and the payload.
    #[must_use]
    pub fn task<P, F, Fut, T, E>(mut self, name: &str, function: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        F: Fn(Context, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: Into<TaskError> + 'static,
    {
        self.tasks = self.tasks.task(name, function);
        self
    }

    /// A task with an executor and limits of its own.
    #[must_use]
    pub fn task_with(mut self, name: &str, task: Task) -> Self {
        self.tasks = self.tasks.task_with(name, task);
        self
    }

    /// All of these, too.
    #[must_use]
    pub fn tasks(mut self, tasks: TaskSet) -> Self {
        self.tasks = self.tasks.and(tasks);
        self
    }

    /// Allows a worker without tasks. It claims nothing until [`Tasks::replace`] gives it some.
    #[must_use]
    pub fn allow_no_tasks(mut self) -> Self {
        self.may_have_no_tasks = true;
        self
    }

    /// How it runs maintenance. Set the same retention in every process: the shortest one prunes.
    #[must_use]
    pub fn maintenance(mut self, settings: maintenance::Settings) -> Self {
        self.maintenance = Some(settings);
        self
    }

    /// Leaves maintenance to others. If nobody runs it, retries and runs that are due later never start.
    #[must_use]
    pub fn without_maintenance(mut self) -> Self {
        self.maintenance = None;
        self
    }

    /// The worker, or what is wrong with it. To be called within a runtime.
    pub fn build(self) -> Result<Worker, InvalidWorker> {
        if let Some(problem) = self.settings.problem() {
            return Err(InvalidWorker::Setting(problem));
        }
        let tasks = Tasks::new(self.tasks.checked()?, self.may_have_no_tasks)?;
        let maintenance = self.maintenance.map(|set| Arc::new(Maintenance::new(Arc::clone(&self.store), set)));
        let inner = Arc::new_cyclic(|worker| Inner {
            id: WorkerId::new(),
            slots: Slots::new(self.settings.concurrency),
            ahead: Arc::new(AheadPolicy::new(self.settings.concurrency)),
            meters: Meters::default(),
            finishes: Batcher::start(Finishes { store: Arc::clone(&self.store), worker: worker.clone() }),
            releases: Batcher::start(Releases(Arc::clone(&self.store))),
            events: Batcher::start(Events(Arc::clone(&self.store))),
            store: self.store,
            settings: self.settings,
            tasks,
            maintenance,
            attempts: TaskTracker::new(),
            tally: Tally::default(),
            backlog: Backlog::default(),
            ended: EndSignal::default(),
        });
        Ok(Worker { inner })
    }
}
