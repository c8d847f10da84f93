//! The same as text, for pipes and files.

use std::fmt::Write;

use jiff::Timestamp;

use super::snapshot::Seen;
use crate::cli::client::render::{Paint, Table, counted, grouped, row};
use crate::cli::client::{queues, workers};

pub(super) fn text(seen: &Seen, paint: Paint, now: Timestamp) -> String {
    let (busy, slots) = seen.slots();
    let mut text = format!(
        "{}  {} waiting, {} running, {} with {busy} of {slots} slots busy\n",
        seen.address,
        grouped(seen.waiting()),
        grouped(seen.running()),
        counted(seen.alive().count() as u64, "worker"),
    );
    let mut add = |table: &Table| {
        if !table.is_empty() {
            let _ = write!(text, "\n{}", table.render(paint));
        }
    };
    add(&queues::table(&seen.queues));
    add(&workers::table(&seen.workers, now));
    for (title, runs) in [("running", &seen.running), ("failed", &seen.failed)] {
        let mut table = Table::new(&[title, "status", "task", "queue", "lane", "tries", "requested", "took", "note"]);
        runs.iter().for_each(|run| table.add(row(run, now)));
        add(&table);
    }
    text
}
