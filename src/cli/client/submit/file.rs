//! `runlane submit --file`: a stream of submissions in batches, every bad line reported with its number.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use jiff::SignedDuration;
use tokio::io::{AsyncBufRead, BufReader};

use super::printer::Printer;
use super::reader::{Line, Lines};
use crate::cli::Failure;
use crate::cli::client::batch::{self, Body, Item, Outcome};
use crate::cli::client::exit;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{counted, grouped, span};

/// A batch ends at so many runs, or before it would be larger than a server takes.
const RUNS: usize = 1000;
const BYTES: usize = 900 << 10;

/// What came of the whole file.
struct Tally {
    /// How each line is written to standard output.
    printer: Printer,
    answered: bool,
    submitted: u64,
    known: u64,
    refused: u64,
    /// Lines that were never sent, and are told of with those of their batch, so that all come in order.
    unsent: Vec<(u64, Outcome)>,
}

pub(super) async fn submit(remote: &Remote, file: &str, usual: &Body, as_json: bool) -> Result<ExitCode, Failure> {
    let (source, size) = open(file).await?;
    let bar = bar(size);
    let begun = Instant::now();
    let mut tally = Tally::new(Printer::new(as_json));
    let done = stream(remote, Lines::new(source, usual.clone()), &bar, &mut tally).await;
    bar.finish_and_clear();
    done.map_err(|failure| tally.so_far(failure))?;
    eprintln!("{}", tally.in_words(begun.elapsed()));
    Ok(if tally.refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
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
    while let Some(line) = lines.next().await.map_err(|error| format!("cannot read the file: {error}"))? {
        let Line { number, bytes: length, content } = line;
        bar.inc(length as u64);
        match content {
            Err(reason) => tally.unsent.push((number, Outcome::Refused(reason))),
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
    let waits = |reason: &str, seconds: u64| bar.set_message(format!("{reason}; retrying in {seconds} s"));
    let mut outcomes = std::mem::take(&mut tally.unsent);
    outcomes.extend(batch::submit(remote, tally.answered, std::mem::take(batch), &waits).await?);
    outcomes.sort_by_key(|(line, _)| *line);
    bar.suspend(|| outcomes.iter().for_each(|(line, outcome)| tally.take(*line, outcome)));
    tally.answered = true;
    bar.set_message(counted(tally.submitted, "run"));
    Ok(())
}

impl Tally {
    fn new(printer: Printer) -> Self {
        Self { printer, answered: false, submitted: 0, known: 0, refused: 0, unsent: Vec::new() }
    }

    /// Told at once, since a long file takes a while.
    fn take(&mut self, line: u64, outcome: &Outcome) {
        match outcome {
            Outcome::Submitted { .. } => self.submitted += 1,
            Outcome::AlreadyThere { .. } => self.known += 1,
            Outcome::Refused(_) => self.refused += 1,
        }
        self.printer.print(line, outcome);
    }

    fn in_words(&self, took: Duration) -> String {
        let rate = self.submitted as f64 / took.as_secs_f64().max(0.001);
        let length = span(SignedDuration::try_from(took).unwrap_or_default());
        let mut words = format!("submitted {} in {length}", counted(self.submitted, "run"));
        if self.submitted >= 1000 {
            words.push_str(&format!(" ({} per second)", grouped(rate as u64)));
        }
        if self.known > 0 {
            words.push_str(&format!("; {} already there", grouped(self.known)));
        }
        if self.refused > 0 {
            words.push_str(&format!("; {} refused", counted(self.refused, "line")));
        }
        words
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
