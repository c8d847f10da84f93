//! `runlane config`: whether the configuration is right, what it comes to, and what it may look like.

mod check;
mod look;
mod redact;
mod show;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Failure;
use super::settings::{Flags, ForAll, Given};

/// Every key there is, with what it is for.
const EXAMPLE: &str = include_str!("../../../examples/runlane.toml");

#[derive(Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    verb: ConfigVerb,
}

#[derive(Subcommand)]
enum ConfigVerb {
    /// Report every mistake in the file, the environment and the flags given here; exits with 1 if there is one
    Check(Box<LookArgs>),
    /// Show every setting with its value and origin, and the tasks
    Show(Box<LookArgs>),
    /// Print a configuration file with every key
    Example,
}

#[derive(Args)]
struct LookArgs {
    #[command(flatten)]
    flags: Flags<ForAll>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn config(args: ConfigArgs) -> Result<ExitCode, Failure> {
    match args.verb {
        ConfigVerb::Check(args) => check::check(&Given::to(args.flags), args.json),
        ConfigVerb::Show(args) => show::show(&Given::to(args.flags), args.json),
        ConfigVerb::Example => {
            look::say(EXAMPLE);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Prints one document.
fn print_json(value: &serde_json::Value) {
    look::say(&format!("{value:#}\n"));
}
