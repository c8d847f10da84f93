//! `runlane worker`: claims and executes runs until it is told to stop.

use std::process::ExitCode;

use clap::Args;
use runlane::worker::Settings;

use super::Failure;
use super::database::{Database, UnknownDatabase};
use super::engine::{Engine, WithoutTasks, conclude, refuse_without_tasks};
use super::reload::Reload;
use super::settings::{
    CONCURRENCY, Config, DATA_DIR, DATABASE, Effective, Flags, ForWorker, Given, HEARTBEAT_SECONDS, HOST,
    LEASE_TTL_SECONDS, QUEUES, SHUTDOWN_GRACE_PERIOD_SECONDS, TAKEOVER_DELAY_SECONDS,
};
use super::{logs, metrics, signals};

#[derive(Args)]
pub(super) struct WorkerArgs {
    #[command(flatten)]
    flags: Flags<ForWorker>,
}

pub(super) async fn worker(args: WorkerArgs) -> Result<ExitCode, Failure> {
    let given = Given::to(args.flags);
    let config = start(&given)?;
    let settings = worker_settings(&config.settings);
    if settings.concurrency == 0 {
        return Err("concurrency is 0; a worker needs at least one slot".into());
    }
    refuse_without_tasks(&config)?;
    let store = database(&config.settings)?.open().await?;
    let stop = signals::listen()?;
    metrics::serve(&config.settings, &store, &stop)?;
    let engine =
        Engine::build(store, settings, config.settings.value(&DATA_DIR), &config, false, WithoutTasks::Refuse)?;
    signals::on_hangup(stop.clone(), Reload::new(given, config, engine.exchange()))?;
    signals::tell_ready();
    let summary = engine.run(stop).await;
    Ok(conclude(summary))
}

/// The configuration, if it is right; from here on there are logs, and the first of them say what may be wrong.
pub(super) fn start(given: &Given) -> Result<Config, Failure> {
    let (config, warnings) = given.load()?;
    logs::start(&config.settings);
    for warning in warnings {
        tracing::warn!("{}: {}", warning.at, warning.words());
    }
    Ok(config)
}

pub(super) fn database(settings: &Effective) -> Result<Database, UnknownDatabase> {
    Database::parse(&settings.get(&DATABASE).ok_or(UnknownDatabase::Missing)?)
}

pub(super) fn worker_settings(settings: &Effective) -> Settings {
    let usual = Settings::default();
    Settings {
        concurrency: settings.value(&CONCURRENCY),
        queues: settings.get(&QUEUES).unwrap_or(usual.queues),
        host: settings.get(&HOST).unwrap_or(usual.host),
        lease_ttl: settings.value(&LEASE_TTL_SECONDS),
        heartbeat: settings.value(&HEARTBEAT_SECONDS),
        takeover_delay: settings.value(&TAKEOVER_DELAY_SECONDS),
        shutdown_grace: settings.value(&SHUTDOWN_GRACE_PERIOD_SECONDS),
        hand_over: usual.hand_over,
        poll: usual.poll,
    }
}
