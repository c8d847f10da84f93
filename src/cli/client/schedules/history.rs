//! `runlane schedules runs`: what became of a schedule's slots.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;

use super::render::whole;
use crate::cli::Failure;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{Cell, Paint, Table, ago, counted, now, span};
use crate::cli::client::{print_json, say, seen};

#[derive(Args)]
pub(super) struct RunsArgs {
    /// The schedule's name or id
    #[arg(value_name = "NAME")]
    id: String,
    /// Maximum number of entries
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
    /// Continue after this cursor of the previous page
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// A run, or slots that got none.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    id: String,
    status: String,
    slot: Option<Timestamp>,
    last_slot: Option<Timestamp>,
    count: u64,
    reason: String,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    error: Option<seen::RunError>,
}

pub(super) async fn runs(remote: &Remote, wanted: RunsArgs, json: bool) -> Result<ExitCode, Failure> {
    let mut query = vec![("limit", wanted.limit.to_string())];
    query.extend(wanted.cursor.map(|cursor| ("cursor", cursor)));
    let answer = remote.find(&["schedules", &wanted.id, "runs"], &query).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let page: seen::Page<Entry> = seen::read(&answer)?;
    let paint = Paint::for_stdout();
    let mut table = Table::new(&["slot", "status", "run", "started", "took", "note"]);
    for entry in &page.data {
        table.add(row(entry, now()));
    }
    say(&if table.is_empty() { "no slots have passed yet\n".into() } else { table.render(paint) });
    if let Some(cursor) = page.next_cursor {
        say(&format!("{}\n", paint.quiet(&format!("there are more: --cursor {cursor}"))));
    }
    Ok(ExitCode::SUCCESS)
}

fn row(entry: &Entry, now: Timestamp) -> Vec<Cell> {
    let skipped = entry.status == "skipped";
    let slot = match (entry.slot, skipped) {
        (Some(slot), _) => whole(slot),
        (None, _) => "triggered".into(),
    };
    let took = entry.started_at.zip(entry.finished_at).map(|(from, until)| span(until.duration_since(from)));
    let note = match (&entry.error, skipped) {
        (Some(error), _) => format!("{}: {}", error.code, error.message),
        (None, true) => why(entry),
        (None, false) => String::new(),
    };
    let status = if skipped { Cell::of("skipped").warn() } else { Cell::status(&entry.status) };
    let run = if skipped { Cell::maybe(None::<&str>) } else { Cell::of(&entry.id) };
    vec![
        Cell::of(slot),
        status,
        run,
        Cell::maybe(entry.started_at.map(|at| ago(at, now))),
        Cell::maybe(took),
        Cell::of(note),
    ]
}

fn why(entry: &Entry) -> String {
    let reason = match entry.reason.as_str() {
        "missed" => "missed: nothing could start",
        "overlap" => "the previous run had not ended",
        "withdrawn" => "the schedule was paused, edited or deleted",
        other => other,
    };
    match entry.last_slot.filter(|_| entry.count > 1) {
        Some(last) => format!("{}, to {}: {reason}", counted(entry.count, "slot"), whole(last)),
        None => reason.to_owned(),
    }
}
