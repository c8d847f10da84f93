//! `runlane submit`: one run from the command line, or many from a file.

mod body;
mod file;
mod printer;
mod reader;
mod report;
pub(super) mod wait;

use std::process::ExitCode;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;

use super::remote::{Extra, RemoteArgs, full_id};
use super::retry::RetryArgs;
use super::{args, exit, print_json, render, say, seen};
use crate::cli::Failure;

#[derive(Args)]
#[command(after_help = "\
Examples:
  runlane submit echo --payload '{\"hello\": \"world\"}' --wait
  runlane submit resize --payload @photo.json --queue images --lane user-7 --delay 5m
  runlane submit --file runs.ndjson        # one submission per line, as in the API: {\"task\": \"echo\", \"payload\": 1}
  generate | runlane submit echo --file -  # options fill in what a line leaves out

Exit codes with --wait: 0 succeeded, 1 failed, 4 cancelled, 5 timed out, 6 not ended yet.")]
pub(in crate::cli) struct SubmitArgs {
    /// Task to run
    #[arg(required_unless_present = "file")]
    task: Option<String>,
    /// Payload: JSON, @FILE, or - for standard input
    #[arg(long, short, value_name = "JSON")]
    payload: Option<String>,
    /// Submit each line of a file (- is standard input), in batches
    #[arg(long, value_name = "FILE", conflicts_with_all = ["payload", "idempotency_key", "wait"])]
    file: Option<String>,
    /// Queue to join
    #[arg(long, short, value_name = "NAME")]
    queue: Option<String>,
    /// Priority from -1000 to 1000; higher runs first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i64>,
    /// Lane (serial key): runs of one lane execute one at a time, in order
    #[arg(long, short, value_name = "NAME")]
    lane: Option<String>,
    /// Delay before it may start (90, 5m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = args::duration, conflicts_with = "at")]
    delay: Option<SignedDuration>,
    /// Earliest start time (2026-11-20T09:00:00Z)
    #[arg(long, value_name = "TIME", value_parser = args::instant)]
    at: Option<Timestamp>,
    /// Cancel it unless it has begun by then (2026-11-20T09:00:00Z)
    #[arg(long, value_name = "TIME", value_parser = args::instant, conflicts_with = "start_within")]
    start_by: Option<Timestamp>,
    /// Cancel it unless it begins within so long after it is due (90, 5m)
    #[arg(long, value_name = "DURATION", value_parser = args::duration)]
    start_within: Option<SignedDuration>,
    /// Number of attempts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_attempts: Option<u16>,
    /// Time limit of one attempt (90, 5m)
    #[arg(long, value_name = "DURATION", value_parser = args::duration)]
    timeout: Option<SignedDuration>,
    #[command(flatten)]
    retry: RetryArgs,
    /// Create it on hold; `runs enqueue` releases it
    #[arg(long)]
    hold: bool,
    /// Start only after these runs have succeeded
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    after: Vec<String>,
    /// Run key: identifies this work until it starts
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// What to do if a waiting run has the same run key
    #[arg(long, value_name = "MODE", requires = "key", value_parser = ["keep", "replace", "preserve_available_at"])]
    key_mode: Option<String>,
    /// Idempotency key: a repeated request returns the first run
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Metadata: JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Wait for the outcome and reflect it in the exit code; with a duration, at most that long (--wait=5m)
    #[arg(long, short, value_name = "DURATION", num_args = 0..=1, require_equals = true, default_missing_value = "",
          value_parser = patience)]
    wait: Option<wait::Patience>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

fn patience(text: &str) -> Result<wait::Patience, String> {
    if text.is_empty() { Ok(wait::Patience::Endless) } else { args::duration(text).map(wait::Patience::AtMost) }
}

pub(super) async fn submit(args: SubmitArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let mut body = body::of(&args).map_err(exit::Usage)?;
    if !args.after.is_empty() {
        let ids = args.after.iter().map(|id| full_id(&remote, "runs", id));
        body.insert("after".into(), super::doc::Doc::of(&futures::future::try_join_all(ids).await?));
    }
    if let Some(file) = &args.file {
        return file::submit(&remote, file, &body, args.remote.json).await;
    }
    let mut headers = Vec::new();
    if let Some(key) = &args.idempotency_key {
        headers.push(("Idempotency-Key", key.clone()));
    }
    let body = super::doc::Doc::of(&body);
    let extra = Extra { headers: &headers, body: Some(&body), ..Extra::default() };
    let (mut answer, outcome) = remote.call_for_outcome(Method::POST, &["runs"], extra).await?;
    let mut run: seen::Run = seen::read(&answer)?;
    if let Some(words) = report::not_new(&outcome) {
        eprintln!("{words}");
    }
    if let Some(patience) = args.wait {
        answer = wait::wait(&remote, &run.id, patience).await?;
        run = seen::read(&answer)?;
    }
    let (paint, now) = (render::Paint::for_stdout(), render::now());
    if args.remote.json {
        print_json(&answer);
    } else if args.wait.is_some() {
        say(&render::card(&run, &[], paint, now));
    } else {
        // The id alone, for `id=$(runlane submit …)`; what to do next is for whoever watches.
        say(&format!("{}\n", paint.strong(&render::plain(&run.id))));
        eprintln!("{}", report::next(&run, &outcome, now));
    }
    Ok(if args.wait.is_some() { exit::of_run(&run) } else { ExitCode::SUCCESS })
}
