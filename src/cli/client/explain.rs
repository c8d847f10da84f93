//! `runlane explain`: why a run is not starting, and what would help.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use super::remote::RemoteArgs;
use super::render::{Paint, plain};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct ExplainArgs {
    /// The run's id
    id: String,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Explanation {
    status: String,
    summary: String,
    reasons: Vec<Reason>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reason {
    message: String,
    remedy: String,
}

pub(super) async fn explain(args: ExplainArgs) -> Result<ExitCode, Failure> {
    let answer = args.remote.remote()?.get(&["runs", &args.id, "explain"]).await?;
    if args.remote.json {
        print_json(&answer);
    } else {
        say(&in_words(&args.id, &seen::read(&answer)?, Paint::for_stdout()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Every reason with what would end it; where there is none, how it stands.
fn in_words(id: &str, explanation: &Explanation, paint: Paint) -> String {
    let Explanation { status, summary, reasons } = explanation;
    let mut text = format!("run {}  {}\n", paint.strong(&plain(id)), paint.status(status));
    if reasons.is_empty() {
        let _ = writeln!(text, "  {}", plain(summary));
    }
    for reason in reasons {
        let _ = writeln!(text, "  {}", plain(&reason.message));
        let _ = writeln!(text, "    {} {}", paint.quiet("→"), plain(&reason.remedy));
    }
    text
}
