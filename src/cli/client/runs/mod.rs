//! `runlane runs`: list, show and steer runs.

mod command;
mod list;
mod show;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::remote::RemoteArgs;
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct RunsArgs {
    #[command(subcommand)]
    verb: RunsVerb,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum RunsVerb {
    /// List runs, newest first
    List(list::ListArgs),
    /// Show all details of a run, with its attempts
    Show {
        /// The run's id
        id: String,
    },
    /// Cancel runs: waiting runs immediately, running ones as soon as their worker has stopped them
    Cancel(command::Ids),
    /// Pause runs until they are resumed
    Pause(command::Ids),
    /// Queue paused, failed or timed-out runs again
    Resume(command::Ids),
    /// Submit the same work again as new runs
    Rerun(command::Ids),
    /// Let the lane of a paused, failed or timed-out run continue without it
    Dismiss(command::Ids),
    /// Release runs that were created on hold
    Enqueue(command::Ids),
}

pub(super) async fn runs(args: RunsArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let json = args.remote.json;
    match args.verb {
        RunsVerb::List(filter) => list::list(&remote, filter, json).await,
        RunsVerb::Show { id } => show::show(&remote, &id, json).await,
        RunsVerb::Cancel(ids) => command::command(&remote, "cancel", ids, json).await,
        RunsVerb::Pause(ids) => command::command(&remote, "pause", ids, json).await,
        RunsVerb::Resume(ids) => command::command(&remote, "resume", ids, json).await,
        RunsVerb::Rerun(ids) => command::command(&remote, "rerun", ids, json).await,
        RunsVerb::Dismiss(ids) => command::command(&remote, "dismiss", ids, json).await,
        RunsVerb::Enqueue(ids) => command::command(&remote, "enqueue", ids, json).await,
    }
}
