//! Aligned columns, two spaces apart, readable without colour and easy for `awk`.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::paint::Tone;
use super::{Paint, plain};

/// Rows below a head.
pub(in crate::cli::client) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// What stands in a place.
pub(in crate::cli::client) struct Cell {
    text: String,
    tone: Option<Tone>,
    right: bool,
}

impl Cell {
    /// Text of any origin.
    pub(in crate::cli::client) fn of(text: impl AsRef<str>) -> Self {
        Self { text: plain(text.as_ref()), tone: None, right: false }
    }

    /// Something that may be missing.
    pub(in crate::cli::client) fn maybe(text: Option<impl AsRef<str>>) -> Self {
        text.map_or_else(|| Self::of("–").quiet(), Self::of)
    }

    pub(in crate::cli::client) fn status(status: &str) -> Self {
        Self { tone: Tone::of_status(status), ..Self::of(status) }
    }

    pub(in crate::cli::client) fn number(number: impl ToString) -> Self {
        Self { right: true, ..Self::of(number.to_string()) }
    }

    pub(in crate::cli::client) fn quiet(self) -> Self {
        Self { tone: Some(Tone::Quiet), ..self }
    }

    pub(in crate::cli::client) fn warn(self) -> Self {
        Self { tone: Some(Tone::Warn), ..self }
    }
}

impl Table {
    pub(in crate::cli::client) fn new(head: &[&'static str]) -> Self {
        Self { head: head.to_vec(), rows: Vec::new() }
    }

    pub(in crate::cli::client) fn add(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    pub(in crate::cli::client) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The head is in capitals, numbers stand on the right, and nothing trails at the end of a line.
    pub(in crate::cli::client) fn render(&self, paint: Paint) -> String {
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column)).collect();
        // What comes last may be long, and a table that wraps is none.
        let last_begins = widths.iter().rev().skip(1).map(|width| width + 2).sum::<usize>();
        let room = paint.width().map(|width| width.saturating_sub(last_begins).max(20));
        let mut text = String::new();
        let head: Vec<Cell> = (0..self.head.len()).map(|column| self.title(column)).collect();
        for row in std::iter::once(&head).chain(&self.rows) {
            let last = row.iter().rposition(|cell| !cell.text.is_empty()).unwrap_or(0);
            for (column, cell) in row.iter().enumerate().take(last + 1) {
                let gap = " ".repeat(widths[column].saturating_sub(cell.text.width()));
                let words = if column + 1 == self.head.len() { cut(&cell.text, room) } else { cell.text.clone() };
                let shown = cell.tone.map_or_else(|| words.clone(), |tone| paint.tone(tone, &words));
                let between = if column == 0 { "" } else { "  " };
                // Spaces after the last column would only make copies longer.
                let _ = match (cell.right, column == last) {
                    (true, _) => write!(text, "{between}{gap}{shown}"),
                    (false, true) => write!(text, "{between}{shown}"),
                    (false, false) => write!(text, "{between}{shown}{gap}"),
                };
            }
            text.push('\n');
        }
        text
    }

    fn title(&self, column: usize) -> Cell {
        let right = self.rows.first().is_some_and(|row| row.get(column).is_some_and(|cell| cell.right));
        Cell { text: self.head[column].to_uppercase(), tone: Some(Tone::Quiet), right }
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.width());
        cells.chain([self.head[column].width()]).max().unwrap_or(0)
    }
}

fn cut(text: &str, room: Option<usize>) -> String {
    match room {
        Some(room) if text.width() > room => text.chars().take(room - 1).chain(['…']).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_whatever_is_in_them() {
        let mut table = Table::new(&["name", "runs", "state"]);
        table.add(vec![Cell::of("größe 日本"), Cell::number(7), Cell::status("running")]);
        table.add(vec![Cell::of("a\nb"), Cell::number(1200), Cell::maybe(None::<&str>)]);
        let expected = "NAME        RUNS  STATE\ngröße 日本     7  running\na\\nb        1200  –\n";
        assert_eq!(table.render(Paint::none()), expected);
    }
}
