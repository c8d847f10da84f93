//! `runlane usage`: what runs used up, and who pays.

use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use super::remote::RemoteArgs;
use super::render::{Cell, Paint, Table, grouped};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct UsageArgs {
    /// Only usage charged to this account
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// Only runs of this task
    #[arg(long, short, value_name = "NAME")]
    task: Option<String>,
    /// Only this unit
    #[arg(long, short, value_name = "UNIT")]
    unit: Option<String>,
    /// From this day or time (2026-11-01)
    #[arg(long, value_name = "WHEN")]
    from: Option<String>,
    /// Until before this day or time
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sum {
    account: Option<String>,
    task: String,
    unit: String,
    day: String,
    amount: u64,
}

pub(super) async fn usage(args: UsageArgs) -> Result<ExitCode, Failure> {
    let named = [
        ("account", args.account),
        ("task", args.task),
        ("unit", args.unit),
        ("from", args.from),
        ("until", args.until),
    ];
    let query: Vec<(&str, String)> = named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let answer = args.remote.remote()?.find(&["usage"], &query).await?;
    if args.remote.json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["day", "account", "task", "unit", "amount"]);
    for sum in seen::list::<Sum>(&answer)? {
        table.add(vec![
            Cell::of(&sum.day),
            Cell::maybe(sum.account.as_ref()),
            Cell::of(&sum.task),
            Cell::of(&sum.unit),
            Cell::number(grouped(sum.amount)),
        ]);
    }
    say(&if table.is_empty() { "no usage\n".into() } else { table.render(Paint::for_stdout()) });
    Ok(ExitCode::SUCCESS)
}
