//! `runlane submit --file`: a stream of submissions in batches, every bad line reported with its number.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, BufReader};

use super::reader::{Line, Lines};
use crate::cli::Failure;
use crate::cli::client::batch::{self, Body, Item, Outcome};
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{counted, grouped, span};
use crate::cli::client::{exit, print_json, say};

/// A batch ends at so many runs, or before it would be larger than a server takes.
const RUNS: usize = 1000;
const BYTES: usize = 900 << 10;

/// What came of the whole file.
#[derive(Default)]
struct Tally {
    answered: bool,
    submitted: u64,
    known: u64,
    /// Lines that were never sent, and are told of with those of their batch, so that all come in order.
    unsent: Vec<(u64, String)>,
    refused: Vec<(u64, String)>,
}

pub(super) async fn submit(remote: &Remote, file: &str, usual: &Body, as_json: bool) -> Result<ExitCode, Failure> {
    let (source, size) = open(file).await?;
    let bar = bar(size);
    let begun = Instant::now();
    let mut tally = Tally::default();
    let done = stream(remote, Lines::new(source, usual.clone()), &bar, &mut tally).await;
    bar.finish_and_clear();
    if as_json {
        let refused: Vec<Value> =
            tally.refused.iter().map(|(line, error)| json!({"line": line, "error": error})).collect();
        print_json(&json!({"submitted": tally.submitted, "already_there": tally.known, "refused": refused}));
    } else {
        say(&tally.in_words(begun.elapsed()));
    }
    done.map_err(|failure| tally.so_far(failure))?;
    Ok(if tally.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}

async fn open(file: &str) -> Result<(Box<dyn AsyncBufRead + Unpin>, Option<u64>), Failure> {
    if file == "-" {
        return Ok((Box::new(BufReader::new(tokio::io::stdin())), None));
    }
    let opened = tokio::fs::File::open(file).await.map_err(|error| format!("cannot read {file}: {error}"))?;
    let size = opened.metadata().await.ok().map(|metadata| metadata.len());
    Ok((Box::new(BufReader::with_capacity(1 << 16, opened)), size))
}

async fn stream(
    remote: &Remote,
    mut lines: Lines<Box<dyn AsyncBufRead + Unpin>>,
    bar: &ProgressBar,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    while let Some(line) = lines.next().await? {
        let Line { number, bytes: length, content } = line;
        bar.inc(length as u64);
        match content {
            Err(reason) => tally.unsent.push((number, reason)),
            Ok(run) => {
                if batch.len() == RUNS || bytes + length > BYTES && !batch.is_empty() {
                    send(remote, &mut batch, bar, tally).await?;
                    bytes = 0;
                }
                batch.push(Item { number, run });
                bytes += length;
            }
        }
    }
    send(remote, &mut batch, bar, tally).await
}

async fn send(remote: &Remote, batch: &mut Vec<Item>, bar: &ProgressBar, tally: &mut Tally) -> Result<(), Failure> {
    let waits = |reason: &str, seconds: u64| bar.set_message(format!("{reason}; trying again in {seconds} s"));
    let mut refused = std::mem::take(&mut tally.unsent);
    for (number, outcome) in batch::submit(remote, tally.answered, std::mem::take(batch), &waits).await? {
        match outcome {
            Outcome::Submitted => tally.submitted += 1,
            Outcome::AlreadyThere => tally.known += 1,
            Outcome::Refused(reason) => refused.push((number, reason)),
        }
    }
    refused.sort_by_key(|(line, _)| *line);
    refused.into_iter().for_each(|(line, reason)| tally.refuse(line, reason, bar));
    tally.answered = true;
    bar.set_message(counted(tally.submitted, "run"));
    Ok(())
}

impl Tally {
    /// Told at once, above the bar, since a long file takes a while.
    fn refuse(&mut self, line: u64, reason: String, bar: &ProgressBar) {
        bar.suspend(|| eprintln!("line {line}: {reason}"));
        self.refused.push((line, reason));
    }

    fn in_words(&self, took: Duration) -> String {
        let rate = self.submitted as f64 / took.as_secs_f64().max(0.001);
        let length = span(SignedDuration::try_from(took).unwrap_or_default());
        let mut words = format!("submitted {} in {length}", counted(self.submitted, "run"));
        if self.submitted >= 1000 {
            words.push_str(&format!(" ({} a second)", grouped(rate as u64)));
        }
        if self.known > 0 {
            words.push_str(&format!("; {} there already", grouped(self.known)));
        }
        match self.refused.len() as u64 {
            0 => {}
            lines => words.push_str(&format!("; {} refused", counted(lines, "line"))),
        }
        words + "\n"
    }

    /// A failure in the middle leaves it open what came of the batch that was under way.
    fn so_far(&self, failure: Failure) -> Failure {
        if self.submitted > 0 {
            let first =
                format!("stopped after {}; the batch under way may or may not be in", counted(self.submitted, "run"));
            eprintln!("{first}");
        }
        failure
    }
}

/// On a terminal, and beside standard output: by bytes where their number is known.
fn bar(size: Option<u64>) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match size {
        Some(size) => (ProgressBar::new(size), "{bar:30} {percent:>3}%  {msg}  {elapsed} (eta {eta})"),
        None => (ProgressBar::new_spinner(), "{spinner}  {msg}  {elapsed}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style)
}
