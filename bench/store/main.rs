//! Measures the stores beside what the bare database can do: `make bench-store`, or with some parts only
//! `make bench-store ARGS="raw postgres runs=20000"`.
//!
//! Parts: `raw`, `layouts` (the two table layouts in bare SQL), `postgres`, `history` (with finished runs behind it),
//! `held` (while a transaction is held open), `sqlite`. Settings: `runs`, `batch`, `repetitions`, `history`, `held`.
//! *r* is the rate divided by that of single-row inserts by 8 clients, taken right before.

mod cycle;
mod database;
mod layouts;
mod postgres;
mod raw;
mod report;
mod sqlite;

use std::time::Duration;

use database::Result;
use report::Report;

const PARTS: [&str; 6] = ["raw", "layouts", "postgres", "history", "held", "sqlite"];

/// How much to measure.
pub struct Settings {
    url: String,
    runs: usize,
    batch: usize,
    repetitions: usize,
    history: usize,
    held: Duration,
}

#[tokio::main]
async fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let number = |name: &str, default: usize| {
        let given = arguments.iter().find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='));
        given.map_or(Ok(default), str::parse)
    };
    let settings = Settings {
        url: std::env::var("RUNLANE_TEST_POSTGRES").map_err(|_| "run it through scripts/with-postgres --durable")?,
        runs: number("runs", 100_000)?,
        batch: number("batch", 1000)?,
        repetitions: number("repetitions", 3)?,
        history: number("history", 2_000_000)?,
        held: Duration::from_secs(number("held", 60)? as u64),
    };
    let named: Vec<&str> = arguments.iter().map(String::as_str).filter(|argument| !argument.contains('=')).collect();
    let mut report = Report::default();
    for part in if named.is_empty() { &PARTS[..] } else { &named } {
        match *part {
            "raw" => raw::measure(&settings, &mut report).await?,
            "layouts" => layouts::measure(&settings, &mut report).await?,
            "postgres" => postgres::measure(&settings, &mut report).await?,
            "history" => postgres::measure_history(&settings, &mut report).await?,
            "held" => postgres::measure_held(&settings, &mut report).await?,
            "sqlite" => sqlite::measure(&settings, &mut report).await?,
            other => return Err(format!("there is no part {other}; there are {}", PARTS.join(", ")).into()),
        }
    }
    report.print();
    Ok(())
}
