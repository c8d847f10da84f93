//! `runlane workers`: who executes runs; `drain` asks one to leave.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::remote::{Remote, RemoteArgs};
use super::render::{Cell, Paint, Table, ago, now, plain};
use super::{print_json, say, seen};
use crate::cli::Failure;

/// A worker says every few seconds that it is there; one that has not for so long probably is not.
pub(super) const SILENT_SECONDS: i64 = 30;

#[derive(Args)]
pub(in crate::cli) struct WorkersArgs {
    #[command(subcommand)]
    verb: Option<WorkersVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum WorkersVerb {
    /// List workers (the default)
    List,
    /// Ask a worker to stop claiming, finish its attempts, and exit
    Drain {
        /// The worker's id
        id: String,
    },
}

pub(super) async fn workers(args: WorkersArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    match args.verb.unwrap_or(WorkersVerb::List) {
        WorkersVerb::List => list(&remote, args.remote.json).await,
        WorkersVerb::Drain { id } => {
            let answer = remote.post(&["workers", &id, "drain"], None).await?;
            if args.remote.json {
                print_json(&answer);
            } else {
                say(&format!("worker {} was asked to finish what it has and leave\n", plain(&id)));
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn list(remote: &Remote, json: bool) -> Result<ExitCode, Failure> {
    let answer = remote.get(&["workers"]).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let table = table(&seen::list::<seen::Worker>(&answer)?, now());
    say(&if table.is_empty() {
        "no worker was seen lately; `runlane worker` starts one\n".into()
    } else {
        table.render(Paint::for_stdout())
    });
    Ok(ExitCode::SUCCESS)
}

pub(super) fn table(workers: &[seen::Worker], now: Timestamp) -> Table {
    let mut table = Table::new(&["worker", "host", "pid", "busy", "queues", "started", "seen", "version", "state"]);
    workers.iter().for_each(|worker| table.add(row(worker, now)));
    table
}

fn row(worker: &seen::Worker, now: Timestamp) -> Vec<Cell> {
    let queues = if worker.queues.is_empty() { "all".into() } else { worker.queues.join(",") };
    vec![
        Cell::of(&worker.id),
        Cell::of(&worker.host),
        Cell::number(worker.pid),
        Cell::of(format!("{}/{}", worker.busy, worker.slots)),
        Cell::of(queues),
        Cell::maybe(worker.started_at.map(|at| ago(at, now))),
        Cell::maybe(worker.seen_at.map(|at| ago(at, now))),
        Cell::of(&worker.version),
        match (is_silent(worker, now), worker.draining) {
            (true, _) => Cell::of("silent").warn(),
            (false, true) => Cell::of("draining").warn(),
            (false, false) => Cell::of("working"),
        },
    ]
}

/// Whether it has not been heard of for longer than it should.
pub(super) fn is_silent(worker: &seen::Worker, now: Timestamp) -> bool {
    worker.seen_at.is_some_and(|at| now.duration_since(at).as_secs() > SILENT_SECONDS)
}
