//! `runlane serve`: the API, the maintenance passes and a worker in one process.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use runlane::actions::LiveCatalog;
use runlane::http::{self, Api, Auth, RateLimit};
use runlane::store::Admission;
use runlane::worker::{Settings, Summary};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::catalog::TaskCatalog;
use super::database::Database;
use super::engine::{Engine, WithoutTasks, conclude};
use super::reload::Reload;
use super::settings::{
    ALLOWED_HOSTS, ALLOWED_ORIGINS, AUTH, AuthMode, DATA_DIR, Effective, Flags, ForAll, Given, LISTEN, QUEUE_ENABLED,
    QUEUE_SIZE, RATE_LIMIT_BURST, RATE_LIMIT_PER_SECOND,
};
use super::worker::{database, start, worker_settings};
use super::{Failure, metrics, schedules, signals};

#[derive(Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    flags: Flags<ForAll>,
}

pub(super) async fn serve(args: ServeArgs) -> Result<ExitCode, Failure> {
    let given = Given::to(args.flags);
    let config = start(&given)?;
    let settings = &config.settings;
    let database = database(settings)?;
    let store = database.open().await?;
    let data_dir = settings.value(&DATA_DIR);
    let worker = Settings { hand_over: database.hand_over(), ..worker_settings(settings) };
    let engine = Engine::build(Arc::clone(&store), worker, data_dir, &config, false, WithoutTasks::Idle)?;
    let catalog = Arc::new(LiveCatalog::new(TaskCatalog::open(&config)?));
    schedules::apply_all(store.as_ref(), catalog.as_ref(), &config.schedules).await;
    let mut api = Api::on(Arc::clone(&store));
    api.auth = match settings.value(&AUTH) {
        AuthMode::Tokens => Auth::Tokens,
        AuthMode::None => Auth::None,
    };
    set_up(&mut api, &engine, settings, &database)?;
    api.catalog = Arc::clone(&catalog) as _;
    let listen = settings.value(&LISTEN);
    let reload = Reload::new(given, config, engine.exchange()).with_api(store, catalog, TaskCatalog::open);
    let ready = |address: SocketAddr| tracing::info!(%address, "serving the API");
    let summary = serve_with(api, engine, reload, listen, ready).await?;
    Ok(conclude(summary))
}

/// What `dev` and `serve` set alike.
pub(super) fn set_up(api: &mut Api, engine: &Engine, settings: &Effective, database: &Database) -> Result<(), Failure> {
    api.admission = Admission { queue_size: settings.get(&QUEUE_SIZE) };
    api.rate_limit = settings.get(&RATE_LIMIT_PER_SECOND).map(|per_second| {
        let burst = settings.get(&RATE_LIMIT_BURST).unwrap_or(per_second);
        RateLimit { per_second, burst }
    });
    api.hosts = settings.get(&ALLOWED_HOSTS).unwrap_or_default();
    api.origins = settings.get(&ALLOWED_ORIGINS).unwrap_or_default();
    api.database = database.info();
    engine.attach(api, settings.value(&QUEUE_ENABLED))
}

/// Serves and works until told to stop; `ready` is called once requests are taken. They are answered until the worker has
/// drained: what is submitted meanwhile is stored for the next process.
pub(super) async fn serve_with(
    mut api: Api,
    engine: Engine,
    reload: Reload,
    listen: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> Result<Summary, Failure> {
    api.metrics = Some(metrics::recorder()?);
    let listener = TcpListener::bind(listen).await.map_err(|error| format!("cannot listen on {listen}: {error}"))?;
    let address = listener.local_addr()?;
    let stop = signals::listen()?;
    signals::on_hangup(stop.clone(), reload)?;
    api.draining = stop.clone();
    let (failed, drained) = (CancellationToken::new(), CancellationToken::new());
    let serving = tokio::spawn({
        let (drained, failed) = (drained.clone(), failed.clone());
        async move {
            let served = http::serve(listener, api, drained).await;
            failed.cancel();
            served
        }
    });
    // Work without its API is no service: if one ends, so does the other.
    let both = stop.child_token();
    tokio::spawn({
        let both = both.clone();
        async move {
            failed.cancelled().await;
            both.cancel();
        }
    });
    ready(address);
    signals::tell_ready();
    let summary = engine.run(both).await;
    drained.cancel();
    serving.await??;
    Ok(summary)
}
