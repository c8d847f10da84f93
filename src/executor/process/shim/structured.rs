//! Lines by which a program tells more than text: `::runlane {"progress": 0.4, "message": "…"}`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::lines::printable;
use crate::executor::process::record::RetryWish;
use crate::executor::{LONGEST_POSTPONEMENT, Report, SHORTEST_POSTPONEMENT, Stream};

const PREFIX: &[u8] = b"::runlane ";
/// More units are a mistake.
const MOST_UNITS: usize = 64;
/// And so are longer names of units.
const LONGEST_UNIT: usize = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimedReport {
    progress: Option<f64>,
    message: Option<String>,
    usage: Option<BTreeMap<String, u64>>,
    retry: Option<bool>,
    retry_in_seconds: Option<u64>,
}

/// A line of standard output.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Output like any other.
    Text,
    /// Meant for us, but not to be understood; kept as text.
    Unclear,
    /// What it reports, and what it says about another attempt.
    TimedReport(Vec<Report>, Option<RetryWish>),
}

pub(super) fn parse(line: &[u8]) -> Line {
    let Some(text) = line.strip_prefix(PREFIX) else { return Line::Text };
    understand(text).unwrap_or(Line::Unclear)
}

fn understand(text: &[u8]) -> Option<Line> {
    let said: TimedReport = serde_json::from_slice(text).ok()?;
    let wish = wish(said.retry, said.retry_in_seconds)?;
    let mut reports = Vec::new();
    match (said.progress, said.message) {
        (Some(fraction), message) => {
            let message = message.map(|message| printable(message.as_bytes())).filter(|message| !message.is_empty());
            reports.push(Report::Progress { fraction: fraction.clamp(0.0, 1.0), message });
        }
        // A message alone says nothing about progress.
        (None, Some(_)) => return None,
        (None, None) => {}
    }
    if let Some(amounts) = said.usage {
        let is_unit =
            |unit: &String| !unit.is_empty() && unit.len() <= LONGEST_UNIT && !unit.contains(char::is_control);
        if amounts.is_empty() || amounts.len() > MOST_UNITS || !amounts.keys().all(is_unit) {
            return None;
        }
        reports.push(Report::Usage { amounts });
    }
    if let Some(wish) = wish {
        reports.push(Report::Log { stream: Stream::Note, text: words(wish) });
    }
    (!reports.is_empty()).then_some(Line::TimedReport(reports, wish))
}

/// `None` if it contradicts itself or is out of bounds.
#[expect(clippy::option_option, reason = "to say nothing is not to say something wrong")]
fn wish(retry: Option<bool>, seconds: Option<u64>) -> Option<Option<RetryWish>> {
    let bounds = SHORTEST_POSTPONEMENT.as_secs()..=LONGEST_POSTPONEMENT.as_secs();
    match (retry, seconds) {
        (None, None) => Some(None),
        (Some(true), None) => Some(Some(RetryWish::Usual)),
        (Some(false), None) => Some(Some(RetryWish::Never)),
        (None, Some(seconds)) if bounds.contains(&seconds) => {
            Some(u32::try_from(seconds).ok().map(RetryWish::InSeconds))
        }
        _ => None,
    }
}

fn words(wish: RetryWish) -> String {
    match wish {
        RetryWish::Usual => "if this attempt fails, it is to be tried again as usual".into(),
        RetryWish::Never => "if this attempt fails, it is not to be tried again".into(),
        RetryWish::InSeconds(seconds) => format!("if this attempt fails, it is to be tried again in {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_and_usage_are_understood_and_anything_else_is_text() {
        let progress =
            |fraction, message: Option<&str>| Report::Progress { fraction, message: message.map(str::to_owned) };
        let usage = Report::Usage { amounts: BTreeMap::from([("tokens".into(), 120)]) };
        let said = |reports: &[Report]| Line::TimedReport(reports.to_vec(), None);
        let half = said(&[progress(0.4, Some("half\\0"))]);
        assert_eq!(parse(br#"::runlane {"progress":0.4,"message":"half\u0000"}"#), half);
        assert_eq!(parse(br#"::runlane {"progress":40}"#), said(&[progress(1.0, None)]));
        assert_eq!(parse(br#"::runlane {"usage":{"tokens":120}}"#), said(std::slice::from_ref(&usage)));
        assert_eq!(parse(br#"::runlane {"usage":{"tokens":120},"progress":1}"#), said(&[progress(1.0, None), usage]));
        assert_eq!(parse(b"progress 0.4"), Line::Text);
        assert_eq!(parse(b"::runlane"), Line::Text);
        for other in [
            r#"::runlane {"progress":"much"}"#,
            r#"::runlane {"message":"alone"}"#,
            r#"::runlane {"usage":{"tokens":-1}}"#,
            r#"::runlane {"usage":{"a\u0000":1}}"#,
            r#"::runlane {"usage":{}}"#,
            r#"::runlane {"colour":"red"}"#,
            "::runlane {}",
        ] {
            assert_eq!(parse(other.as_bytes()), Line::Unclear, "{other}");
        }
    }

    #[test]
    fn wishes_about_another_attempt_are_understood_within_their_bounds() {
        let wish = |line: &str| match parse(line.as_bytes()) {
            Line::TimedReport(_, wish) => wish,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(wish(r#"::runlane {"retry":false}"#), Some(RetryWish::Never));
        assert_eq!(wish(r#"::runlane {"retry":true,"progress":1}"#), Some(RetryWish::Usual));
        assert_eq!(wish(r#"::runlane {"retry_in_seconds":1}"#), Some(RetryWish::InSeconds(1)));
        assert_eq!(wish(r#"::runlane {"retry_in_seconds":604800}"#), Some(RetryWish::InSeconds(604_800)));
        for wrong in [
            r#"::runlane {"retry_in_seconds":0}"#,
            r#"::runlane {"retry_in_seconds":604801}"#,
            r#"::runlane {"retry_in_seconds":1.5}"#,
            r#"::runlane {"retry_in_seconds":-1}"#,
            r#"::runlane {"retry":"no"}"#,
            r#"::runlane {"retry":true,"retry_in_seconds":5}"#,
        ] {
            assert_eq!(parse(wrong.as_bytes()), Line::Unclear, "{wrong}");
        }
    }
}
