//! A page of documentation: its commands, and what they are said to print.

use std::ops::Range;

pub struct Page {
    pub lines: Vec<String>,
    pub steps: Vec<Step>,
}

/// A command.
pub struct Step {
    /// Where it stands, counted from 1.
    pub line: usize,
    pub command: String,
    /// In a comment: needed, but not worth a reader's time.
    pub is_hidden: bool,
    /// The lines of the page that show what it prints.
    pub shown: Range<usize>,
}

impl Page {
    pub fn parse(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (mut steps, mut at, mut in_console) = (Vec::new(), 0, false);
        while at < lines.len() {
            let line = lines[at].as_str();
            let (begin, hidden) = (at, line.strip_prefix("<!-- $ ").and_then(|rest| rest.strip_suffix(" -->")));
            at += 1;
            if line.starts_with("```") {
                in_console = line == "```console";
            } else if let Some(command) = hidden {
                steps.push(Step { line: begin + 1, command: command.to_owned(), is_hidden: true, shown: at..at });
            } else if let Some(first) = line.strip_prefix("$ ").filter(|_| in_console) {
                let mut command = first.to_owned();
                while command.ends_with('\\') && at < lines.len() {
                    command = format!("{command}\n{}", lines[at]);
                    at += 1;
                }
                let shown = at..end_of_output(&lines, at);
                at = shown.end;
                steps.push(Step { line: begin + 1, command, is_hidden: false, shown });
            }
        }
        Self { lines, steps }
    }

    /// The page with other lines in place of some.
    pub fn with(&self, changes: Vec<(Range<usize>, Vec<String>)>) -> String {
        let mut lines = self.lines.clone();
        for (place, new) in changes.into_iter().rev() {
            lines.splice(place, new);
        }
        lines.join("\n") + "\n"
    }
}

/// Up to the next command or the end of the block; empty lines before that only set them apart.
fn end_of_output(lines: &[String], from: usize) -> usize {
    let next = lines[from..].iter().position(|line| line.starts_with("$ ") || line.starts_with("```"));
    let mut end = next.map_or(lines.len(), |length| from + length);
    while end > from && lines[end - 1].is_empty() {
        end -= 1;
    }
    end
}
