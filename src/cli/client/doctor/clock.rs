//! Compares this machine's clock with a server's.

use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};

use super::report::Check;
use crate::cli::client::render::span;

/// The header has whole seconds, and the answer took a moment.
const UNNOTICED: SignedDuration = SignedDuration::from_secs(3);

/// From the `Date` of an answer; nothing if it has none.
pub(super) fn check(date: Option<&str>, now: Timestamp) -> Option<Check> {
    let theirs = DateTimeParser::new().parse_timestamp(date?).ok()?;
    let apart = now.duration_since(theirs);
    if apart.abs() <= UNNOTICED {
        return Some(Check::ok("clock", "this machine's and the server's agree"));
    }
    let which = if apart.is_negative() { "behind" } else { "ahead of" };
    let words = format!("this machine's is {} {which} the server's", span(apart.abs()));
    Some(Check::warn("clock", words, "set the clocks by NTP; times shown here are wrong by as much"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::client::doctor::report::Level;

    #[test]
    fn clocks_may_differ_by_a_moment_only() {
        let now: Timestamp = "2026-11-15T12:00:02Z".parse().expect("a time");
        let level = |date| check(Some(date), now).map(|check| check.level);
        assert_eq!(level("Sun, 15 Nov 2026 12:00:00 GMT"), Some(Level::Ok));
        assert_eq!(level("Sun, 15 Nov 2026 11:59:00 GMT"), Some(Level::Warn));
        assert_eq!(level("yesterday"), None);
    }
}
