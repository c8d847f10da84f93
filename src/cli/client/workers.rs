//! `runlane workers`: who executes runs; `drain` asks one to leave.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::remote::{Remote, RemoteArgs};
use super::render::{Cell, Paint, Table, ago, elapsed, now, plain};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct WorkersArgs {
    #[command(subcommand)]
    verb: Option<WorkersVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum WorkersVerb {
    /// List workers (the default); one that vanished without leaving is listed as silent for a day
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
        WorkersVerb::Drain { id } => drain(&remote, &id, args.remote.json).await,
    }
}

async fn drain(remote: &Remote, id: &str, json: bool) -> Result<ExitCode, Failure> {
    let answer = remote.post(&["workers", id, "drain"], None).await?;
    let said = drained(&seen::read(&answer)?, now());
    if json {
        print_json(&answer);
    } else if let Ok(words) = &said {
        say(words);
    }
    said?;
    Ok(ExitCode::SUCCESS)
}

/// What became of the request. A worker that has left needs no asking; that a silent one may never hear of it is a failure.
fn drained(worker: &seen::Worker, now: Timestamp) -> Result<String, String> {
    let id = plain(&worker.id);
    if let Some(at) = worker.left_at {
        return Ok(format!("worker {id} left {}; there is nothing to drain\n", ago(at, now)));
    }
    if worker.is_silent() {
        let seen = worker.seen_at.map(|at| format!(", last seen {}", ago(at, now))).unwrap_or_default();
        return Err(format!(
            "worker {id} is silent{seen}\n  hint: it will drain if it comes back; other workers take over its runs when \
             their leases run out"
        ));
    }
    Ok(format!("worker {id} claims no more runs; it leaves when those it has are done\n"))
}

async fn list(remote: &Remote, json: bool) -> Result<ExitCode, Failure> {
    let answer = remote.get(&["workers"]).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let table = table(&seen::list::<seen::Worker>(&answer)?, now());
    say(&if table.is_empty() {
        "there is no worker; `runlane worker` starts one\n".into()
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
        match state(worker, now) {
            words if worker.is_working() => Cell::of(words),
            words => Cell::of(words).warn(),
        },
    ]
}

/// `working`, `draining for 12 s`, `silent for 5 min`.
pub(super) fn state(worker: &seen::Worker, now: Timestamp) -> String {
    let since = |word: &str, at: Option<Timestamp>| match at {
        Some(at) => format!("{word} for {}", elapsed(at, now)),
        None => word.to_owned(),
    };
    if worker.is_silent() {
        since("silent", worker.seen_at)
    } else if worker.draining {
        since("draining", worker.draining_since)
    } else {
        "working".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(state: &str) -> seen::Worker {
        seen::Worker {
            id: "w".into(),
            state: state.into(),
            seen_at: "2026-11-16T12:00:00Z".parse().ok(),
            draining: state == "draining",
            draining_since: "2026-11-16T12:04:30Z".parse().ok(),
            left_at: "2026-11-16T12:00:00Z".parse().ok().filter(|_| state == "left"),
            ..seen::Worker::default()
        }
    }

    fn now() -> Timestamp {
        "2026-11-16T12:05:00Z".parse().expect("a time")
    }

    #[test]
    fn a_state_says_since_when() {
        let words = ["working", "draining", "silent"].map(|word| state(&worker(word), now()));
        assert_eq!(words, ["working", "draining for 30 s", "silent for 5 min"]);
    }

    #[test]
    fn a_drain_request_says_what_becomes_of_it() {
        let told = |word: &str| drained(&worker(word), now());
        let asked = "worker w claims no more runs; it leaves when those it has are done\n";
        assert_eq!(told("draining").as_deref(), Ok(asked));
        assert_eq!(told("left").as_deref(), Ok("worker w left 5 min ago; there is nothing to drain\n"));
        let silent = told("silent").expect_err("nobody hears it");
        assert!(silent.starts_with("worker w is silent, last seen 5 min ago\n  hint: "), "{silent}");
    }
}
