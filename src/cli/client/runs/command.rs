//! `runlane runs cancel|pause|resume|rerun|dismiss|enqueue`: the same for each run that is named.

use std::process::ExitCode;

use clap::Args;

use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{Paint, plain};
use crate::cli::client::{exit, print_json, say, seen};

#[derive(Args)]
pub(super) struct Ids {
    /// Ids of the runs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// One after the other; one that is refused does not keep the others from it.
pub(super) async fn command(remote: &Remote, verb: &str, ids: Ids, json: bool) -> Result<ExitCode, Failure> {
    let mut answers = Vec::new();
    let mut refused = false;
    for id in &ids.ids {
        match remote.post(&["runs", id, verb], None).await {
            Ok(answer) => {
                if !json {
                    let run: seen::Run = seen::read(&answer)?;
                    // What was given may be part of the id; a new run is said to come from what was given.
                    let named = if verb == "rerun" { id.as_str() } else { run.id.as_str() };
                    report(verb, named, &run);
                }
                answers.push(answer);
            }
            // A single refusal is told as any other failure is.
            Err(error @ ApiError::Refused(_)) if ids.ids.len() == 1 => return Err(error.into()),
            Err(ApiError::Refused(problem)) => {
                refused = true;
                let words = problem.in_short();
                let whose = if words.contains(id) { String::new() } else { format!("{}: ", plain(id)) };
                eprintln!("error: {whose}{}", plain(&words));
                answers.push(Doc::of(&problem.document));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if json {
        match answers.as_slice() {
            [alone] => print_json(alone),
            _ => print_json(&seen::Page { data: answers, next_cursor: None }),
        }
    }
    Ok(if refused { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

/// Of a new run the id alone, for `id=$(runlane runs rerun …)`; where it comes from is for whoever watches.
fn report(verb: &str, id: &str, run: &seen::Run) {
    if verb == "rerun" {
        say(&format!("{}\n", plain(&run.id)));
        eprintln!("{}, a rerun of {}", plain(&run.status), plain(id));
    } else {
        say(&format!("{}\n", outcome(verb, id, run, Paint::for_stdout())));
    }
}

/// What became of it, which is not always at once what was asked.
fn outcome(verb: &str, id: &str, run: &seen::Run, paint: Paint) -> String {
    let status = paint.status(&run.status);
    match (verb, run.status.as_str()) {
        ("cancel" | "pause", "running") => format!("{} {status}; its worker was asked to stop", plain(id)),
        ("dismiss", _) => format!("{} {status}; its lane continues without it", plain(id)),
        _ => format!("{} {status}", plain(id)),
    }
}
