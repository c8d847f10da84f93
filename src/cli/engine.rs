//! What executes runs in a process: the worker and the maintenance passes, put together from settings.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use runlane::executor::process::{ProcessExecutor, ProcessHost};
use runlane::maintenance::{self, Maintenance};
use runlane::run::HostName;
use runlane::store::{Retention, Store};
use runlane::worker::{Settings, Summary, Task, TaskSet, Tasks, Worker, demo_tasks};
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::settings::{
    ALLOW_NO_TASKS, AUDIT_DAYS, Config, DEMO_TASKS, Effective, HISTORY_DAYS, RUN_TIMEOUT_SECONDS, TaskConfig,
    USAGE_DAYS,
};

/// How a process exits that had to leave work behind at the end of its grace.
const INTERRUPTED: u8 = 3;

/// How long a pass under way is waited for at the end: each can be cut short anywhere.
const LAST_PASS: Duration = Duration::from_secs(5);

/// Most likely the worker was started in another directory than that of its file.
const NO_TASKS: &str = "there are no tasks, so this worker could execute nothing: start it in the directory of its \
    runlane.toml, name the file with --config, or allow this with --allow-no-tasks";

pub(super) struct Engine {
    /// None where there are no slots.
    worker: Option<Worker>,
    maintenance: Arc<Maintenance>,
    gear: Gear,
}

/// What tasks are made of, at the start and again whenever the file has changed.
#[derive(Clone)]
pub(super) struct Gear {
    processes: Arc<ProcessHost>,
    worker: Settings,
    settings: Effective,
    /// The demo tasks are wanted, too.
    demo: bool,
}

/// Exchanges the tasks of an engine at work.
pub(super) struct Exchange {
    tasks: Option<Tasks>,
    maintenance: Arc<Maintenance>,
    gear: Gear,
}

/// Refuses a worker that could execute nothing, before anything is opened for it.
pub(super) fn refuse_without_tasks(config: &Config) -> Result<(), Failure> {
    let settings = &config.settings;
    let some = !config.tasks.is_empty() || settings.value(&DEMO_TASKS);
    if some || settings.value(&ALLOW_NO_TASKS) { Ok(()) } else { Err(NO_TASKS.into()) }
}

/// What becomes of a process that has slots and no tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WithoutTasks {
    /// It has nothing else to do, and refuses to start unless a setting allows it.
    Refuse,
    /// It says so, serves its API, and claims nothing until it has tasks.
    Idle,
}

impl Engine {
    /// With the tasks of the configuration, and the demo tasks if they are wanted.
    pub(super) fn build(
        store: Arc<dyn Store>,
        mut worker: Settings,
        data_dir: PathBuf,
        config: &Config,
        demo: bool,
        without_tasks: WithoutTasks,
    ) -> Result<Self, Failure> {
        let processes = ProcessHost::new(data_dir)?;
        // Only who shares the directory can adopt what runs in it.
        worker.host = HostName::parse(format!("{}/{}", worker.host, processes.id()?))?;
        // Work that nobody adopts has ended before another machine may take its run over.
        let processes = Arc::new(processes.with_patience(worker.takeover_delay * 2 / 3));
        let demo = demo || config.settings.value(&DEMO_TASKS);
        let gear = Gear { processes, worker, settings: config.settings.clone(), demo };
        let passes = Maintenance::new(Arc::clone(&store), gear.upkeep(config));
        let maintenance = Arc::new(passes.with_processes(Arc::clone(&gear.processes)));
        let worker = match gear.worker.concurrency {
            0 => None,
            _ => Some(gear.build_worker(store, config, without_tasks)?),
        };
        Ok(Self { worker, maintenance, gear })
    }

    /// What exchanges its tasks while it works.
    pub(super) fn exchange(&self) -> Exchange {
        let tasks = self.worker.as_ref().map(Worker::tasks);
        Exchange { tasks, maintenance: Arc::clone(&self.maintenance), gear: self.gear.clone() }
    }

    /// Tells the API of runs that end here. Without a queue, hands it the slots too.
    #[cfg(feature = "api")]
    pub(super) fn attach(&self, api: &mut runlane::http::Api, queue_enabled: bool) -> Result<(), Failure> {
        match &self.worker {
            Some(worker) => {
                api.ended = worker.ended();
                api.direct = (!queue_enabled).then(|| worker.direct_slots());
                Ok(())
            }
            None if queue_enabled => Ok(()),
            None => Err("queue_enabled is false and concurrency is 0: nobody would execute what is submitted".into()),
        }
    }

    /// Works until told to stop, then drains.
    pub(super) async fn run(self, stop: CancellationToken) -> Summary {
        let Self { worker, maintenance, .. } = self;
        let upkeep = CancellationToken::new();
        let keeping = tokio::spawn({
            let upkeep = upkeep.clone();
            async move { maintenance.run(upkeep).await }
        });
        let summary = match worker {
            Some(worker) => worker.run(stop).await,
            None => {
                stop.cancelled().await;
                Summary::default()
            }
        };
        upkeep.cancel();
        let _ = tokio::time::timeout(LAST_PASS, keeping).await;
        summary
    }
}

/// Says what was done, and by the exit code whether everything could be finished.
pub(super) fn conclude(summary: Summary) -> ExitCode {
    // The terminal may be gone, which is then the reason for being here.
    let _ = writeln!(std::io::stdout(), "{summary}");
    if summary.released + summary.left > 0 { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
}

impl Exchange {
    /// All of them, or none if anything is wrong.
    pub(super) fn take(&self, config: &Config) -> Result<(), Failure> {
        let Some(tasks) = &self.tasks else { return Ok(()) };
        tasks.replace(self.gear.tasks(config)?)?;
        self.maintenance.set(self.gear.upkeep(config));
        Ok(())
    }
}

impl Gear {
    fn build_worker(
        &self,
        store: Arc<dyn Store>,
        config: &Config,
        without_tasks: WithoutTasks,
    ) -> Result<Worker, Failure> {
        let worker = Worker::builder(store).settings(self.worker.clone()).without_maintenance();
        let may_have_none = without_tasks == WithoutTasks::Idle || self.settings.value(&ALLOW_NO_TASKS);
        let worker = if may_have_none { worker.allow_no_tasks() } else { worker };
        let worker = worker.tasks(self.tasks(config)?).build()?;
        if worker.tasks().names().is_empty() {
            tracing::warn!("there are no tasks: nothing is claimed until SIGHUP finds some in the file");
        }
        Ok(worker)
    }

    fn upkeep(&self, config: &Config) -> maintenance::Settings {
        // An attempt is ended by force only when whatever runs of it must have ended by itself.
        let longest = config.tasks.values().map(|(_, task)| task.stop_grace()).max().unwrap_or_default();
        let usual = maintenance::Settings::default();
        let expire_grace = usual.expire_grace.max(self.worker.lease_ttl + self.worker.takeover_delay + longest);
        let span = |length: Duration| jiff::SignedDuration::try_from(length).unwrap_or(jiff::SignedDuration::MAX);
        let retention = Retention {
            finished: span(self.settings.value(&HISTORY_DAYS)),
            audit: span(self.settings.value(&AUDIT_DAYS)),
            usage: span(self.settings.value(&USAGE_DAYS)),
            ..usual.retention
        };
        maintenance::Settings { retention, expire_grace, ..usual }
    }

    fn tasks(&self, config: &Config) -> Result<TaskSet, Failure> {
        let mut tasks = if self.demo { demo_tasks() } else { TaskSet::new() };
        for (name, (place, config)) in &config.tasks {
            let wrong = |error: Failure| format!("{place}: task {name}: {error}");
            tasks = tasks.task_with(name, self.task(config).map_err(wrong)?);
        }
        Ok(tasks)
    }

    fn task(&self, config: &TaskConfig) -> Result<Task, Failure> {
        let executor = ProcessExecutor::new(Arc::clone(&self.processes), config.process.clone())?;
        let mut task = Task::new(Arc::new(executor));
        let timeout = config.timeout_seconds.or_else(|| self.settings.get(&RUN_TIMEOUT_SECONDS));
        task.stop_grace = config.stop_grace();
        task.timeout = timeout.map(|seconds| Duration::from_secs(seconds.get().into()));
        task.usage_limits = config.usage_limits.clone();
        task.at_shutdown = config.at_shutdown;
        Ok(task)
    }
}
