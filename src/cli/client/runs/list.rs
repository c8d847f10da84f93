//! `runlane runs list`: pages of runs, newest first.

use std::process::ExitCode;

use clap::Args;

use crate::cli::Failure;
use crate::cli::client::limit::Limit;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{Paint, Table, now, row};
use crate::cli::client::{print_json, say, seen};

const STATUSES: [&str; 9] =
    ["pending", "queued", "running", "retrying", "paused", "succeeded", "failed", "timed_out", "cancelled"];

#[derive(Args)]
pub(super) struct ListArgs {
    /// Only runs with these statuses (`--status failed,timed_out`)
    #[arg(long, short, value_name = "STATUS", value_delimiter = ',', value_parser = STATUSES)]
    status: Vec<String>,
    /// Only runs of this task
    #[arg(long, short, value_name = "NAME")]
    task: Option<String>,
    /// Only runs of this queue
    #[arg(long, short, value_name = "NAME")]
    queue: Option<String>,
    /// Only runs of this lane
    #[arg(long, short, value_name = "NAME")]
    lane: Option<String>,
    /// Only runs of this schedule: its name or id
    #[arg(long, value_name = "ID")]
    schedule: Option<String>,
    #[command(flatten)]
    limit: Limit,
}

pub(super) async fn list(remote: &Remote, args: ListArgs, as_json: bool) -> Result<ExitCode, Failure> {
    let found = args.limit.fetch(remote, &["runs"], &args.query()).await?;
    if as_json {
        print_json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    let (now, paint) = (now(), Paint::for_stdout());
    let mut table = Table::new(&["id", "status", "task", "queue", "lane", "tries", "requested", "took", "note"]);
    for run in &found.data {
        table.add(row(&seen::read(run)?, now));
    }
    if table.is_empty() {
        say(if args.is_filtered() { "no run matches\n" } else { "no runs yet; `runlane submit` creates one\n" });
        return Ok(ExitCode::SUCCESS);
    }
    say(&table.render(paint));
    say(&found.rest(paint));
    Ok(ExitCode::SUCCESS)
}

impl ListArgs {
    fn is_filtered(&self) -> bool {
        let named = [&self.task, &self.queue, &self.lane, &self.schedule];
        !self.status.is_empty() || named.into_iter().any(Option::is_some)
    }

    fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        if !self.status.is_empty() {
            query.push(("status", self.status.join(",")));
        }
        let named = [("task", &self.task), ("queue", &self.queue), ("lane", &self.lane), ("schedule", &self.schedule)];
        query.extend(named.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))));
        query
    }
}
