//! `runlane serve`: the API, the maintenance passes and a worker in one process.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use runlane::http::{self, Api, Auth};
use runlane::store::Admission;
use runlane::worker::Summary;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::catalog::TaskCatalog;
use super::config::{AuthMode, Config};
use super::engine::{Engine, exit_code};
use super::worker::WorkerArgs;
use super::{Failure, logs, metrics, signals};

/// Where the API is, unless something else is said.
pub(super) const LISTEN: &str = "127.0.0.1:8080";

#[derive(Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) api: ApiArgs,
    #[command(flatten)]
    worker: WorkerArgs,
}

#[derive(Args)]
pub(super) struct ApiArgs {
    /// Where the API listens [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR:PORT", env = "RUNLANE_LISTEN")]
    pub(super) listen: Option<SocketAddr>,
    /// Who may use it: whoever has a token, or, only on this machine itself, everybody [default: tokens]
    #[arg(long, value_enum, env = "RUNLANE_AUTH")]
    pub(super) auth: Option<AuthMode>,
    /// At most so many live runs; more are refused [default: no limit]
    #[arg(long, value_name = "N", env = "RUNLANE_QUEUE_SIZE")]
    pub(super) queue_size: Option<u64>,
}

pub(super) async fn serve(args: ServeArgs) -> Result<ExitCode, Failure> {
    logs::start(&args.worker.logs);
    let config = Config::load(args.worker.config.as_deref())?;
    let store = args.worker.database.clone().or(config.database.clone()).database()?.open().await?;
    let engine = Engine::build(
        Arc::clone(&store),
        args.worker.settings(&config),
        args.worker.data_dir(&config),
        &config,
        false,
    )?;
    let mut api = Api::on(store);
    api.auth = match args.api.auth.or(config.auth).unwrap_or(AuthMode::Tokens) {
        AuthMode::Tokens => Auth::Tokens,
        AuthMode::None => Auth::None,
    };
    api.admission = Admission { queue_size: args.api.queue_size.or(config.queue_size) };
    api.catalog = Arc::new(TaskCatalog::open(&config)?);
    let listen = args.api.listen.or(config.listen).map_or_else(|| LISTEN.parse(), Ok)?;
    let summary = serve_with(api, engine, listen, |address| tracing::info!(%address, "serving the API")).await?;
    println!("{summary}");
    Ok(exit_code(summary))
}

/// Serves and works until told to stop; `ready` is called once requests are taken.
pub(super) async fn serve_with(
    mut api: Api,
    engine: Engine,
    listen: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> Result<Summary, Failure> {
    api.metrics = Some(metrics::recorder()?);
    let listener = TcpListener::bind(listen).await.map_err(|error| format!("cannot listen on {listen}: {error}"))?;
    let address = listener.local_addr()?;
    let stop = signals::listen()?;
    let failed = CancellationToken::new();
    let serving = tokio::spawn({
        let (stop, failed) = (stop.clone(), failed.clone());
        async move {
            let served = http::serve(listener, api, stop).await;
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
    stop.cancel();
    serving.await??;
    Ok(summary)
}
