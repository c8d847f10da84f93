//! `runlane workspaces`: the tenants of a server.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::doc::Doc;
use super::remote::{Extra, RemoteArgs};
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
            let body = Doc::of(&json!({"name": name}));
            let extra = Extra { body: Some(&body), ..Extra::default() };
            match remote.change(Method::POST, &["workspaces"], extra).await? {
                (answer, true) => (answer, format!("created workspace {}\n", plain(&name))),
                (answer, false) => (answer, format!("workspace {} already exists\n", plain(&name))),
            }
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
