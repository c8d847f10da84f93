//! What executes runs in a process: the worker and the maintenance passes, put together from settings.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use runlane::executor::process::{ProcessExecutor, ProcessHost};
use runlane::maintenance::{self, Maintenance};
use runlane::run::HostName;
use runlane::store::Store;
use runlane::worker::{Builder, Settings, Summary, Task, Worker, with_demo_tasks};
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::config::{Config, TaskConfig};

/// How a process exits that had to leave work behind at the end of its grace.
const INTERRUPTED: u8 = 3;

/// How long a pass under way is waited for at the end: each can be cut short anywhere.
const LAST_PASS: Duration = Duration::from_secs(5);

pub(super) struct Engine {
    /// None where there are no slots.
    worker: Option<Worker>,
    maintenance: Maintenance,
}

impl Engine {
    /// With the tasks of the configuration, and the demo tasks if they are wanted.
    pub(super) fn build(
        store: Arc<dyn Store>,
        mut settings: Settings,
        data_dir: PathBuf,
        config: &Config,
        demo: bool,
    ) -> Result<Self, Failure> {
        let processes = ProcessHost::new(data_dir)?;
        // Only who shares the directory can adopt what runs in it.
        settings.host = HostName::parse(format!("{}/{}", settings.host, processes.id()?))?;
        // Work that nobody adopts has ended before another machine may take its run over.
        let processes = Arc::new(processes.with_patience(settings.takeover_delay * 2 / 3));
        let passes = Maintenance::new(Arc::clone(&store), upkeep(&settings, config));
        let maintenance = passes.with_processes(Arc::clone(&processes));
        if settings.concurrency == 0 {
            return Ok(Self { worker: None, maintenance });
        }
        let mut builder = with_tasks(Worker::builder(store).settings(settings), config, &processes)?;
        if demo {
            builder = with_demo_tasks(builder);
        }
        Ok(Self { worker: Some(builder.build()?), maintenance })
    }

    /// Works until told to stop, then drains.
    pub(super) async fn run(self, stop: CancellationToken) -> Summary {
        let Self { worker, maintenance } = self;
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

/// Says whether everything could be finished.
pub(super) fn exit_code(summary: Summary) -> ExitCode {
    if summary.released + summary.left > 0 { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
}

/// An attempt is ended by force only when whatever runs of it must have ended by itself.
fn upkeep(settings: &Settings, config: &Config) -> maintenance::Settings {
    let longest = config.tasks.values().map(TaskConfig::stop_grace).max().unwrap_or_default();
    let usual = maintenance::Settings::default();
    let expire_grace = usual.expire_grace.max(settings.lease_ttl + settings.takeover_delay + longest);
    maintenance::Settings { expire_grace, ..usual }
}

fn with_tasks(mut builder: Builder, config: &Config, processes: &Arc<ProcessHost>) -> Result<Builder, Failure> {
    for (name, task) in &config.tasks {
        let wrong = |error: Failure| format!("task {name}: {error}");
        builder = builder.task_with(name, task_of(task, processes).map_err(wrong)?);
    }
    Ok(builder)
}

fn task_of(config: &TaskConfig, processes: &Arc<ProcessHost>) -> Result<Task, Failure> {
    let executor = ProcessExecutor::new(Arc::clone(processes), config.process())?;
    let mut task = Task::new(Arc::new(executor));
    task.stop_grace = config.stop_grace();
    task.timeout = config.timeout_seconds.map(|seconds| Duration::from_secs(seconds.get().into()));
    task.usage_limits = config.usage_limits.clone();
    task.at_shutdown = config.at_shutdown;
    Ok(task)
}
