//! `runlane runs list`: pages of runs, newest first.

use std::process::ExitCode;

use clap::Args;

use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{Paint, Table, now, row};
use crate::cli::client::{print_json, say, seen};

/// How many are asked for at a time when all are wanted.
const PAGE: usize = 200;

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
    /// Maximum number of runs
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    limit: usize,
    /// All runs, page after page
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| "a whole number, 1 or more, is needed".into())
}

pub(super) async fn list(remote: &Remote, args: ListArgs, as_json: bool) -> Result<ExitCode, Failure> {
    let found = fetch(remote, &args).await?;
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
    if found.next_cursor.is_some() {
        say(&format!("{}\n", paint.quiet("there are more; --limit N or --all shows them")));
    }
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

async fn fetch(remote: &Remote, args: &ListArgs) -> Result<seen::Page<Doc>, Failure> {
    let most = if args.all { usize::MAX } else { args.limit };
    let mut found = seen::Page::<Doc> { data: Vec::new(), next_cursor: None };
    loop {
        let mut query = args.query();
        query.push(("limit", most.saturating_sub(found.data.len()).clamp(1, PAGE).to_string()));
        query.extend(found.next_cursor.take().map(|cursor| ("cursor", cursor)));
        let page = remote.find(&["runs"], &query).await?;
        let page: seen::Page<Doc> = seen::read(&page)?;
        found.data.extend(page.data);
        found.next_cursor = page.next_cursor;
        if found.next_cursor.is_none() || found.data.len() >= most {
            return Ok(found);
        }
    }
}
