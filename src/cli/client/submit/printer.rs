//! Prints what came of each line of a file: ids to standard output, reasons to standard error.

use std::io::IsTerminal;

use serde_json::json;

use crate::cli::client::batch::Outcome;
use crate::cli::client::doc::Doc;
use crate::cli::client::render::plain;
use crate::cli::client::say;

pub(super) struct Printer {
    json: bool,
    /// Whether lines without an id are left out: nobody puts files side by side on a terminal.
    is_seen: bool,
    /// How many lines of the file have a line of standard output.
    printed: u64,
}

impl Printer {
    pub(super) fn new(json: bool) -> Self {
        Self { json, is_seen: std::io::stdout().is_terminal(), printed: 0 }
    }

    /// As text, the n-th line of the output is the id for the n-th line of the file, and empty where that made no run, so that
    /// `paste` puts them side by side. As JSON, it is one object a line, with the line's number.
    pub(super) fn print(&mut self, line: u64, outcome: &Outcome) {
        if self.json {
            return say(&format!("{}\n", object(line, outcome)));
        }
        while self.printed + 1 < line {
            self.skip();
        }
        match outcome {
            Outcome::Submitted { id, .. } | Outcome::AlreadyThere { id } => {
                self.printed += 1;
                say(&format!("{}\n", plain(id)));
            }
            Outcome::Refused(reason) => {
                self.skip();
                eprintln!("line {line}: {}", plain(reason));
            }
        }
    }

    /// A line of the file that made no run.
    fn skip(&mut self) {
        self.printed += 1;
        if !self.is_seen {
            say("\n");
        }
    }
}

fn object(line: u64, outcome: &Outcome) -> Doc {
    Doc::of(&match outcome {
        Outcome::Submitted { id, is_new: true } => json!({"line": line, "outcome": "created", "id": id}),
        Outcome::Submitted { id, is_new: false } => json!({"line": line, "outcome": "replaced", "id": id}),
        Outcome::AlreadyThere { id } => json!({"line": line, "outcome": "already_there", "id": id}),
        Outcome::Refused(reason) => json!({"line": line, "outcome": "refused", "id": null, "error": reason}),
    })
}
