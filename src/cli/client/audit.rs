//! `runlane audit`: who did what.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;

use super::doc::Doc;
use super::limit::Limit;
use super::remote::RemoteArgs;
use super::render::{Cell, Paint, Table, ago, now};
use super::{args, print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct AuditArgs {
    /// Only what somebody of this name did
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// Only this action (run.cancel), or all that concern a noun (run)
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Only what was done to this: a full id, or a name
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<String>,
    /// Only what was done since then: a time, or a duration before now (2h, 7d)
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<Timestamp>,
    #[command(flatten)]
    limit: Limit,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

fn since(text: &str) -> Result<Timestamp, String> {
    match args::duration(text) {
        Ok(span) => now().checked_sub(span).map_err(|_| format!("{text:?} is too long ago")),
        Err(_) => args::instant(text)
            .map_err(|_| format!("{text:?} is neither a duration (2h, 7d) nor a time (2026-11-20T09:00:00Z)")),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Record {
    at: Option<Timestamp>,
    workspace: Option<String>,
    actor_name: String,
    action: String,
    subject: String,
    detail: Doc,
}

pub(super) async fn audit(args: AuditArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let found = args.limit.fetch(&remote, &["audit"], &args.query()).await?;
    if args.remote.json {
        print_json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["when", "who", "action", "subject", "workspace", "detail"]);
    for record in &found.data {
        let record: Record = seen::read(record)?;
        table.add(vec![
            Cell::maybe(record.at.map(|at| ago(at, now()))),
            Cell::of(record.actor_name),
            Cell::of(record.action),
            Cell::of(record.subject),
            Cell::maybe(record.workspace),
            Cell::of(if record.detail.is_null() { String::new() } else { record.detail.to_string() }),
        ]);
    }
    let paint = Paint::for_stdout();
    say(&if table.is_empty() { "nothing was done, or nothing that matches\n".into() } else { table.render(paint) });
    say(&found.rest(paint));
    Ok(ExitCode::SUCCESS)
}

impl AuditArgs {
    fn query(&self) -> Vec<(&'static str, String)> {
        let since = self.since.map(|since| since.to_string());
        let named = [("actor", &self.actor), ("action", &self.action), ("subject", &self.subject), ("since", &since)];
        named.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }
}
