//! `runlane worker`: claims and executes runs until it is told to stop.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use runlane::executor::process::{ProcessExecutor, ProcessHost};
use runlane::maintenance::{self, Maintenance};
use runlane::run::{HostName, QueueName};
use runlane::worker::{Builder, Served, Settings, Summary, Task, Worker};

use super::Failure;
use super::config::{Config, TaskConfig};
use super::database::DatabaseArgs;
use super::{logs, metrics, signals};

/// How a worker is told to leave work behind at the end of its grace.
const INTERRUPTED: u8 = 3;

#[derive(Args)]
pub(super) struct WorkerArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Settings and tasks; without it, runlane.toml where there is one
    #[arg(long, value_name = "FILE", env = "RUNLANE_CONFIG")]
    config: Option<PathBuf>,
    /// Where the files of running attempts are kept [default: .runlane]
    #[arg(long, value_name = "DIR", env = "RUNLANE_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// How many runs are executed at once [default: 2]
    #[arg(long, value_name = "N", env = "RUNLANE_CONCURRENCY")]
    concurrency: Option<usize>,
    /// The queues to serve, each perhaps with a limit of its own (`default,reports:1`) [default: all]
    #[arg(long, value_name = "NAMES", env = "RUNLANE_QUEUES", value_delimiter = ',', value_parser = served)]
    queues: Option<Vec<Served>>,
    /// The name of this machine; workers of the same name adopt each other's processes [default: the host's]
    #[arg(long, value_name = "NAME", env = "RUNLANE_HOST")]
    host: Option<HostName>,
    /// How long a lease lasts without being renewed [default: 30]
    #[arg(long, value_name = "SECONDS", env = "RUNLANE_LEASE_TTL_SECONDS", value_parser = seconds)]
    lease_ttl_seconds: Option<Duration>,
    /// How often leases are renewed [default: 2]
    #[arg(long, value_name = "SECONDS", env = "RUNLANE_HEARTBEAT_SECONDS", value_parser = seconds)]
    heartbeat_seconds: Option<Duration>,
    /// How long after a lease ended another machine may take its run over [default: 60]
    #[arg(long, value_name = "SECONDS", env = "RUNLANE_TAKEOVER_DELAY_SECONDS", value_parser = seconds)]
    takeover_delay_seconds: Option<Duration>,
    /// How long a stopping worker waits for what is under way [default: 300]
    #[arg(long, value_name = "SECONDS", env = "RUNLANE_SHUTDOWN_GRACE_PERIOD_SECONDS", value_parser = seconds)]
    shutdown_grace_period_seconds: Option<Duration>,
    /// Where metrics are served, or `off` [default: 127.0.0.1:9091]
    #[arg(long, value_name = "ADDR:PORT", env = "RUNLANE_METRICS_LISTEN")]
    metrics_listen: Option<String>,
    #[command(flatten)]
    logs: logs::LogArgs,
}

pub(super) async fn worker(args: WorkerArgs) -> Result<ExitCode, Failure> {
    logs::start(&args.logs);
    let config = Config::load(args.config.as_deref())?;
    metrics::serve(args.metrics_listen.as_deref().or(config.metrics_listen.as_deref()))?;
    let mut settings = settings(&args, &config);
    let data_dir = args.data_dir.clone().or(config.data_dir.clone()).unwrap_or_else(|| ".runlane".into());
    let processes = ProcessHost::new(data_dir)?;
    // Only who shares the directory can adopt what runs in it.
    settings.host = HostName::parse(format!("{}/{}", settings.host, processes.id()?))?;
    // Work that nobody adopts has ended before another machine may take its run over.
    let processes = Arc::new(processes.with_patience(settings.takeover_delay * 2 / 3));
    let upkeep_settings = upkeep(&settings, &config);
    let database = args.database.clone().or(config.database.clone()).database()?;
    let store = database.open().await?;
    let builder = Worker::builder(Arc::clone(&store)).settings(settings);
    let worker = with_tasks(builder, &config, &processes)?.build()?;
    let maintenance = Maintenance::new(store, upkeep_settings).with_processes(processes);
    let stop = signals::listen()?;
    let upkeep = stop.child_token();
    let keeping = tokio::spawn({
        let upkeep = upkeep.clone();
        async move { maintenance.run(upkeep).await }
    });
    signals::tell_ready();
    let summary = worker.run(stop).await;
    upkeep.cancel();
    // A pass that hangs is not waited for: each can be cut short anywhere.
    let _ = tokio::time::timeout(Duration::from_secs(5), keeping).await;
    println!("{summary}");
    Ok(exit_code(summary))
}

/// Says whether everything could be finished.
fn exit_code(summary: Summary) -> ExitCode {
    if summary.released + summary.left > 0 { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
}

fn settings(args: &WorkerArgs, config: &Config) -> Settings {
    let usual = Settings::default();
    Settings {
        concurrency: args.concurrency.or(config.concurrency).unwrap_or(usual.concurrency),
        queues: args.queues.clone().or_else(|| config.queues()).unwrap_or(usual.queues),
        host: args.host.clone().or_else(|| config.host.clone()).unwrap_or(usual.host),
        lease_ttl: args.lease_ttl_seconds.or(config.lease_ttl()).unwrap_or(usual.lease_ttl),
        heartbeat: args.heartbeat_seconds.or(config.heartbeat()).unwrap_or(usual.heartbeat),
        takeover_delay: args.takeover_delay_seconds.or(config.takeover_delay()).unwrap_or(usual.takeover_delay),
        shutdown_grace: args.shutdown_grace_period_seconds.or(config.shutdown_grace()).unwrap_or(usual.shutdown_grace),
        ..usual
    }
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

/// `name` or `name:limit`.
pub(super) fn served(text: &str) -> Result<Served, String> {
    let (name, limit) = match text.rsplit_once(':') {
        Some((name, limit)) => (name, Some(limit)),
        None => (text, None),
    };
    let concurrency = limit.map(str::parse).transpose();
    let concurrency =
        concurrency.map_err(|_| format!("{text:?}: the limit of a queue is a number, as in reports:1"))?;
    Ok(Served { queue: QueueName::parse(name).map_err(|error| error.to_string())?, concurrency })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
