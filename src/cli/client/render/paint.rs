//! Colours: only on a terminal, and never against `NO_COLOR`.

use std::io::IsTerminal;

/// Paints, or leaves as it is.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli::client) struct Paint {
    on: bool,
    /// How wide the terminal is, where there is one.
    width: Option<usize>,
}

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::client) enum Tone {
    Good,
    Bad,
    Busy,
    Warn,
    Quiet,
    Strong,
}

impl Paint {
    pub(in crate::cli::client) fn for_stdout() -> Self {
        let terminal = std::io::stdout().is_terminal();
        let size = terminal.then(ratatui::crossterm::terminal::size).and_then(Result::ok);
        Self { on: terminal && wanted(), width: size.map(|(columns, _)| columns.into()) }
    }

    /// Never any colour.
    #[cfg(test)]
    pub(in crate::cli::client) fn none() -> Self {
        Self { on: false, width: None }
    }

    pub(in crate::cli::client) fn width(self) -> Option<usize> {
        self.width
    }

    pub(in crate::cli::client) fn is_on(self) -> bool {
        self.on
    }

    pub(in crate::cli::client) fn status(self, status: &str) -> String {
        let status = &super::plain(status);
        match Tone::of_status(status) {
            Some(tone) => self.tone(tone, status),
            None => status.to_owned(),
        }
    }

    pub(in crate::cli::client) fn quiet(self, text: &str) -> String {
        self.tone(Tone::Quiet, text)
    }

    pub(in crate::cli::client) fn warn(self, text: &str) -> String {
        self.tone(Tone::Warn, text)
    }

    pub(in crate::cli::client) fn strong(self, text: &str) -> String {
        self.tone(Tone::Strong, text)
    }

    pub(in crate::cli::client) fn tone(self, tone: Tone, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Busy => "36",
            Tone::Warn => "33",
            Tone::Quiet => "2",
            Tone::Strong => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

impl Tone {
    pub(in crate::cli::client) fn of_status(status: &str) -> Option<Self> {
        match status {
            "succeeded" | "ok" => Some(Tone::Good),
            "failed" | "timed_out" | "fail" => Some(Tone::Bad),
            "running" => Some(Tone::Busy),
            "retrying" | "paused" | "warn" => Some(Tone::Warn),
            "cancelled" | "pending" => Some(Tone::Quiet),
            _ => None,
        }
    }
}

/// Whether the environment has nothing against colours.
fn wanted() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !no_color && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
