//! How far a measurement is: a bar on a terminal, a line where nobody watches.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for so many runs, which goes away when it is dropped.
pub(super) fn progress(doing: &str, runs: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        eprintln!("{doing}");
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs).with_message(doing.to_owned());
    let style = ProgressStyle::with_template("{msg:32} {bar:30} {human_pos:>9} of {human_len}  {per_sec:>10}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
    bar
}
