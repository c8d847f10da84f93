//! `runlane completions`: what a shell needs to complete our words.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, Failure};

#[derive(Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// Shell
    shell: Shell,
}

pub(super) fn completions(args: CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "runlane", &mut script);
    super::say(&String::from_utf8(script)?);
    Ok(ExitCode::SUCCESS)
}
