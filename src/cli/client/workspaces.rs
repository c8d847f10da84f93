//! `runlane workspaces`: the tenants of a server.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::json;

use super::doc::Doc;
use super::remote::RemoteArgs;
use super::render::{Cell, Paint, Table, plain};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct WorkspacesArgs {
    #[command(subcommand)]
    verb: Option<WorkspacesVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum WorkspacesVerb {
    /// List workspaces (the default)
    List,
    /// Create a workspace
    Create {
        /// The workspace's name
        name: String,
    },
}

pub(super) async fn workspaces(args: WorkspacesArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let (answer, words) = match args.verb.unwrap_or(WorkspacesVerb::List) {
        WorkspacesVerb::List => {
            let answer = remote.get(&["workspaces"]).await?;
            let words = table(&answer)?;
            (answer, words)
        }
        WorkspacesVerb::Create { name } => {
            let answer = remote.post(&["workspaces"], Some(&Doc::of(&json!({"name": name})))).await?;
            (answer, format!("created workspace {}\n", plain(&name)))
        }
    };
    if args.remote.json {
        print_json(&answer);
    } else {
        say(&words);
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Deserialize)]
struct Workspace {
    name: String,
}

fn table(answer: &Doc) -> Result<String, String> {
    let mut table = Table::new(&["workspace"]);
    for workspace in seen::list::<Workspace>(answer)? {
        table.add(vec![Cell::of(workspace.name)]);
    }
    Ok(table.render(Paint::for_stdout()))
}
