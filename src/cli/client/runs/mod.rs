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
    /// Show a run in full, with its attempts
    Show {
        /// Its id
        id: String,
    },
    /// End runs: at once if they have not started, else as soon as they can be stopped
    Cancel(command::Ids),
    /// Stop runs until they are resumed
    Pause(command::Ids),
    /// Queue paused, failed or timed out runs again
    Resume(command::Ids),
    /// Submit the same work again, as new runs
    Rerun(command::Ids),
    /// Let the lane of a paused, failed or timed out run go on without it
    Dismiss(command::Ids),
    /// Let runs go that were created held
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
