//! `runlane queues`: list them, pause and resume them, limit how many of their runs are executed at once.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::json;

use super::doc::Doc;
use super::remote::{Extra, Remote, RemoteArgs};
use super::render::{Cell, Paint, Table, grouped, plain};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct QueuesArgs {
    #[command(subcommand)]
    verb: Option<QueuesVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum QueuesVerb {
    /// List the queues that have runs or settings (the default)
    List,
    /// Stop starting its runs until it is resumed; running attempts continue
    Pause {
        /// The queue's name
        name: String,
    },
    /// Resume a paused queue
    Resume {
        /// The queue's name
        name: String,
    },
    /// Limit how many of its runs execute at once, across all workers
    Limit {
        /// The queue's name
        name: String,
        /// The limit, or `none`
        #[arg(value_parser = limit)]
        most: Limit,
    },
}

#[derive(Clone, Copy)]
struct Limit(Option<u32>);

fn limit(text: &str) -> Result<Limit, String> {
    match text {
        "none" | "off" => Ok(Limit(None)),
        number => number.parse().map(|most| Limit(Some(most))).map_err(|_| "write a number, or none".into()),
    }
}

pub(super) async fn queues(args: QueuesArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let json = args.remote.json;
    let (answer, changed) = match args.verb.unwrap_or(QueuesVerb::List) {
        QueuesVerb::List => return list(&remote, json).await,
        QueuesVerb::Pause { name } => {
            remote.change(Method::POST, &["queues", &name, "pause"], Extra::default()).await?
        }
        QueuesVerb::Resume { name } => {
            remote.change(Method::POST, &["queues", &name, "resume"], Extra::default()).await?
        }
        QueuesVerb::Limit { name, most } => {
            let body = Doc::of(&json!({"concurrency": most.0}));
            let extra = Extra { body: Some(&body), ..Extra::default() };
            remote.change(Method::PATCH, &["queues", &name], extra).await?
        }
    };
    if json {
        print_json(&answer);
    } else {
        say(&format!("{}\n", in_words(&answer, changed)?));
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(remote: &Remote, json: bool) -> Result<ExitCode, Failure> {
    let answer = remote.get(&["queues"]).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let table = table(&seen::list::<seen::Queue>(&answer)?);
    say(&if table.is_empty() { "no queue has runs or settings\n".into() } else { table.render(Paint::for_stdout()) });
    Ok(ExitCode::SUCCESS)
}

pub(super) fn table(queues: &[seen::Queue]) -> Table {
    let mut table = Table::new(&["queue", "waiting", "running", "limit", "state"]);
    for queue in queues {
        table.add(vec![
            Cell::of(&queue.name),
            Cell::number(grouped(queue.waiting)),
            Cell::number(grouped(queue.running)),
            Cell::number(queue.concurrency.map_or("–".into(), |most| most.to_string())),
            state(queue),
        ]);
    }
    table
}

fn state(queue: &seen::Queue) -> Cell {
    match (queue.paused, queue.concurrency) {
        (true, _) => Cell::status("paused"),
        (false, Some(most)) if queue.running >= most.into() && queue.waiting > 0 => Cell::of("at its limit").warn(),
        _ => Cell::of("open"),
    }
}

fn in_words(answer: &Doc, changed: bool) -> Result<String, String> {
    let queue: seen::Queue = seen::read(answer)?;
    let open = if queue.paused { "paused" } else { "open" };
    let most = queue.concurrency.map_or("no limit".into(), |most| format!("at most {most} at once"));
    let already = if changed { "" } else { "already " };
    Ok(format!("queue {}: {already}{open}, {most}", plain(&queue.name)))
}
