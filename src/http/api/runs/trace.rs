//! Keeps the caller's trace with the run, so that its attempts go on in it.

use std::collections::HashMap;

use axum::http::HeaderMap;
use serde_json::value::RawValue;

use crate::run::Json;

/// The metadata with the request's `traceparent`, unless it has one already.
pub(super) fn kept_in(metadata: Option<Json>, headers: &HeaderMap) -> Option<Json> {
    let Some(parent) = headers.get("traceparent").and_then(|value| value.to_str().ok()).filter(|text| valid(text))
    else {
        return metadata;
    };
    let Some(given) = metadata else { return Json::parse(format!(r#"{{"traceparent":"{parent}"}}"#)).ok() };
    let entries: Option<HashMap<String, &RawValue>> = serde_json::from_str(given.as_str()).ok();
    let rest = given.as_str().strip_prefix('{');
    let with_trace = match (entries, rest) {
        (Some(entries), Some(rest)) if !entries.contains_key("traceparent") => {
            let comma = if entries.is_empty() { "" } else { "," };
            Json::parse(format!(r#"{{"traceparent":"{parent}"{comma}{rest}"#)).ok()
        }
        _ => None,
    };
    Some(with_trace.unwrap_or(given))
}

/// Of the form that version 00 of the standard has.
fn valid(parent: &str) -> bool {
    let parts: Vec<&str> = parent.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let hex = |part: &&str| part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    lengths == [2, 32, 16, 2] && parts.iter().all(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn kept(metadata: Option<&str>, parent: &'static str) -> Option<String> {
        let headers =
            HeaderMap::from_iter([("traceparent".parse().expect("a name"), parent.parse().expect("a value"))]);
        let metadata = metadata.map(|text| Json::parse(text).expect("JSON"));
        kept_in(metadata, &headers).map(|json| json.as_str().to_owned())
    }

    #[test]
    fn a_trace_is_kept_beside_what_the_caller_noted() {
        let alone = format!(r#"{{"traceparent":"{PARENT}"}}"#);
        assert_eq!(kept(None, PARENT), Some(alone.clone()));
        assert_eq!(kept(Some("{}"), PARENT), Some(alone));
        assert_eq!(kept(Some(r#"{"a": 1}"#), PARENT), Some(format!(r#"{{"traceparent":"{PARENT}","a": 1}}"#)));
        let own = r#"{"traceparent":"mine"}"#;
        assert_eq!(kept(Some(own), PARENT).as_deref(), Some(own));
        assert_eq!(kept(Some("{}"), "00-x").as_deref(), Some("{}"));
        assert_eq!(kept(None, "\"-quoted"), None);
    }
}
