//! The work of the fleet tests: writes down that it began, takes a while, writes down that it ended.
//!
//! `chaos_effect FILE MILLISECONDS`; the file only grows, one short line at a time.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let millis: u64 = arguments.next().ok_or("how many milliseconds?")?.parse()?;
    if let Ok(context) = std::env::var("TRACEPARENT") {
        std::fs::write(format!("{file}.traceparent"), context)?;
    }
    let mut log = OpenOptions::new().create(true).append(true).open(file)?;
    write(&mut log, "begin")?;
    let lines = 10;
    for line in 1..=lines {
        println!("line {line} of {lines}");
        std::thread::sleep(Duration::from_millis(millis) / lines);
        write(&mut log, "beat")?;
    }
    write(&mut log, "end")?;
    std::fs::write(std::env::var("RUNLANE_RESULT")?, "\"done\"")?;
    Ok(())
}

/// One write, so that lines of many processes do not mix.
fn write(log: &mut std::fs::File, what: &str) -> Result<(), Box<dyn std::error::Error>> {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "-".into());
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
    let (run, attempt, epoch) = (variable("RUNLANE_RUN_ID"), variable("RUNLANE_ATTEMPT"), variable("RUNLANE_EPOCH"));
    Ok(log.write_all(format!("{what} {run} {attempt} {epoch} {nanos}\n").as_bytes())?)
}
