//! Lines by which a program tells more than text: `::runlane {"progress": 0.4, "message": "…"}`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::lines::printable;
use crate::executor::Report;

const PREFIX: &[u8] = b"::runlane ";
/// More units are a mistake.
const MOST_UNITS: usize = 64;
/// And so are longer names of units.
const LONGEST_UNIT: usize = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    progress: Option<f64>,
    message: Option<String>,
    usage: Option<BTreeMap<String, u64>>,
}

/// What the line reports; nothing if it is not such a line, or cannot be understood.
pub(super) fn parse(line: &[u8]) -> Vec<Report> {
    line.strip_prefix(PREFIX).and_then(understand).unwrap_or_default()
}

fn understand(text: &[u8]) -> Option<Vec<Report>> {
    let said: Said = serde_json::from_slice(text).ok()?;
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
    Some(reports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_and_usage_are_understood_and_anything_else_is_text() {
        let progress =
            |fraction, message: Option<&str>| Report::Progress { fraction, message: message.map(str::to_owned) };
        let usage = Report::Usage { amounts: BTreeMap::from([("tokens".into(), 120)]) };
        assert_eq!(parse(br#"::runlane {"progress":0.4,"message":"half\u0000"}"#), [progress(0.4, Some("half\\0"))]);
        assert_eq!(parse(br#"::runlane {"progress":40}"#), [progress(1.0, None)]);
        assert_eq!(parse(br#"::runlane {"usage":{"tokens":120}}"#), std::slice::from_ref(&usage));
        assert_eq!(parse(br#"::runlane {"usage":{"tokens":120},"progress":1}"#), [progress(1.0, None), usage]);
        for other in [
            "progress 0.4",
            r#"::runlane {"progress":"much"}"#,
            r#"::runlane {"message":"alone"}"#,
            r#"::runlane {"usage":{"tokens":-1}}"#,
            r#"::runlane {"usage":{"a\u0000":1}}"#,
            r#"::runlane {"usage":{}}"#,
            r#"::runlane {"colour":"red"}"#,
            "::runlane {}",
            "::runlane",
        ] {
            assert_eq!(parse(other.as_bytes()), [], "{other}");
        }
    }
}
