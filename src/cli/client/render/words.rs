//! Times, spans, numbers and strangers' text, as people read them.

use jiff::{SignedDuration, Timestamp};
use runlane::clock::Clock;

/// What this machine's clock shows.
pub(in crate::cli::client) fn now() -> Timestamp {
    Clock::Database.host_now()
}

/// `3 min ago`, or `in 3 min`; a date where that is longer than a month.
pub(in crate::cli::client) fn ago(at: Timestamp, now: Timestamp) -> String {
    let past = now.duration_since(at);
    // What is to come in an hour is not due in 59 minutes because the question took a moment.
    let seconds = if past.is_negative() { past.as_secs_f64().round() as i64 } else { past.as_secs() };
    if seconds.unsigned_abs() > 30 * 86_400 {
        return at.strftime("%Y-%m-%d").to_string();
    }
    match seconds {
        0 => "just now".into(),
        1.. => format!("{} ago", coarse(seconds)),
        _ => format!("in {}", coarse(-seconds)),
    }
}

fn coarse(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        // Within the day it matters whether an hour is nearly two.
        3600..36_000 if seconds % 3600 >= 60 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// `5 min`: how long something has been going on.
pub(in crate::cli::client) fn elapsed(at: Timestamp, now: Timestamp) -> String {
    coarse(now.duration_since(at).as_secs().max(0))
}

/// `340 ms`, `1.2 s`, `2 min 5 s`, `3 h 10 min`.
pub(in crate::cli::client) fn span(length: SignedDuration) -> String {
    let millis = length.as_millis().max(0);
    match millis {
        ..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        60_000..3_600_000 => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
        _ => format!("{} h {} min", millis / 3_600_000, millis % 3_600_000 / 60_000),
    }
}

/// `12,345`.
pub(in crate::cli::client) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut words = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            words.push(',');
        }
        words.push(digit);
    }
    words
}

/// `1 run`, `12,345 runs`.
pub(in crate::cli::client) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Text that others wrote, on one line and with nothing a terminal would obey.
pub(in crate::cli::client) fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// As [`plain`], but tabs stay, and so do colours where there are any; without them their codes are left out.
pub(in crate::cli::client) fn shown(text: &str, colours: bool) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        words.push_str(&without_controls(&rest[..at]));
        let code = colour_code(&rest[at..]);
        if code.is_empty() {
            words.push_str("\\u{1b}");
        } else if colours {
            words.push_str(code);
        }
        rest = &rest[at + code.len().max(1)..];
    }
    words + &without_controls(rest)
}

fn without_controls(text: &str) -> String {
    text.split('\t').map(plain).collect::<Vec<_>>().join("\t")
}

/// `ESC [ 1 ; 32 m`, if that is what the text begins with.
fn colour_code(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return "" };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';');
    match end.filter(|end| rest[*end..].starts_with('m')) {
        Some(end) => &text[..end + 3],
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_now() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
        let told = |seconds: i64| ago(now - SignedDuration::from_secs(seconds), now);
        assert_eq!([told(0), told(59), told(185)], ["just now", "59 s ago", "3 min ago"]);
        assert_eq!([told(7200), told(3 * 86_400), told(-90)], ["2 h ago", "3 d ago", "in 1 min"]);
        assert_eq!(told(40 * 86_400), "2026-10-06");
        assert_eq!(ago(now + SignedDuration::from_millis(3_599_980), now), "in 1 h");
    }

    #[test]
    fn spans_and_numbers_are_short() {
        let told = |millis| span(SignedDuration::from_millis(millis));
        assert_eq!([told(340), told(1250), told(125_000)], ["340 ms", "1.2 s", "2 min 5 s"]);
        assert_eq!(told(11_400_000), "3 h 10 min");
        assert_eq!([counted(1, "run"), counted(1_234_567, "run")], ["1 run", "1,234,567 runs"]);
    }

    #[test]
    fn text_of_others_cannot_command_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(shown("\u{1b}[32mok\u{1b}[0m\t\u{1b}]0;title\u{7}", false), "ok\t\\u{1b}]0;title\\u{7}");
        assert_eq!(shown("\u{1b}[1;32mok\u{1b}[0m", true), "\u{1b}[1;32mok\u{1b}[0m");
    }
}
