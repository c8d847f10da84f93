//! What every event makes of every status, written by hand and compared with what the transitions do.

use crate::run::Status;
use crate::run::lifecycle::table::{EVENTS, markdown, outcomes};

/// Refused, whatever else is true of the run.
const NO: &str = "";

/// One line per event; the columns are pending, queued, running, retrying, paused, then succeeded, failed, timed_out
/// and cancelled.
#[rustfmt::skip]
const EXPECTED: [(&str, [&str; 9]); 25] = [
    ("claim",                [NO, "running", NO, "running", NO, NO, NO, NO, NO]),
    ("start deadline passes", ["cancelled", "cancelled", NO, NO, "cancelled", NO, NO, NO, NO]),
    ("claim ahead",          [NO, "queued", NO, NO, NO, NO, NO, NO, NO]),
    ("begin",                [NO, "running", NO, NO, NO, NO, NO, NO, NO]),
    ("adopt",                [NO, NO, "running", NO, NO, NO, NO, NO, NO]),
    ("renew",                [NO, "queued", "running", NO, NO, NO, NO, NO, NO]),
    ("lease runs out",       [NO, NO, "running", NO, NO, NO, NO, NO, NO]),
    ("succeed",              [NO, "succeeded", "succeeded", NO, NO, NO, NO, NO, NO]),
    ("fail",                 [NO, "retrying paused cancelled", "retrying paused failed cancelled", NO, NO, NO, NO, NO, NO]),
    ("ask for later",        [NO, "retrying paused cancelled", "retrying paused failed cancelled", NO, NO, NO, NO, NO, NO]),
    ("lose",                 [NO, "retrying paused cancelled", "retrying paused failed cancelled", NO, NO, NO, NO, NO, NO]),
    ("time out",             [NO, "retrying paused cancelled", "retrying paused timed_out cancelled", NO, NO, NO, NO, NO, NO]),
    ("stopped by cancel",    [NO, "cancelled", "cancelled", NO, NO, NO, NO, NO, NO]),
    ("stopped by pause",     [NO, "paused cancelled", "paused cancelled", NO, NO, NO, NO, NO, NO]),
    ("release for adoption", [NO, "running", "running", NO, NO, NO, NO, NO, NO]),
    ("release to queue",     [NO, "queued paused cancelled", "queued retrying paused failed cancelled", NO, NO, NO, NO, NO, NO]),
    ("release to paused",    [NO, "paused cancelled", "paused cancelled", NO, NO, NO, NO, NO, NO]),
    ("release unbegun",      [NO, "queued paused cancelled", "queued paused cancelled", NO, NO, NO, NO, NO, NO]),
    ("cancel",               ["cancelled", "queued cancelled", "running", "cancelled", "cancelled", NO, NO, NO, NO]),
    ("pause",                [NO, "queued paused", "running", "paused", "paused", NO, NO, NO, NO]),
    ("resume",               [NO, NO, NO, NO, "queued", NO, "queued", "queued", NO]),
    ("enqueue",              ["queued", NO, NO, NO, NO, NO, NO, NO, NO]),
    ("dismiss",              [NO, NO, NO, NO, "paused", NO, "failed", "timed_out", NO]),
    ("rerun",                ["queued"; 9]),
    ("upstream failed",      ["failed", "failed", NO, NO, "failed", NO, NO, NO, NO]),
];

#[test]
fn every_event_does_to_every_status_what_is_written_here() {
    for (event, row) in EXPECTED {
        for (status, expected) in Status::ALL.into_iter().zip(row) {
            let found: Vec<&str> = outcomes(status, event).into_iter().map(Status::as_str).collect();
            assert_eq!(found.join(" "), expected, "{event} when {status}");
        }
    }
}

#[test]
fn every_event_is_written_here() {
    assert_eq!(EXPECTED.map(|(event, _)| event), EVENTS);
}

#[test]
fn the_markdown_says_the_same() {
    let markdown = markdown();
    assert_eq!(markdown.lines().count(), 2 + EVENTS.len());
    assert!(markdown.contains("| **enqueue** | queued | – | – | – | – | – | – | – | – |\n"), "{markdown}");
    assert!(markdown.contains("| **stopped by pause** | – | paused, cancelled | paused, cancelled |"), "{markdown}");
}
