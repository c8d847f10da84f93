//! `runlane worker`: claims and executes runs until it is told to stop.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use runlane::run::{HostName, QueueName};
use runlane::worker::{Served, Settings};

use super::Failure;
use super::config::Config;
use super::database::DatabaseArgs;
use super::engine::{Engine, exit_code};
use super::{logs, metrics, signals};

#[derive(Args)]
pub(super) struct WorkerArgs {
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
    /// Settings and tasks; without it, runlane.toml where there is one
    #[arg(long, value_name = "FILE", env = "RUNLANE_CONFIG")]
    pub(super) config: Option<PathBuf>,
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
    pub(super) logs: logs::LogArgs,
}

pub(super) async fn worker(args: WorkerArgs) -> Result<ExitCode, Failure> {
    logs::start(&args.logs);
    let config = Config::load(args.config.as_deref())?;
    metrics::serve(args.metrics_listen.as_deref().or(config.metrics_listen.as_deref()))?;
    let store = args.database.clone().or(config.database.clone()).database()?.open().await?;
    let settings = args.settings(&config);
    if settings.concurrency == 0 {
        return Err("concurrency is 0; a worker needs at least one slot".into());
    }
    let engine = Engine::build(store, settings, args.data_dir(&config), &config, false)?;
    let stop = signals::listen()?;
    signals::tell_ready();
    let summary = engine.run(stop).await;
    println!("{summary}");
    Ok(exit_code(summary))
}

impl WorkerArgs {
    pub(super) fn data_dir(&self, config: &Config) -> PathBuf {
        self.data_dir.clone().or(config.data_dir.clone()).unwrap_or_else(|| ".runlane".into())
    }

    pub(super) fn settings(&self, config: &Config) -> Settings {
        let usual = Settings::default();
        Settings {
            concurrency: self.concurrency.or(config.concurrency).unwrap_or(usual.concurrency),
            queues: self.queues.clone().or_else(|| config.queues()).unwrap_or(usual.queues),
            host: self.host.clone().or_else(|| config.host.clone()).unwrap_or(usual.host),
            lease_ttl: self.lease_ttl_seconds.or(config.lease_ttl()).unwrap_or(usual.lease_ttl),
            heartbeat: self.heartbeat_seconds.or(config.heartbeat()).unwrap_or(usual.heartbeat),
            takeover_delay: self.takeover_delay_seconds.or(config.takeover_delay()).unwrap_or(usual.takeover_delay),
            shutdown_grace: self
                .shutdown_grace_period_seconds
                .or(config.shutdown_grace())
                .unwrap_or(usual.shutdown_grace),
            ..usual
        }
    }
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
