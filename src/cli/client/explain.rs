//! `runlane explain`: why a run is not starting, and what would help.

use std::process::ExitCode;

use clap::Args;

use super::print_json;
use super::remote::RemoteArgs;
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct ExplainArgs {
    /// The run's id
    id: String,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

pub(super) async fn explain(args: ExplainArgs) -> Result<ExitCode, Failure> {
    let answer = args.remote.remote()?.get(&["runs", &args.id, "explain"]).await?;
    print_json(&answer);
    Ok(ExitCode::SUCCESS)
}
