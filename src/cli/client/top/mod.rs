//! `runlane top`: what a server is doing, live on a terminal and once elsewhere.

mod live;
mod plain;
mod snapshot;
mod view;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;
use jiff::SignedDuration;

use self::snapshot::Snapshot;
use super::remote::RemoteArgs;
use super::render::{Paint, now};
use super::{args, print_json, say};
use crate::cli::Failure;

#[derive(Args)]
#[command(after_help = "Keys: q quits, space pauses and resumes.")]
pub(in crate::cli) struct TopArgs {
    /// Refresh interval
    #[arg(long, short, value_name = "DURATION", default_value = "1s", value_parser = args::interval)]
    interval: SignedDuration,
    /// Print one snapshot and exit
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

pub(super) async fn top(args: TopArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    // Before the terminal is taken over, so that a server that is not there is told of as everywhere.
    let first = Snapshot::take(&remote).await?;
    if args.remote.json {
        print_json(&first.as_json()?);
    } else if args.once || !std::io::stdout().is_terminal() {
        say(&plain::text(&first.seen()?, Paint::for_stdout(), now()));
    } else {
        live::live(&remote, first, args.interval.unsigned_abs()).await?;
    }
    Ok(ExitCode::SUCCESS)
}
