//! How it looks: colours where they are wanted, columns that are aligned, nothing that commands the terminal.

use std::io::Write;

use anstream::AutoStream;

/// Styles, as terminals know them; they are taken out again where nobody would see them.
pub(super) const BAD: &str = "31";
pub(super) const WARN: &str = "33";
pub(super) const STRONG: &str = "1";
pub(super) const QUIET: &str = "2";

pub(super) fn styled(style: &str, text: &str) -> String {
    format!("\u{1b}[{style}m{}\u{1b}[0m", plain(text))
}

/// Control characters shown, not obeyed.
pub(super) fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Writes to standard output, without colours if it is no terminal or `NO_COLOR` is set. Whoever reads it may have seen
/// enough.
pub(super) fn say(text: &str) {
    let _ = AutoStream::auto(std::io::stdout().lock()).write_all(text.as_bytes());
}

/// `1 task`, `2 tasks`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Rows below a head, two spaces apart. A cell that begins with a bracket or a dash is there for want of another.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
    let length = |cell: &str| cell.chars().count();
    let width =
        |column: usize| rows.iter().map(|row| length(&row[column])).chain([length(head[column])]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = (String, bool)>| {
        let mut line = String::new();
        for (column, (cell, quiet)) in cells.enumerate() {
            let gap = if column + 1 < head.len() { widths[column] + 2 - length(&cell) } else { 0 };
            line += &if quiet { styled(QUIET, &cell) } else { cell };
            line += &" ".repeat(gap);
        }
        line + "\n"
    };
    let mut text = line(&mut head.iter().map(|title| (title.to_uppercase(), true)));
    for row in rows {
        text +=
            &line(&mut row.into_iter().map(|cell| (cell.clone(), cell.starts_with(['(', '–']) || cell == "default")));
    }
    text
}
