//! `runlane tasks`: which kinds of work the server knows.

use std::process::ExitCode;

use clap::Args;
use jiff::SignedDuration;
use serde::Deserialize;

use super::remote::RemoteArgs;
use super::render::{Cell, Paint, Table, span};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct TasksArgs {
    #[command(subcommand)]
    verb: Option<TasksVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(clap::Subcommand)]
enum TasksVerb {
    /// List the tasks that the server's configuration has (also without a verb)
    List,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Task {
    name: String,
    executor: String,
    queue: String,
    max_attempts: u32,
    timeout_seconds: Option<u32>,
    has_schema: bool,
}

pub(super) async fn tasks(args: TasksArgs) -> Result<ExitCode, Failure> {
    let TasksVerb::List = args.verb.unwrap_or(TasksVerb::List);
    let answer = args.remote.remote()?.get(&["tasks"]).await?;
    if args.remote.json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["task", "executor", "queue", "attempts", "timeout", "payload"]);
    for task in seen::list::<Task>(&answer)? {
        let limit = task.timeout_seconds.map(|seconds| span(SignedDuration::from_secs(seconds.into())));
        table.add(vec![
            Cell::of(task.name),
            Cell::of(task.executor),
            Cell::of(task.queue),
            Cell::number(task.max_attempts),
            Cell::maybe(limit),
            Cell::of(if task.has_schema { "by schema" } else { "any" }),
        ]);
    }
    say(&if table.is_empty() {
        "the server has no tasks of its own; it takes runs of any task, for workers that have it\n".into()
    } else {
        table.render(Paint::for_stdout())
    });
    Ok(ExitCode::SUCCESS)
}
