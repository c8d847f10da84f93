//! `runlane schedules apply`: creates or updates schedules from a file, and says what that changed.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use reqwest::Method;
use serde::Deserialize;

use super::source::{Wanted, read};
use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::{Extra, Remote, RemoteArgs};
use crate::cli::client::render::plain;
use crate::cli::client::{exit, print_json, say, seen};

/// Longer values are cut.
const MOST_LETTERS: usize = 40;

#[derive(Args)]
pub(super) struct ApplyArgs {
    /// TOML with tables as in runlane.toml ([schedules.NAME]), or JSON; - for standard input
    file: String,
    /// Write nothing, and say what would change
    #[arg(long)]
    dry_run: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Applied {
    outcome: String,
    changes: Vec<Change>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Change {
    field: String,
    from: Doc,
    to: Doc,
}

/// One after the other. A schedule that is refused is named, and the others are applied all the same.
pub(super) async fn apply(args: &RemoteArgs, wanted: ApplyArgs, json: bool) -> Result<ExitCode, Failure> {
    let schedules = read(&wanted.file, &text(&wanted.file)?).map_err(exit::Usage)?;
    let remote = args.remote()?;
    let (mut answers, mut refused) = (Vec::new(), false);
    for schedule in &schedules {
        match send(&remote, args, schedule, wanted.dry_run).await {
            Ok(answer) => {
                if !json {
                    say(&in_words(&schedule.name, &seen::read(&answer)?, wanted.dry_run));
                }
                answers.push(answer);
            }
            Err(ApiError::Refused(problem)) => {
                refused = true;
                eprintln!("error: schedule {}: {}", plain(&schedule.name), ApiError::Refused(problem));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if json {
        print_json(&seen::Page { data: answers, next_cursor: None });
    }
    Ok(if refused { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

fn text(file: &str) -> Result<String, exit::Usage> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text).map(drop),
        file => std::fs::read_to_string(file).map(|found| text = found),
    };
    let name = if file == "-" { "standard input" } else { file };
    read.map(|()| text).map_err(|error| exit::Usage(format!("cannot read {name}: {error}")))
}

async fn send(remote: &Remote, args: &RemoteArgs, schedule: &Wanted, dry_run: bool) -> Result<Doc, ApiError> {
    let query = [("dry_run", "true".to_owned())];
    let workspace = schedule.workspace.clone().filter(|_| args.workspace().is_none());
    let headers: Vec<_> = workspace.map(|name| ("X-Runlane-Workspace", name)).into_iter().collect();
    let body = Doc::of(&schedule.body);
    let extra = Extra { query: if dry_run { &query } else { &[] }, headers: &headers, body: Some(&body) };
    remote.call(Method::PUT, &["schedules", &schedule.name], extra).await
}

fn in_words(name: &str, applied: &Applied, dry_run: bool) -> String {
    let outcome = match (applied.outcome.as_str(), dry_run) {
        ("created", true) => "would create",
        ("updated", true) => "would update",
        (other, _) => other,
    };
    let changes: Vec<String> = applied.changes.iter().map(change).collect();
    let colon = if changes.is_empty() { "" } else { ": " };
    format!("{} {}{colon}{}\n", plain(outcome), plain(name), changes.join(", "))
}

fn change(change: &Change) -> String {
    let short = |doc: &Doc| {
        let text = plain(&doc.to_string());
        match text.char_indices().nth(MOST_LETTERS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    // The id of a grant that is yet to be made is nobody's.
    let to = match change.field.as_str() {
        "grant_id" if change.to.to_string().contains("00000000-0000-0000") => "a new grant".to_owned(),
        _ => short(&change.to),
    };
    format!("{} {} → {to}", plain(&change.field), short(&change.from))
}
