//! What people may write for times, spans and JSON.

use std::io::Read;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use runlane::run::explain_json_mistake;

use super::doc::Doc;

/// `90`, `90s`, `5m`, `1h30m`, `2 days`: a plain number is seconds.
pub(super) fn duration(text: &str) -> Result<SignedDuration, String> {
    let wrong = || format!("{text:?} is not a duration; write 90, 90s, 5m or 1h30m");
    let span = match text.trim().parse::<f64>() {
        Ok(seconds) => SignedDuration::try_from_secs_f64(seconds).map_err(|_| wrong())?,
        Err(_) => in_words(text).ok_or_else(wrong)?,
    };
    if span.is_negative() { Err(format!("{text:?} is negative; write 90, 90s, 5m or 1h30m")) } else { Ok(span) }
}

/// A duration that something is repeated after.
pub(super) fn interval(text: &str) -> Result<SignedDuration, String> {
    let span = duration(text)?;
    if span.is_zero() { Err("it must be longer than 0; write 1s or 500ms".into()) } else { Ok(span) }
}

/// Days are 24 hours: a delay is a number of seconds, not a date.
fn in_words(text: &str) -> Option<SignedDuration> {
    let span: jiff::Span = text.trim().parse().ok()?;
    span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()
}

/// An instant with its offset, or a date and time of this machine's zone.
pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let local = text.parse::<DateTime>().ok().and_then(|at| at.to_zoned(TimeZone::system()).ok());
    local.map(|at| at.timestamp()).ok_or_else(|| {
        format!("{text:?} is not a time; write 2026-11-20T09:00:00Z, or 2026-11-20T09:00 for local time")
    })
}

/// JSON as it stands, `@FILE`, or `-` for standard input.
pub(super) fn json(what: &str, text: &str) -> Result<Doc, String> {
    let read = match text.strip_prefix('@') {
        Some(file) => {
            std::fs::read_to_string(file).map_err(|error| format!("cannot read {what} from {file}: {error}"))?
        }
        None if text == "-" => {
            let mut all = String::new();
            let read = std::io::stdin().read_to_string(&mut all);
            read.map_err(|error| format!("cannot read {what} from standard input: {error}"))?;
            all
        }
        None => text.to_owned(),
    };
    serde_json::from_str(&read).map_err(|error| {
        let hint = match read.trim() {
            "" => "it is empty; leave it out, or write null".to_owned(),
            word if !word.starts_with(['{', '[', '"']) => format!("text needs quotes: '\"{word}\"'"),
            _ => "in a shell, put it between single quotes".to_owned(),
        };
        format!("{what} is not JSON: {}\n  hint: {hint}", explain_json_mistake(read.as_bytes(), &error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_seconds_or_have_units() {
        let seconds = |text| duration(text).map(|span| span.as_secs());
        assert_eq!(
            [seconds("90"), seconds("5m"), seconds("1h30m"), seconds("2 days")],
            [Ok(90), Ok(300), Ok(5400), Ok(172_800)]
        );
        assert!(duration("soon").expect_err("refused").contains("5m"));
        assert!(duration("-5").is_err());
    }

    #[test]
    fn text_without_quotes_is_answered_with_quotes() {
        let error = json("the payload", "hello").expect_err("refused");
        assert!(error.contains("the payload is not JSON") && error.contains("'\"hello\"'"), "{error}");
        let big = json("the payload", "{\"a\": 12345678901234567890123}").expect("JSON");
        assert_eq!(big.to_string(), "{\"a\": 12345678901234567890123}");
    }
}
