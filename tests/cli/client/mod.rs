//! The verbs that talk to a server, against a real one.

mod apply;
mod bench;
mod doctor;
mod follow;
mod lists;
mod many;
mod refusals;
mod runs;
mod schedules;
mod submit;
mod tokens;

use crate::server::Said;

/// What a person reads, without what differs each time: ids, times, spans and addresses. Columns are closed up, since
/// their width depends on those.
fn seen(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut words: Vec<String> = line.trim_start().split("  ").map(|cell| cell.trim().to_owned()).collect();
        words.retain(|cell| !cell.is_empty());
        let indent = line.len() - line.trim_start().len();
        lines.push(format!("{}{}", " ".repeat(indent), words.join("  ")));
    }
    lines.join("\n")
}

/// Takes a snapshot of standard output, standard error and the exit code.
macro_rules! assert_said {
    ($said:expr) => {
        let said = &$said;
        insta::with_settings!({filters => crate::client::filters(), omit_expression => true}, {
            insta::assert_snapshot!(crate::client::told(said));
        });
    };
}
use assert_said;

pub fn told(said: &Said) -> String {
    let code = said.status.code().map_or("killed".into(), |code| code.to_string());
    let mut text = seen(&said.out);
    if !said.err.is_empty() {
        text.push_str(&format!("\n[standard error]\n{}", seen(&said.err)));
    }
    format!("{text}\n[exit {code}]")
}

pub fn filters() -> Vec<(&'static str, &'static str)> {
    vec![
        (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[worker]"),
        (r"request [0-9A-Za-z_-]+", "request [request]"),
        (r"(\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC)", "[time]"),
        (r"\bin \d+ h( \d+ min)?|\bin \d+ d(ays)?\b|\d{4}-\d\d-\d\d", "[when]"),
        (r"just now|\bin \d+ (s|min)|\d+ s ago|less than a second ago", "[when]"),
        (r"\d+ ms|\d+\.\d s", "[span]"),
        (r"127\.0\.0\.1:\d+", "[address]"),
        (r"\S+/[0-9a-f]{8}\b", "[host]"),
        (r"version \d+", "version [n]"),
    ]
}
