//! `runlane bench`: how fast a server takes runs, works them off, and picks one up; measured through the API. The server is one
//! that is there, or its own on a database that is named.

mod drain;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod own;
mod pickup;
mod progress;
mod queue;
mod submit;

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use self::progress::progress;
use self::queue::BenchQueue;
use super::doc::Doc;
use super::exit;
use super::remote::{Remote, RemoteArgs};
use super::render::{counted, grouped};
use super::{print_json, say, seen};
use crate::cli::Failure;
use crate::cli::database::Database;

/// Enough to tell 99 of 100 from the rest.
const PICKUPS: u32 = 200;

#[derive(Args)]
#[command(after_help = "\
It pauses the queue `bench`, submits runs of the demo task `echo` to it, resumes the queue and waits until all runs have ended.
Every figure is measured at the client, and every run is committed before it is acknowledged.
To measure a server, a worker with the task `echo` must be running, such as the one in `runlane dev`.")]
pub(in crate::cli) struct BenchArgs {
    /// Number of runs to submit one by one, and again in batches
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    runs: u32,
    /// Number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Size of each payload
    #[arg(long, value_name = "BYTES", default_value_t = 100)]
    payload_bytes: usize,
    /// Measure this database, `sqlite:PATH` or `postgres://…`, with a server and a worker in this process, instead of the
    /// server at --url. The database must be migrated; other work in it is left alone
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

/// What was measured, and at what.
#[derive(Serialize)]
struct Figures {
    submit_per_second: f64,
    submit_batch_per_second: f64,
    drain_per_second: f64,
    pickup_ms: pickup::Pickup,
    database: String,
    runs: u32,
    concurrency: u16,
    payload_bytes: usize,
}

pub(super) async fn bench(args: BenchArgs) -> Result<ExitCode, Failure> {
    match &args.database {
        Some(url) => on_database(&args, &Database::parse(url)?).await,
        None => {
            let remote = args.remote.remote()?;
            a_worker_is_there(&remote).await?;
            on_server(&args, &remote).await
        }
    }
}

#[cfg(all(feature = "worker", target_os = "linux"))]
async fn on_database(args: &BenchArgs, database: &Database) -> Result<ExitCode, Failure> {
    let workspace = args.remote.workspace().map(runlane::run::WorkspaceName::parse).transpose()?.unwrap_or_default();
    let own = own::OwnServer::on(database, workspace).await?;
    let measured = match args.remote.clone().at(&own.url, own.secret.expose()).remote() {
        Ok(remote) => on_server(args, &remote).await,
        Err(error) => Err(error.into()),
    };
    let stopped = own.stop().await;
    measured.and_then(|code| stopped.map(|()| code))
}

#[cfg(not(all(feature = "worker", target_os = "linux")))]
async fn on_database(_: &BenchArgs, database: &Database) -> Result<ExitCode, Failure> {
    let kind = database.kind();
    Err(format!(
        "this runlane was built without workers, so it cannot measure a {kind} database by itself; start a server"
    )
    .into())
}

async fn on_server(args: &BenchArgs, remote: &Remote) -> Result<ExitCode, Failure> {
    let database = database(remote).await?;
    let queue = BenchQueue::paused(remote).await?;
    let measured = tokio::select! {
        measured = measure(args, remote, &queue) => measured,
        _ = tokio::signal::ctrl_c() => {
            queue.resume().await?;
            return Ok(ExitCode::from(exit::INTERRUPTED));
        }
    };
    // Whatever happened: what was submitted is to be worked off.
    queue.resume().await?;
    let (submit_per_second, submit_batch_per_second, drain_per_second, pickup_ms) = measured?;
    let figures = Figures {
        submit_per_second,
        submit_batch_per_second,
        drain_per_second,
        pickup_ms,
        database,
        runs: args.runs,
        concurrency: args.concurrency,
        payload_bytes: args.payload_bytes,
    };
    if args.remote.json {
        print_json(&figures);
    } else {
        say(&figures.in_words());
    }
    Ok(ExitCode::SUCCESS)
}

async fn measure(
    args: &BenchArgs,
    remote: &Remote,
    queue: &BenchQueue<'_>,
) -> Result<(f64, f64, f64, pickup::Pickup), Failure> {
    let (body, runs) = (body(args.payload_bytes), u64::from(args.runs));
    let bar = progress(&format!("submitting one by one, {} at once", args.concurrency), runs);
    let single = submit::one_by_one(remote, &body, args.runs, args.concurrency, &bar).await?;
    let bar = progress("submitting in batches", runs);
    let batches = submit::in_batches(remote, &body, args.runs, args.concurrency, &bar).await?;
    let bar = progress("working them off", runs * 2);
    let drain = drain::drain(queue, runs * 2, &bar).await?;
    let bar = progress("submitting to an idle queue", runs.min(PICKUPS.into()));
    let pickup = pickup::measure(remote, &body, args.runs.min(PICKUPS), &bar).await?;
    Ok((single, batches, drain, pickup))
}

/// A submission whose payload has the wished size.
fn body(payload_bytes: usize) -> Doc {
    let frame = r#"{"pad":""}"#.len();
    let payload = json!({"pad": "x".repeat(payload_bytes.saturating_sub(frame))});
    Doc::of(&json!({"task": "echo", "queue": queue::NAME, "payload": payload}))
}

/// The kind of database, as the server says.
async fn database(remote: &Remote) -> Result<String, Failure> {
    let health: Value = remote.outside("readyz").await?.json().await.unwrap_or_default();
    Ok(health.get("database").and_then(Value::as_str).unwrap_or("unknown").to_owned())
}

async fn a_worker_is_there(remote: &Remote) -> Result<(), Failure> {
    let workers: Vec<seen::Worker> = seen::list(&remote.get(&["workers"]).await?)?;
    if workers.iter().any(seen::Worker::is_working) {
        Ok(())
    } else {
        Err("no worker is running\n  hint: `runlane dev` starts a server with one; with --database, one \
             works in this process"
            .into())
    }
}

impl Figures {
    fn in_words(&self) -> String {
        let rate = |figure: f64| format!("{:>9} runs/s", grouped(figure as u64));
        format!(
            "submit           {}  one by one, {} at once\nsubmit in batches{}  of {}\ndrain            {}\n\
             pickup           {:>9.1} ms      median; {:.1} ms for 99 of 100\n\n\
             {} of each, payloads of {} bytes, database: {}\n",
            rate(self.submit_per_second),
            self.concurrency,
            rate(self.submit_batch_per_second),
            submit::BATCH,
            rate(self.drain_per_second),
            self.pickup_ms.p50,
            self.pickup_ms.p99,
            counted(self.runs.into(), "run"),
            grouped(self.payload_bytes as u64),
            self.database,
        )
    }
}
