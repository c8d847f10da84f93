//! `runlane dev`: everything in one process, on a file, with tasks to try things out with.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use runlane::http::{Api, Auth};
use runlane::store::Store;
use runlane::worker::Settings;

use super::catalog::TaskCatalog;
use super::config::Config;
use super::database::Database;
use super::engine::{Engine, exit_code};
use super::serve::{LISTEN, serve_with};
use super::{Failure, logs};

#[derive(Args)]
pub(super) struct DevArgs {
    /// Where everything is kept [default: runlane in the user's data directory]
    #[arg(long, value_name = "DIR", env = "RUNLANE_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Further tasks; without it, runlane.toml where there is one
    #[arg(long, value_name = "FILE", env = "RUNLANE_CONFIG")]
    config: Option<PathBuf>,
    /// Where the API listens [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR:PORT", env = "RUNLANE_LISTEN")]
    listen: Option<SocketAddr>,
    /// How many runs are executed at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    concurrency: usize,
    #[command(flatten)]
    logs: logs::LogArgs,
}

pub(super) async fn dev(args: DevArgs) -> Result<ExitCode, Failure> {
    logs::start(&args.logs);
    let config = Config::load(args.config.as_deref())?;
    let data_dir = match args.data_dir.or_else(|| config.data_dir.clone()) {
        Some(dir) => dir,
        None => usual_directory()?,
    };
    std::fs::create_dir_all(&data_dir).map_err(|error| format!("cannot make {}: {error}", data_dir.display()))?;
    let file = data_dir.join("runlane.db");
    let is_new = !file.exists();
    let store = Database::Sqlite(file.clone()).open_and_migrate().await?;
    let settings = Settings { concurrency: args.concurrency, ..Settings::default() };
    let engine = Engine::build(Arc::clone(&store), settings, data_dir, &config, true)?;
    let mut api = Api::on(Arc::clone(&store));
    api.auth = Auth::None;
    let catalog = TaskCatalog::open(&config)?.with_demo_tasks();
    let tasks = catalog.names().join(", ");
    api.catalog = Arc::new(catalog.strict());
    let listen = args.listen.or(config.listen).map_or_else(|| LISTEN.parse(), Ok)?;
    let waiting = waiting(store.as_ref()).await?;
    let summary = serve_with(api, engine, listen, |address| welcome(address, &file, is_new, waiting, &tasks)).await?;
    println!("{summary}");
    Ok(exit_code(summary))
}

async fn waiting(store: &dyn Store) -> Result<u64, Failure> {
    Ok(store.counts().await?.iter().map(|count| count.runs).sum())
}

/// What to do next, to be read and pasted.
fn welcome(address: SocketAddr, file: &Path, is_new: bool, waiting: u64, tasks: &str) {
    let kept = match (is_new, waiting) {
        (true, _) => "new".to_owned(),
        (false, 0) => "kept from before".to_owned(),
        (false, 1) => "kept from before, with 1 run that goes on".to_owned(),
        (false, runs) => format!("kept from before, with {runs} runs that go on"),
    };
    println!(
        "runlane {version}: API and worker in one process, for this machine only

  API    http://{address}/v1      docs  http://{address}/docs
  data   {file} ({kept}); runs survive a restart, delete the file to forget them
  tasks  {tasks}

Try it, in another terminal:

  curl -s http://{address}/v1/runs -H 'Content-Type: application/json' -H 'Prefer: wait=10' \\
    -d '{{\"task\": \"send_email\", \"payload\": {{\"to\": \"ada@example.org\", \"subject\": \"Hello\"}}}}'

Ctrl-C stops it.
",
        version = env!("CARGO_PKG_VERSION"),
        file = file.display(),
    );
}

fn usual_directory() -> Result<PathBuf, Failure> {
    let dirs = directories::ProjectDirs::from("", "", "runlane");
    Ok(dirs.ok_or("no home directory is known; say where with --data-dir")?.data_dir().to_owned())
}
