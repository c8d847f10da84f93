//! `runlane dev`: everything in one process, on a file, with tasks to try things out with.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use runlane::actions::LiveCatalog;
use runlane::executor::process::ProcessHost;
use runlane::http::{Api, Auth};
use runlane::store::Store;
use runlane::worker::Settings;

use super::catalog::TaskCatalog;
use super::database::Database;
use super::engine::{Engine, WithoutTasks, conclude};
use super::reload::Reload;
use super::serve::{serve_with, set_up};
use super::settings::{DATA_DIR, Flags, ForDev, Given, LISTEN, SHUTDOWN_GRACE_PERIOD_SECONDS};
use super::worker::{start, worker_settings};
use super::{Failure, schedules};

/// How long functions may still run after Ctrl-C, unless a setting says otherwise: somebody sits there and waits.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Args)]
pub(super) struct DevArgs {
    #[command(flatten)]
    flags: Flags<ForDev>,
}

pub(super) async fn dev(args: DevArgs) -> Result<ExitCode, Failure> {
    let given = Given::to(args.flags);
    let config = start(&given)?;
    let settings = &config.settings;
    let data_dir = match settings.said(&DATA_DIR) {
        Some(dir) => dir,
        None => usual_directory()?,
    };
    ProcessHost::make_data_dir(&data_dir).map_err(|error| format!("cannot create {}: {error}", data_dir.display()))?;
    let file = data_dir.join("runlane.db");
    let is_new = !file.exists();
    let database = Database::Sqlite(file.clone());
    let store = database.open_and_migrate().await?;
    let mut worker = Settings { hand_over: database.hand_over(), ..worker_settings(settings) };
    worker.shutdown_grace = settings.said(&SHUTDOWN_GRACE_PERIOD_SECONDS).unwrap_or(GRACE);
    let engine = Engine::build(Arc::clone(&store), worker, data_dir, &config, true, WithoutTasks::Idle)?;
    let mut api = Api::on(Arc::clone(&store));
    // Whatever else is said: it is for trying things out, on this machine only.
    api.auth = Auth::None;
    set_up(&mut api, &engine, settings, &database)?;
    let catalog = TaskCatalog::open_for_dev(&config)?;
    let tasks = catalog.names().join(", ");
    let catalog = Arc::new(LiveCatalog::new(catalog));
    api.catalog = Arc::clone(&catalog) as _;
    schedules::apply_all(store.as_ref(), catalog.as_ref(), &config.schedules).await;
    let listen = settings.value(&LISTEN);
    let waiting = waiting(store.as_ref()).await?;
    let reload = Reload::new(given, config, engine.exchange()).with_api(store, catalog, TaskCatalog::open_for_dev);
    let ready = |address| welcome(address, &file, is_new, waiting, &tasks);
    let summary = serve_with(api, engine, reload, listen, ready).await?;
    Ok(conclude(summary))
}

async fn waiting(store: &dyn Store) -> Result<u64, Failure> {
    Ok(store.counts().await?.iter().map(|count| count.runs).sum())
}

/// What to do next, to be read and pasted.
fn welcome(address: SocketAddr, file: &Path, is_new: bool, waiting: u64, tasks: &str) {
    let kept = match (is_new, waiting) {
        (true, _) => "new".to_owned(),
        (false, 0) => "existing".to_owned(),
        (false, 1) => "existing, with 1 live run".to_owned(),
        (false, runs) => format!("existing, with {runs} live runs"),
    };
    println!(
        "runlane {version}: API and worker in one process, for this machine only

  API    http://{address}/v1      docs  http://{address}/docs
  data   {file} ({kept}); runs survive a restart; delete the file to start afresh
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
    Ok(dirs.ok_or("there is no home directory; set --data-dir")?.data_dir().to_owned())
}
